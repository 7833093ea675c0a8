"""Queue administration by people: seed, list failures, requeue, exclude, prioritise, release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from graphvine.clock import FIRST, NEVER, moment
from graphvine.core_requests import FailedRequest
from graphvine.errors import GraphvineError
from graphvine.ready_cache import spans
from graphvine.records import FailedRow, Failure, Row, Step, Unit
from graphvine.store import Store

if TYPE_CHECKING:
    from graphvine.graph import Graph

T = TypeVar("T")
# A merge by key costs a pass over the table whatever its size, so the parts are large.
_ROWS_AT_ONCE = 10_000
# Rows that a pipeline makes by itself may have longer keys than those that people seed.
_LONGEST_KEY = 100_000


class BadKey(GraphvineError):
    """A key that can't name a row."""


def seed(graph: Graph, pipeline: str, keys: Sequence[str]) -> int:
    store = graph.store
    key = store.machine(pipeline).key
    values = dict.fromkeys(_checked(_numbers(store, pipeline, keys), key))
    if not values:
        return 0
    rows = [{key: value, "seq": 0} for value in values]
    result = store.run(Unit.of([Step(f"{pipeline}.seed", {"rows": rows, "now": store.clock.now_ms()})]))
    return sum(row["created"] for row in result.rows[0])


def failed(graph: Graph, request: FailedRequest) -> dict[str, list[FailedRow]]:
    pipelines = list(graph.library.machines) if request.pipeline is None else [request.pipeline]
    return {pipeline: _failed(graph.store, pipeline, request) for pipeline in pipelines}


def _failed(store: Store, pipeline: str, request: FailedRequest) -> list[FailedRow]:
    state = "skipped" if request.skipped else "failed"
    if not _has(store, pipeline, state):
        return []
    wanted = None if request.keys is None else _wanted(store, pipeline, request.keys)
    if wanted is None:
        rows = store.read(f"{pipeline}.{state}", contains=request.contains, limit=request.limit)
    else:
        rows = store.read(f"{pipeline}.{state}_named", keys=wanted) if wanted else []
    found = [
        FailedRow(
            row["key"],
            row["state"],
            row["reason"],
            row["retry_count"],
            row["failed_at"],
            _failures(store, pipeline, row),
        )
        for row in rows
    ]
    if wanted is None and not request.skipped:
        found += rejected(store, pipeline, request.contains, max(0, request.limit - len(found)))
    return found


def rejected(store: Store, pipeline: str, contains: str, limit: int) -> list[FailedRow]:
    """What came without a usable key is no row, and is listed all the same."""
    if "rejected" not in store.engine.library.entities[pipeline].blocks:
        return []
    rows = store.read(f"{pipeline}.rejected", limit=limit)
    return [FailedRow("", "rejected", row["message"], 0, row["at"], []) for row in rows if contains in row["message"]]


def requeue(
    graph: Graph, pipeline: str, keys: Sequence[str] | None, contains: str | None, everything: bool,
    skipped: bool = False,
) -> int:  # fmt: skip
    """By keys whatever failed or was skipped; otherwise what failed, or with `skipped` what was skipped."""
    store = graph.store
    state = "skipped" if skipped else "failed"
    if not _has(store, pipeline, state):
        return 0
    if keys is not None:
        found = _named(store, pipeline, keys)
        return _move(store, f"{pipeline}.requeue", [row["seq"] for row in found], {"now": store.clock.now_ms()})
    moved = 0
    while rows := store.read(f"{pipeline}.{state}", contains=contains or "", limit=_ROWS_AT_ONCE):
        step = _move(store, f"{pipeline}.requeue", [row["seq"] for row in rows], {"now": store.clock.now_ms()})
        moved += step
        if not step:
            break
    return moved


def exclude(graph: Graph, pipeline: str, keys: Sequence[str]) -> int:
    store = graph.store
    store.machine(pipeline)
    found = _named(store, pipeline, keys)
    given = {"at": moment(store.clock.now_ms()), "never": NEVER}
    parts = list(spans([row["seq"] for row in found]))
    steps = [Step(f"{pipeline}.exclude", {**span, **given}) for span in parts]
    if "stamp_excluded" in store.engine.library.entities[pipeline].blocks:
        # What a search index holds of them is to leave it.
        for span in parts:
            rows = [{"seq": seq, "stamp": 0} for seq in span["seqs"]]
            steps.append(Step(f"{pipeline}.stamp_excluded", {"rows": rows, "lo": span["lo"], "hi": span["hi"]}))
    moved = sum(len(rows) for rows in store.run(Unit.of(steps)).rows[: len(parts)]) if parts else 0
    store.ready_cache(pipeline).invalidate()
    return moved


