import faulthandler,sys,time,tempfile,shutil
from pathlib import Path
from tests.support import processes
from tests.support.processes import *
from tests.support.stores import Place
from tests.crash import scenes
def look(send, place):
    f=open("/tmp/hang.txt","w"); faulthandler.dump_traceback_later(12,file=f)
    return scenes.look(send, place)
def act(send, *a):
    f=open("/tmp/hang_act.txt","w"); faulthandler.dump_traceback_later(12,file=f)
    return scenes.act(send,*a)
if __name__=="__main__":
    prepare("kuzu","tests.support.warm","tests.crash.scenes")
    d=Path(tempfile.mkdtemp()); p=Place("kuzu",d/"known"); run(scenes.prepare,p)
    c=p.copy_to(d/"c"); pts=run(act,"opening",c,None); print(pts)
    t=time.time()
    for n in range(6):
        for k,pt in enumerate(pts):
            q=p.copy_to(d/f"{n}-{k}")
            with Child(act,"opening",q,k) as ch: assert ch.hear(15)=="reached "+pt
            try:
                r=run(look,q,seconds=15)
            except ChildDied as e:
                print(n,k,pt,e, open("/tmp/hang.txt").read()); sys.exit(1)
            shutil.rmtree(q.folder)
        print(n,time.time()-t,flush=True)
