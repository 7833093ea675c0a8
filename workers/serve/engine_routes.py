"""What other processes of ours ask: reads and units by name, claims, typed statements. Always with the token."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import datetime
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from graphvine.claims import Claims
from graphvine.clock import ManualClock
from graphvine.engines.http_wire import MEDIA_TYPE, WIRE_VERSION, pack, pack_error, unpack
from graphvine.errors import GraphvineError, StoreClosed, StoreError
from graphvine.records import Claim, QueryResult, Step, Unit, UnitResult
from graphvine.workers.registry import long_jobs, route_modules
from graphvine.workers.serve.hiring import HIRED, run_hired
from graphvine.workers.serve.room import NotReady, Room

_log = logging.getLogger("graphvine.serve")
_THREADS, _READERS = 64, 8
_INTERRUPT_SECONDS = 2.0
Asked = dict[str, Any]
Answer = Callable[[Room, Asked], Any]


def routes(room: Room) -> list[Route]:
    # Threads of their own: a unit that waits for the writer must not keep people's requests waiting, nor reads.
    waiting = ThreadPoolExecutor(_THREADS, thread_name_prefix="graphvine-engine")
    reading = ThreadPoolExecutor(_READERS, thread_name_prefix="graphvine-read")
    pools = dict.fromkeys(OPS, waiting) | {"read": reading}
    return [Route(f"/engine/{name}", endpoint(room, OPS[name], pool), methods=["POST"]) for name, pool in pools.items()]


def endpoint(room: Room, answer: Answer, pool: ThreadPoolExecutor) -> Callable[[Request], Any]:
    """A route that takes and gives msgpack, for our own processes."""

    async def answered(request: Request) -> Response:
        body = await request.body()
        return await asyncio.get_running_loop().run_in_executor(pool, _carried_out, room, answer, body)

    return answered


def _carried_out(room: Room, answer: Answer, body: bytes) -> Response:
    try:
        asked = unpack(body)
    except Exception:
        return Response(pack_error(GraphvineError("this is not what our processes speak")), 400, media_type=MEDIA_TYPE)
    try:
        return Response(pack({"answer": answer(room, asked)}), media_type=MEDIA_TYPE)
    except (NotReady, StoreClosed):
        return Response(status_code=503, headers={"Retry-After": "1"})
    except GraphvineError as error:
        return Response(pack_error(error), 409, media_type=MEDIA_TYPE)
    except (KeyError, TypeError, ValueError) as error:
        wrong = GraphvineError(f"the request can't be understood: {type(error).__name__}: {error}")
        return Response(pack_error(wrong), 400, media_type=MEDIA_TYPE)
    except OSError as error:
        # A backup into a folder that is not ours, a full disk: told as the command would tell it.
        place = f"{error.filename}: " if error.filename else ""
        return Response(pack_error(GraphvineError(f"{place}{error.strerror or error}")), 409, media_type=MEDIA_TYPE)
    except Exception:
        _log.exception("a fault in %s", getattr(answer, "__name__", answer))
        told = StoreError("something went wrong in the process that serves the graph: its log says what")
        return Response(pack_error(told), 500, media_type=MEDIA_TYPE)


def _about(room: Room, asked: Asked) -> Any:
    graph = room.graph
    if graph.door.served is not None or not graph.engine.capabilities.single_owner:
        raise StoreError(f"the daemon's graph is a server itself: open {graph.where} instead")
    return {
        "wire": WIRE_VERSION, "engine": graph.engine.name, "dialect": graph.engine.dialect,
        "typed": graph.engine.capabilities.typed, "library": graph.library.fingerprint, "migrated": graph.migrated,
        "now_ms": graph.clock.now_ms(), "what": room.what,
    }  # fmt: skip


def _read(room: Room, asked: Asked) -> Any:
    return room.graph.read(str(asked["block"]), **asked["parameters"])


def _unit(room: Room, asked: Asked) -> Any:
    graph = room.graph
    steps = [Step(block, parameters) for block, parameters in asked["steps"]]
    unit = Unit.of(steps, if_held=asked["if_held"])
    if all(graph.library.block(step.block).role == "heartbeat" for step in unit.steps):
        return _told(graph.door.run(unit, now=asked["now"]))  # done twice, it says the same

    def work(kept: Callable[[Any], Step]) -> Any:
        return _told(graph.door.run(unit, lambda result: kept(_told(result)), now=asked["now"]))

    return room.desk.once(asked["lane"], asked["number"], asked["again"], work)


def _told(result: UnitResult) -> Any:
    return {"rows": list(result.rows), "held": sorted(result.held)}


def _claim(room: Room, asked: Asked) -> Any:
    # The time is the asker's, as it is for every statement: clocks that differ must not move a row's moment.
    claims = Claims(room.graph.door, asked["pipeline"], asked["worker"], ManualClock(asked["now"]))

    def told(taken: list[Claim]) -> Any:
        return [msgspec.structs.asdict(claim) for claim in taken]

    def work(kept: Callable[[Any], Step]) -> Any:
        taken = claims.claim(asked["limit"], asked["states"], asked["max_depth"], lambda so_far: kept(told(so_far)))
        return told(taken)

    return room.desk.once(asked["lane"], asked["number"], asked["again"], work)


def _next_due(room: Room, asked: Asked) -> Any:
    return room.graph.door.window(asked["pipeline"]).next_due(asked["now"], asked["states"])


def _forget(room: Room, asked: Asked) -> Any:
    if asked["pipeline"] is None:
        room.graph.door.forget()
    else:
        room.graph.door.machine(asked["pipeline"])
        room.graph.door.window(asked["pipeline"]).drop()


_asking: dict[str, set[int]] = {}
_asking_lock = threading.Lock()


def _query(room: Room, asked: Asked) -> Any:
    from graphvine.read_only import refuse_writes

    refuse_writes(asked["text"])
    client, me = str(asked["client"]), threading.get_ident()
    with _asking_lock:
        _asking.setdefault(client, set()).add(me)
    try:
        return _table(
            room.graph.engine.query(
                asked["text"], asked["parameters"], max_rows=asked["max_rows"], timeout_seconds=asked["timeout_seconds"]
            )
        )
    finally:
        with _asking_lock:
            _asking[client].discard(me)
            if not _asking[client]:
                del _asking[client]


def _interrupt(room: Room, asked: Asked) -> Any:
    """Again and again for a moment: a query that is only about to begin does not hear the first time."""
    client, end = str(asked["client"]), time.monotonic() + _INTERRUPT_SECONDS
    with _asking_lock:
        threads = set(_asking.get(client, ()))
    while threads and time.monotonic() < end:
        for thread in threads:
            room.graph.engine.interrupt(thread)  # type: ignore[call-arg]  # embedded, as `about` has checked
        time.sleep(0.02)
        with _asking_lock:
            threads &= _asking.get(client, set())


def _execute(room: Room, asked: Asked) -> Any:
    # What the words then mean for the numbers is seen to by whoever asked, as it is where the store is its own.
    result = room.graph.engine.execute([asked["text"]], parameters=asked["parameters"] or None)
    room.graph.door.forget()
    return _table(result)


def _table(result: QueryResult) -> Any:
    return {"columns": result.columns, "rows": result.rows, "truncated": result.truncated}


def _tables(room: Room, asked: Asked) -> Any:
    return [
        {"name": table.name, "kind": table.kind, "properties": [list(one) for one in table.properties]}
        for table in room.graph.tables()
    ]


def _care(room: Room, asked: Asked) -> Any:
    verbs: dict[str, Callable[[str], Any]] = {
        "backup": room.graph.backup, "export": room.graph.export, "load": room.graph.load
    }  # fmt: skip
    if asked["verb"] not in verbs:
        raise GraphvineError(f"the daemon can't {asked['verb']!r}")
    return asdict(verbs[asked["verb"]](asked["place"]))


def _call(room: Room, asked: Asked) -> Any:
    calls = {name: call for module in route_modules() for name, call in getattr(module, "CALLS", {}).items()}
    if asked["name"] not in calls:
        raise GraphvineError(f"the daemon has no call {asked['name']!r}")
    return msgspec.to_builtins(calls[asked["name"]](room, **asked["asked"]), builtin_types=(datetime,))


def _start_job(room: Room, asked: Asked) -> Any:
    verb, works = asked["verb"], {HIRED: run_hired, **long_jobs()}
    if verb not in works:
        raise GraphvineError(f"the daemon has no job {verb!r}")
    # Not kept: whoever asks finds out when the daemon was started anew, and gives it again.
    return room.jobs.start(verb, asked["asked"], works[verb], keep=False, while_watched=verb == HIRED).id


def _watch_job(room: Room, asked: Asked) -> Any:
    job = room.jobs.get(asked["id"])
    # The state first: what happens between the two looks is seen by the next.
    state, result, error = job.state, job.result, job.error
    events = job.after(asked["after"], min(float(asked["seconds"]), 30.0))
    # Such as by the end of the daemon: whoever asked is to give it to the next one.
    cut = state in ("stopped", "failed") and job.cut_short and room.supervisor is not None
    return {"state": state, "events": events, "error": error, "result": result, "cut": cut}


def _stop_job(room: Room, asked: Asked) -> Any:
    room.jobs.end(asked["id"])


OPS: dict[str, Answer] = {
    "about": _about, "read": _read, "unit": _unit, "claim": _claim, "next_due": _next_due, "forget": _forget,
    "query": _query, "interrupt": _interrupt, "execute": _execute, "tables": _tables, "care": _care,
    "call": _call, "start_job": _start_job, "watch_job": _watch_job, "stop_job": _stop_job,
}  # fmt: skip
