"""Runs a write unit, the same on every engine: guards first, the rest for the claims that they still found."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

import msgspec

from graphvine.errors import GraphvineError
from graphvine.queries import Block, Library
from graphvine.records import Row, Step, Unit, UnitResult
from graphvine.table import Table, column


class BadText(GraphvineError):
    """Text that can't be stored."""


Run = Callable[[Block, Mapping[str, Any]], list[Row]]
Number = Callable[[Block, int], range]


def rows_in(unit: Unit) -> int:
    """About how many rows a unit writes."""
    values = (value for step in unit.steps for value in step.parameters.values())
    return sum(len(value) for value in values if isinstance(value, list | Table))


def log_bytes(unit: Unit) -> int:
    """How much a unit may add to an embedded engine's log, at most: 700 bytes a row were measured, beside its texts."""
    return 2 * sum(_weight(step.parameters) for step in unit.steps) + 1_000 * (1 + rows_in(unit))


def _weight(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_weight, value.values()))
    if isinstance(value, Table):
        return sum(map(_weight, value.columns.values()))
    if isinstance(value, list | tuple):
        return sum(map(_weight, value))
    size = getattr(value, "nbytes", 8)
    return size if isinstance(size, int) else 8


def check(unit: Unit, library: Library) -> None:
    """Everything that can be known before the transaction begins; a write has no reason to fail after it."""
    for step in unit.steps:
        block = library.block(step.block)
        block.check(step.parameters)
        check_texts(step.parameters, block.full_name)


def check_texts(value: Any, where: str) -> None:
    """Refuse text that no engine can store (a lone surrogate), while it still costs nothing."""
    if _is_text(value):
        return  # the usual case, without building the names of places
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise BadText(
                f"{where}: {value[:60]!r} holds half of a character (a lone surrogate): it is not text"
            ) from None
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            check_texts(inner, f"{where}, {name}")
    elif isinstance(value, list | tuple | Table) and value and not isinstance(value[0], int | float):
        for index, inner in enumerate(value):
            check_texts(inner, f"{where}[{index}]")


# It writes text as UTF-8 and refuses what that can't carry, in a quarter of the time of a look at each value.
_ENCODE = msgspec.msgpack.Encoder().encode
_AT_ONCE = 1_000


def _is_text(value: Any) -> bool:
    """Whether all text in it is sound; False also for what this quick look does not know."""
    kind = type(value)
    if kind is dict:
        return all(map(_is_text, value.values()))
    try:
        if kind is Table:
            for values in value.columns.values():
                for start in range(0, len(values), _AT_ONCE):
                    _ENCODE(values[start : start + _AT_ONCE])
        elif kind is not list:
            _ENCODE(value)
        elif value and type(value[0]) not in (int, float):
            for inner in value:  # one by one: a copy of a long list of rows would take as much memory as they do
                _ENCODE(inner)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False
    return True


def join(steps: Iterable[Step], library: Library) -> list[Step]:
    """Steps of one block as one step with all their rows: a statement costs about the same for one row as for many.

    Those that can't be one stand together too, in the order in which their blocks first came: what one claim's steps
    find may be what its own earlier ones made, and must not move in front of them.
    """
    joined: dict[Any, dict[str, Any]] = {}
    for step in steps:
        block = library.block(step.block)
        batch = block.batch
        bounds = (batch.lo, batch.hi) if batch is not None else ()
        rest = {
            name: value for name, value in step.parameters.items() if name not in (block.unwound, "tokens", *bounds)
        }
        key = (step.block, repr(sorted(rest.items()))) if block.unwound else (step.block, len(joined))
        known = joined.get(key)
        if known is None:
            rows = {block.unwound: list(step.parameters[block.unwound])} if block.unwound else {}
            joined[key] = dict(step.parameters) | rows
            continue
        known[block.unwound] += step.parameters[block.unwound]
        if "tokens" in known:
            known["tokens"] = sorted({*known["tokens"], *step.parameters["tokens"]})
        if batch is not None:
            known[batch.lo] = min(known[batch.lo], step.parameters[batch.lo])
            known[batch.hi] = max(known[batch.hi], step.parameters[batch.hi])
    places: dict[str, int] = {}
    for block_name, _ in joined:
        places.setdefault(block_name, len(places))
    ordered = sorted(joined.items(), key=lambda item: places[item[0][0]])
    return [Step(key[0], parameters) for key, parameters in ordered]


def carry_out(unit: Unit, library: Library, run: Run, number: Number) -> UnitResult:
    """Run the steps in order, inside a transaction that the caller has open."""
    running = Running(unit, library, number)
    while running.asks is not None:
        running.answer(run(*running.asks))
    return running.result


class Running:
    """A unit on its way: `asks` is the statement that comes next, until there is none and the `result` is there."""

    def __init__(self, unit: Unit, library: Library, number: Number) -> None:
        self._steps = _carrying_out(unit, library, number)
        self.asks: tuple[Block, Mapping[str, Any]] | None = None
        self.result = UnitResult((), frozenset())
        self._go_on(None)

    def answer(self, rows: list[Row]) -> None:
        """What the statement returned."""
        self._go_on(rows)

    def _go_on(self, rows: list[Row] | None) -> None:
        try:
            self.asks = next(self._steps) if rows is None else self._steps.send(rows)
        except StopIteration as end:
            self.asks, self.result = None, end.value


def _carrying_out(
    unit: Unit, library: Library, number: Number
) -> Generator[tuple[Block, Mapping[str, Any]], list[Row], UnitResult]:
    held: set[int] = set()
    answers: list[list[Row]] = []
    for step in unit.steps:
        block = library.block(step.block)
        for_nobody = unit.if_held and not held and not block.guard
        parameters = None if for_nobody else _narrowed(block, step.parameters, held)
        if parameters is None:
            answers.append([])
            continue
        rows = yield block, _numbered(block, parameters, number)
        if block.guard:
            held.update(row["seq"] for row in rows)
        answers.append(rows)
    return UnitResult(tuple(answers), frozenset(held))


def _narrowed(block: Block, parameters: Mapping[str, Any], held: set[int]) -> Mapping[str, Any] | None:
    """The parameters for the claims that are held; None when nothing is left to do."""
    narrowed = dict(parameters)
    for slot in block.held:
        value = parameters[slot.parameter]
        if slot.field is not None:
            # An element that belongs to no claim (claim 0) can't be lost.
            if any(column(value, slot.field)):
                value = [row for row in value if row[slot.field] == 0 or row[slot.field] in held]
        elif isinstance(value, list):
            value = [seq for seq in value if seq in held]
        elif value not in held:
            return None
        narrowed[slot.parameter] = value
    # The engines can't tell the type of an empty list, and there is nothing to do for one.
    if narrowed.get(block.unwound) == [] or any(narrowed[by.parameter] == [] for by in block.by):
        return None
    return narrowed


def _numbered(block: Block, parameters: Mapping[str, Any], number: Number) -> Mapping[str, Any]:
    if not block.number:
        return parameters
    filled = dict(parameters)
    for slot in block.number:
        rows = filled[slot.parameter]
        fresh = number(block, len(rows))
        if isinstance(rows, Table) and slot.field is not None:
            filled[slot.parameter] = rows.having(slot.field, list(fresh))
            continue
        filled[slot.parameter] = [{**row, slot.field: seq} for row, seq in zip(rows, fresh, strict=True)]
    return filled