def prioritise(graph: Graph, pipeline: str, keys: Sequence[str]) -> int:
    """What waits, or backs off, is claimed next; once: a row that comes back stands where it stood."""
    store = graph.store
    found = _named(store, pipeline, keys)
    given: dict[str, object] = {"now": store.clock.now_ms(), "never": NEVER, "first": FIRST}
    if "drop_marks" in store.library.entities[pipeline].blocks:
        store.run(Unit.of([Step(f"{pipeline}.drop_marks", {})]))
    return _move(store, f"{pipeline}.prioritise", [row["seq"] for row in found], given)


def release(graph: Graph, pipeline: str, keys: Sequence[str]) -> int:
    """The rows go back as when a worker stops, under the claims that hold them now.

    The worker that held one is told at its next heartbeat, and what it writes afterwards is refused (ClaimLost).
    """
    store = graph.store
    machine, due = store.machine(pipeline), store.clock.now_ms()
    wanted = [row["key"] for row in _named(store, pipeline, keys)]
    held: dict[tuple[str, int], list[int]] = {}
    for part in _parts(wanted, _ROWS_AT_ONCE):
        for row in store.read(f"{pipeline}.holders", keys=part):
            held.setdefault((row["state"], row["token"]), []).append(row["seq"])
    steps = []
    for (state, token), seqs in sorted(held.items()):
        if (block := machine.by_role("release", state)) is not None:
            steps += [Step(block.full_name, {**span, "token": token, "due": due}) for span in spans(seqs)]
    return sum(len(rows) for rows in store.run(Unit.of(steps)).rows) if steps else 0


def pause(graph: Graph, pipeline: str, reason: str) -> None:
    graph.store.pause(pipeline, reason)


def resume(graph: Graph, pipeline: str) -> None:
    graph.store.resume(pipeline)


def _has(store: Store, pipeline: str, state: str) -> bool:
    """Whether rows of this pipeline can rest as failed, or as skipped: not every pipeline skips."""
    machine = store.machine(pipeline)
    return state == "failed" or machine.state(state) is not None


def _failures(store: Store, pipeline: str, row: Row) -> list[Failure]:
    # A key that is a number is given as one, so that an index finds it.
    key = int(row["key"]) if _has_number_key(store, pipeline) else row["key"]
    return [Failure(**found) for found in store.read(f"{pipeline}.failures", key=key)]


def _named(store: Store, pipeline: str, keys: Iterable[str]) -> list[Row]:
    wanted = _wanted(store, pipeline, keys)
    found = [row for part in _parts(wanted, _ROWS_AT_ONCE) for row in store.read(f"{pipeline}.named", keys=part)]
    missing = set(wanted) - {row["key"] for row in found}
    if missing:
        raise BadKey(f"not in the graph: {', '.join(sorted(map(repr, missing))[:5])}")
    return found


def _wanted(store: Store, pipeline: str, keys: Iterable[str]) -> list[str]:
    """Each of these keys once; refuses what is no key."""
    given = _checked(_numbers(store, pipeline, keys), store.machine(pipeline).key, _LONGEST_KEY)
    return list(dict.fromkeys(given))


def _move(store: Store, block: str, seqs: list[int], given: dict[str, object]) -> int:
    if not seqs:
        return 0
    result = store.run(Unit.of([Step(block, {**span, **given}) for span in spans(seqs)]))
    return sum(len(rows) for rows in result.rows)


def _checked(keys: Iterable[object], name: str, longest: int = 2_000) -> Iterator[str]:
    for index, key in enumerate(keys):
        if not isinstance(key, str) or not key.strip():
            raise BadKey(f"item {index}: {name} must be a text that is not empty, not {key!r}")
        if len(key) > longest:
            raise BadKey(f"item {index}: {name} has {len(key)} characters, {longest} at most")
        if any("\ud800" <= character <= "\udfff" or character == "\0" for character in key):
            raise BadKey(f"item {index}: {name} {key!r} has characters that are not text")
        yield key


def _numbers(store: Store, pipeline: str, keys: Iterable[str]) -> Iterator[str]:
    """Keys as they are; where the key is a number, only what reads as one."""
    number = _has_number_key(store, pipeline)
    for key in keys:
        if number and not (str(key).isascii() and str(key).isdigit() and len(str(key)) <= 18):
            raise BadKey(f"{store.machine(pipeline).key} of {pipeline} is a whole number, not {key!r}")
        yield str(int(key)) if number else key


def _has_number_key(store: Store, pipeline: str) -> bool:
    from graphvine.pipelines import tables

    machine = store.machine(pipeline)
    return tables(store.library)[machine.label].columns[machine.key].startswith("INT")


def _parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
