"""What people do to a queue by hand: seed, look at what failed, requeue, exclude."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from graphvine.clock import NEVER, moment
from graphvine.door import Door
from graphvine.errors import GraphvineError
from graphvine.records import FailedRow, Failure, Row, Step, Unit
from graphvine.window import spans

T = TypeVar("T")
# A merge by key costs a pass over the table whatever its size, so the parts are large.
_ROWS_AT_ONCE = 10_000


class BadKey(GraphvineError):
    """A key that can't name a row."""


def seed(door: Door, pipeline: str, keys: Iterable[str]) -> int:
    key = door.machine(pipeline).key
    new = 0
    for part in _parts(_checked(_numbers(door, pipeline, keys), key), _ROWS_AT_ONCE):
        rows = [{key: value, "seq": 0} for value in dict.fromkeys(part)]
        result = door.run(Unit.of([Step(f"{pipeline}.seed", {"rows": rows, "now": door.clock.now_ms()})]))
        new += sum(row["created"] for row in result.rows[0])
    return new


def failed(door: Door, pipeline: str, keys: Iterable[str] | None, contains: str, limit: int) -> list[FailedRow]:
    door.machine(pipeline)
    wanted = None if keys is None else list(dict.fromkeys(_numbers(door, pipeline, keys)))
    if wanted is None:
        rows = door.read(f"{pipeline}.failed", contains=contains, limit=limit)
    else:
        rows = door.read(f"{pipeline}.failed_named", keys=wanted) if wanted else []
    return [
        FailedRow(
            row["key"],
            row["state"],
            row["reason"],
            row["retry_count"],
            row["failed_at"],
            _failures(door, pipeline, row),
        )
        for row in rows
    ]


def requeue(door: Door, pipeline: str, keys: Iterable[str] | None, contains: str | None, everything: bool) -> int:
    door.machine(pipeline)
    if keys is not None:
        found = _named(door, pipeline, keys)
        return _move(door, f"{pipeline}.requeue", [row["seq"] for row in found], {"now": door.clock.now_ms()})
    if contains is None and not everything:
        raise GraphvineError("say what to requeue: keys, a part of the title or error, or everything")
    moved = 0
    while rows := door.read(f"{pipeline}.failed", contains=contains or "", limit=_ROWS_AT_ONCE):
        step = _move(door, f"{pipeline}.requeue", [row["seq"] for row in rows], {"now": door.clock.now_ms()})
        moved += step
        if not step:
            break
    return moved


def exclude(door: Door, pipeline: str, keys: Iterable[str]) -> int:
    door.machine(pipeline)
    found = _named(door, pipeline, keys)
    given = {"at": moment(door.clock.now_ms()), "never": NEVER}
    moved = _move(door, f"{pipeline}.exclude", [row["seq"] for row in found], given)
    door.window(pipeline).drop()
    return moved


def _failures(door: Door, pipeline: str, row: Row) -> list[Failure]:
    return [Failure(**found) for found in door.read(f"{pipeline}.failures", key=row["key"])]


def _named(door: Door, pipeline: str, keys: Iterable[str]) -> list[Row]:
    wanted = list(dict.fromkeys(_numbers(door, pipeline, keys)))
    found = [row for part in _parts(wanted, _ROWS_AT_ONCE) for row in door.read(f"{pipeline}.named", keys=part)]
    missing = set(wanted) - {row["key"] for row in found}
    if missing:
        raise BadKey(f"not in the graph: {', '.join(sorted(map(repr, missing))[:5])}")
    return found


def _move(door: Door, block: str, seqs: list[int], given: dict[str, object]) -> int:
    if not seqs:
        return 0
    result = door.run(Unit.of([Step(block, {**span, **given}) for span in spans(seqs)]))
    return sum(len(rows) for rows in result.rows)


def _checked(keys: Iterable[object], name: str) -> Iterator[str]:
    for index, key in enumerate(keys):
        if not isinstance(key, str) or not key.strip():
            raise BadKey(f"item {index}: {name} must be a text that is not empty, not {key!r}")
        if len(key) > 2_000:
            raise BadKey(f"item {index}: {name} has {len(key)} characters, 2000 at most")
        if any("\ud800" <= character <= "\udfff" or character == "\0" for character in key):
            raise BadKey(f"item {index}: {name} {key!r} has characters that are not text")
        yield key


def _numbers(door: Door, pipeline: str, keys: Iterable[str]) -> Iterator[str]:
    """Keys as they are; where the key is a number, only what reads as one."""
    from graphvine.schema.tables import tables

    machine = door.machine(pipeline)
    number = tables()[machine.label].columns[machine.key].startswith("INT")
    for key in keys:
        if number and not (str(key).isascii() and str(key).isdigit() and len(str(key)) <= 18):
            raise BadKey(f"{machine.key} of {pipeline} is a whole number, not {key!r}")
        yield str(int(key)) if number else key


def _parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    part: list[T] = []
    for item in items:
        part.append(item)
        if len(part) >= size:
            yield part
            part = []
    if part:
        yield part
