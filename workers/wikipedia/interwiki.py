"""Prefixes that lead to another wiki, for sources that can't ask their wiki for its own list.

A dump does not carry the list. Without one, [[fr:Vigne]] would be discovered as an article of that name.
"""

from __future__ import annotations

_LANGUAGE_CODES = """
aa ab ace ady af ak als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa ay az azb ba
ban bar bat-smg bbc bcl bdr be be-tarask be-x-old bew bg bh bi bjn blk bm bn bo bpy br bs btm bug
bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb cu cv cy da dag de dga din diq dsb dtp
dty dv dz ee el eml en eo es et eu ext fa fat ff fi fiu-vro fj fo fon fr frp frr fur fy ga gag gan
gcr gd gl glk gn gom gor got gpe gsw gu guc gur guw gv ha hak haw he hi hif ho hr hsb ht hu hy hyw
hz ia iba id ie ig igl ii ik ilo inh io is it iu ja jam jbo jv ka kaa kab kbd kbp kcg kg kge ki kj
kk kl km kn knc ko koi kr krc ks ksh ku kus kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo
lrc lt ltg lv lzh mad mai map-bms mdf mg mh mhr mi min mk ml mn mni mnw mos mr mrj ms mt mus mwl my
myv mzn na nah nap nds nds-nl ne new ng nia nl nn no nov nqo nr nrm nso nup nv ny oc olo om or os pa
pag pam pap pcd pcm pdc pfl pi pih pl pms pnb pnt ps pt pwn qu rm rmy rn ro roa-rup roa-tara rsk ru
rue rup rw sa sah sat sc scn sco sd se sg sgs sh shi shn si simple sk skr sl sm smn sn so sq sr srn
ss st stq su sv sw syl szl szy ta tay tcy tdd te tet tg th ti tk tl tly tn to tpi tr trv ts tt tum
tw ty tyv udm ug uk ur uz ve vec vep vi vls vo vro wa war wo wuu xal xh xmf yi yo yue za zea zgh zh
zh-classical zh-min-nan zh-yue zu
"""

_OTHER_PREFIXES = """
b betawikiversity c cache choralwiki commons d doi foundation foundationsite gerrit google imdbname
imdbtitle incubator iarchive isbn issn jstor lod m mail mailarchive mediawikiwiki meta metawikimedia
mw n oeis openlibrary orcid otrs outreach outreachwiki phab phabricator pmid q quality rfc s species
specieswiki strategy svn test testwiki testwikidata tools translatewiki v viaf voy w wikia wikibooks
wikidata wikimania wikimedia wikinews wikipedia wikiquote wikisource wikispecies wikitech
wikiversity wikivoyage wikt wiktionary wmania wmf
"""

LANGUAGES = frozenset(_LANGUAGE_CODES.split())
SISTERS = frozenset(_OTHER_PREFIXES.split())
