"""What other processes of ours ask: reads and units by name, claims, typed statements. Always with the token."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from graphvine.claims import Claims
from graphvine.clock import ManualClock
from graphvine.engines.http.wire import MEDIA_TYPE, WIRE_VERSION, pack, pack_error, unpack
from graphvine.errors import GraphvineError, StoreClosed, StoreError
from graphvine.records import Claim, QueryResult, Step, Unit, UnitResult
from graphvine.requests import Request as TypedRequest
from graphvine.workers.requests import find_request
from graphvine.workers.serve.app_state import AppState, NotReady
from graphvine.workers.serve.file_access import check_request, check_steps
from graphvine.workers.serve.jobs import said

_log = logging.getLogger("graphvine.serve")
_THREADS, _READERS = 64, 8
_INTERRUPT_SECONDS = 2.0
Asked = dict[str, Any]
Answer = Callable[[AppState, Asked], Any]


def routes(app_state: AppState) -> list[Route]:
    # Threads of their own: a unit that waits for the writer must not keep people's requests waiting, nor reads.
    waiting = ThreadPoolExecutor(_THREADS, thread_name_prefix="graphvine-engine")
    reading = ThreadPoolExecutor(_READERS, thread_name_prefix="graphvine-read")
    pools = dict.fromkeys(OPS, waiting) | {"read": reading}
    return [
        Route(f"/engine/{name}", endpoint(app_state, OPS[name], pool), methods=["POST"]) for name, pool in pools.items()
    ]


def endpoint(app_state: AppState, answer: Answer, pool: ThreadPoolExecutor) -> Callable[[Request], Any]:
    """A route that takes and gives msgpack, for our own processes."""

    async def answered(request: Request) -> Response:
        body, owner = await request.body(), request.scope.get("graphvine_owner", False)
        return await asyncio.get_running_loop().run_in_executor(pool, _carried_out, app_state, answer, body, owner)

    return answered


def _carried_out(app_state: AppState, answer: Answer, body: bytes, owner: bool) -> Response:
    try:
        asked = {**unpack(body), "owner": owner}
    except Exception:
        return Response(pack_error(GraphvineError("this is not what our processes speak")), 400, media_type=MEDIA_TYPE)
    try:
        return Response(pack({"answer": answer(app_state, asked)}), media_type=MEDIA_TYPE)
    except (NotReady, StoreClosed):
        return Response(status_code=503, headers={"Retry-After": "1"})
    except GraphvineError as error:
        return Response(pack_error(error), 409, media_type=MEDIA_TYPE)
    except (KeyError, TypeError, ValueError) as error:
        wrong = GraphvineError(f"the request can't be understood: {type(error).__name__}: {error}")
        return Response(pack_error(wrong), 400, media_type=MEDIA_TYPE)
    except OSError as error:
        return Response(pack_error(GraphvineError(said(error))), 409, media_type=MEDIA_TYPE)
    except Exception:
        _log.exception("a fault in %s", getattr(answer, "__name__", answer))
        shown = StoreError("something went wrong in the process that serves the graph: its log says what")
        return Response(pack_error(shown), 500, media_type=MEDIA_TYPE)


def _about(app_state: AppState, asked: Asked) -> Any:
    graph = app_state.graph
    if not graph.engine.capabilities.single_owner:
        raise StoreError(f"the daemon's graph is a server itself: open {graph.where} instead")
    return {
        "wire": WIRE_VERSION, "engine": graph.engine.name, "dialect": graph.engine.dialect,
        "typed": graph.engine.capabilities.typed, "library": graph.library.fingerprint, "migrated": graph.migrated,
        "now_ms": graph.clock.now_ms(), "what": app_state.what,
    }  # fmt: skip


def _read(app_state: AppState, asked: Asked) -> Any:
    return app_state.graph.read(str(asked["block"]), **asked["parameters"])


def _unit(app_state: AppState, asked: Asked) -> Any:
    graph = app_state.graph
    steps = [Step(block, parameters) for block, parameters in asked["steps"]]
    check_steps(app_state, steps, owner=asked["owner"])
    unit = Unit.of(steps, if_held=asked["if_held"])
    if all(graph.library.block(step.block).role == "heartbeat" for step in unit.steps):
        return _as_answer(graph.store.run(unit, now=asked["now"]))  # done twice, it says the same

    def work(kept: Callable[[Any], Step]) -> Any:
        return _as_answer(graph.store.run(unit, lambda result: kept(_as_answer(result)), now=asked["now"]))

    return app_state.idempotency.once(asked["session"], asked["number"], asked["again"], work)


def _as_answer(result: UnitResult) -> Any:
    return {"rows": list(result.rows), "held": sorted(result.held)}


def _claim(app_state: AppState, asked: Asked) -> Any:
    # The time is the asker's, as it is for every statement: clocks that differ must not move a row's moment.
    claims = Claims(app_state.graph.store, asked["pipeline"], asked["worker"], ManualClock(asked["now"]))

    def answer(taken: list[Claim]) -> Any:
        return {"claims": [msgspec.structs.asdict(claim) for claim in taken], "held_back": claims.held_back}

    def work(kept: Callable[[Any], Step]) -> Any:
        return answer(
            claims.claim(
                asked["limit"], asked["states"], asked["max_depth"], lambda so_far: kept(answer(so_far)),
                suspects=asked["suspects"],
            )
        )  # fmt: skip

    return app_state.idempotency.once(asked["session"], asked["number"], asked["again"], work)


def _exchange(app_state: AppState, asked: Asked) -> Any:
    claims = Claims(app_state.graph.store, asked["pipeline"], asked["worker"], ManualClock(asked["now"]))
    steps = [Step(block, parameters) for block, parameters in asked["steps"]]
    check_steps(app_state, steps, owner=asked["owner"])

    def answer(taken: list[Claim], held: Collection[int]) -> Any:
        return {"claims": [msgspec.structs.asdict(claim) for claim in taken], "held": sorted(held)}

    def work(kept: Callable[[Any], Step]) -> Any:
        # What its process has in hand is not known here: a suspect is for a claim of its own, which says that.
        return answer(
            *claims.exchange_steps(
                steps, asked["limit"], asked["max_depth"], lambda *both: kept(answer(*both)), suspects=False
            )
        )

    return app_state.idempotency.once(asked["session"], asked["number"], asked["again"], work)


def _next_due(app_state: AppState, asked: Asked) -> Any:
    return app_state.graph.store.ready_cache(asked["pipeline"]).next_due(asked["now"], asked["states"])


def _forget(app_state: AppState, asked: Asked) -> Any:
    if asked["pipeline"] is None:
        app_state.graph.store.forget()
    else:
        app_state.graph.store.machine(asked["pipeline"])
        app_state.graph.store.ready_cache(asked["pipeline"]).invalidate()


_asking: dict[str, set[int]] = {}
_asking_lock = threading.Lock()


def _query(app_state: AppState, asked: Asked) -> Any:
    client, me = str(asked["client"]), threading.get_ident()
    with _asking_lock:
        _asking.setdefault(client, set()).add(me)
    try:
        return _table(
            app_state.graph.query(
                asked["text"],
                asked["parameters"],
                max_rows=asked["max_rows"],
                timeout_seconds=asked["timeout_seconds"],
                isolated=True,
            )
        )
    finally:
        with _asking_lock:
            _asking[client].discard(me)
            if not _asking[client]:
                del _asking[client]


def _interrupt(app_state: AppState, asked: Asked) -> Any:
    """Again and again for a moment: a query that is only about to begin does not hear the first time."""
    client, end = str(asked["client"]), time.monotonic() + _INTERRUPT_SECONDS
    with _asking_lock:
        threads = set(_asking.get(client, ()))
    while threads and time.monotonic() < end:
        for thread in threads:
            app_state.graph.engine.interrupt(thread)  # type: ignore[call-arg]  # embedded, as `about` has checked
        time.sleep(0.02)
        with _asking_lock:
            threads &= _asking.get(client, set())


def _execute(app_state: AppState, asked: Asked) -> Any:
    # What the words then mean for the numbers is seen to by whoever asked, as it is where the store is its own.
    app_state.check_files(asked["text"])
    result = app_state.graph.engine.execute([asked["text"]], parameters=asked["parameters"] or None)
    app_state.graph.store.forget()
    return _table(result)


def _table(result: QueryResult) -> Any:
    return {"columns": result.columns, "rows": result.rows, "truncated": result.truncated}


def _tables(app_state: AppState, asked: Asked) -> Any:
    return [
        {"name": table.name, "kind": table.kind, "properties": [list(one) for one in table.properties]}
        for table in app_state.graph.tables()
    ]


def _dispatch(app_state: AppState, asked: Asked) -> Any:
    """A request that is one call."""
    return msgspec.to_builtins(app_state.run(_request(app_state, asked)), builtin_types=(datetime,))


def _start_job(app_state: AppState, asked: Asked) -> Any:
    # Not kept: whoever asks finds out when the daemon was restarted, and gives it again.
    return app_state.jobs.start(_request(app_state, asked), keep=False).id


def _request(app_state: AppState, asked: Asked) -> TypedRequest[Any]:
    kind = find_request(str(asked["verb"]))
    if kind is None:
        raise GraphvineError(f"the daemon has no verb {asked['verb']!r}")
    request = kind.of(asked["fields"])
    check_request(app_state, request, owner=asked["owner"])
    return request


def _watch_job(app_state: AppState, asked: Asked) -> Any:
    job = app_state.jobs.get(asked["id"])
    # The state first: what happens between the two looks is seen by the next.
    state, result, error = job.state, job.result, job.error
    events = job.after(asked["after"], min(float(asked["seconds"]), 30.0))
    # Such as by the end of the daemon: whoever asked is to give it to the next one.
    cut = state in ("stopped", "failed") and job.cut_short and app_state.supervisor is not None
    return {"state": state, "events": events, "error": error, "result": result, "cut": cut}


def _stop_job(app_state: AppState, asked: Asked) -> Any:
    app_state.jobs.end(asked["id"])


OPS: dict[str, Answer] = {
    "about": _about, "read": _read, "unit": _unit, "claim": _claim, "exchange": _exchange,
    "next_due": _next_due, "forget": _forget, "query": _query, "interrupt": _interrupt, "execute": _execute,
    "tables": _tables,
    "dispatch": _dispatch, "start_job": _start_job, "watch_job": _watch_job, "stop_job": _stop_job,
}  # fmt: skip
