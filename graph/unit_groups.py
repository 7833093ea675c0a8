"""Several units in one transaction: like steps of them become one statement, and each unit is answered for itself.

The claims of eight workers are one statement over eight rows, their completions another. It costs little more than one
of one row. Each row is guarded by the token of its own unit, so a lost claim of one leaves the others alone; and a unit
gets back its own rows only, so that its later steps are narrowed by its own guards.

Only what stands in front of a unit is shared: the statements that move rows by their numbers and tokens. Units that
share one have no row in common, so it does not matter which of them comes first. Where a unit asks for anything else,
the rest of it is run by itself, in its turn.

Rows that are claimed together get one token, which is in their answers: a claim is known by its row and its token.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from graphvine.queries import Block, Library
from graphvine.ready_cache import spans
from graphvine.records import FIRST_TOKEN, Row, Unit, UnitResult
from graphvine.units import Number, Run, Running

# Longer lists of sums are looked through for every row between the bounds.
_MOST_ROWS = 256
# So many rows are as quickly found one by one, by key, as by their numbers; one more in a table so much larger.
_FEW, _ONE_MORE_PER = 2, 300_000
# Moments that lie so close together are one: the latest. Units of processes whose clocks differ more stay apart.
_ONE_MOMENT_MS = 100
_OWN = frozenset({"token", "worker", "now", "at"})


@dataclass(frozen=True, slots=True)
class _Like:
    """A step that can share a statement: of which block, for which rows, with which values."""

    unit: Running
    block: Block
    seqs: list[int]
    values: Mapping[str, Any]
    by_key: bool  # as it stands it finds its one row by key

    def fits(self, other: _Like) -> bool:
        """Whether it can be one statement with the other."""
        if self.block is not other.block:
            return False
        for name, value in self.values.items():
            if name not in _OWN and value != other.values[name]:
                return False
        apart = abs(self.values["now"] - other.values["now"]) if "now" in self.values else 0
        if "at" in self.values:
            apart = max(apart, abs(self.values["at"] - other.values["at"]) // timedelta(milliseconds=1))
        return bool(apart <= _ONE_MOMENT_MS)


class Sharing:
    """Which blocks of a library several units can share."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._shared: dict[str, Block | None] = {}

    def carry_out(self, units: Sequence[Unit], run: Run, run_shared: Run, number: Number) -> Iterator[UnitResult]:
        """The results of the units, in their order, each as soon as it is there."""
        running = [Running(unit, self._library, number) for unit in units]
        if len(running) > 1:
            self._share(running, run, run_shared)
        for one in running:
            while one.asks is not None:
                one.answer(run(*one.asks))
            yield one.result

    def _share(self, running: Sequence[Running], run: Run, run_shared: Run) -> None:
        """What stands in front of the units, as far as it can be shared."""
        owners: dict[tuple[str, int], Running] = {}
        while likes := [like for one in running if (like := self._like(one, owners)) is not None]:
            # What ends claims comes first: the claims behind it may then meet those of other units.
            first = next((like for like in likes if like.block.guard), likes[0])
            _run([like for like in likes if like.fits(first)], run, run_shared)
            running = [like.unit for like in likes]

    def _like(self, one: Running, owners: dict[tuple[str, int], Running]) -> _Like | None:
        """What the unit asks for next, if that can be shared; None from where on it goes by itself."""
        if one.asks is None:
            return None
        asked, parameters = one.asks
        block = self._block(asked)
        if block is None or block.batch is None or parameters["token"] < FIRST_TOKEN:
            return None
        by_key, batch = asked is not block, block.batch
        seqs = [parameters["seq"]] if by_key else parameters[batch.parameter]
        if len(seqs) > _MOST_ROWS or any(owners.setdefault((block.entity, seq), one) is not one for seq in seqs):
            return None
        spanned = (batch.parameter, batch.lo, batch.hi)
        values = {name: parameters[name] for name in block.parameters if name not in spanned}
        return _Like(one, block, seqs, values, by_key)

    def _block(self, asked: Block) -> Block | None:
        """The block over row numbers that does what this one does, if it can be shared."""
        if asked.full_name not in self._shared:
            block: Block | None = asked
            if asked.role.endswith("_one"):
                machine, role = self._library.machines[asked.entity], asked.role.removesuffix("_one")
                meant = {machine.by_role(role, source) for move in asked.moves for source in move.sources}
                block = meant.pop() if len(meant) == 1 else None
            can_be = block is not None and self._library.statement(block).shared
            self._shared[asked.full_name] = block if can_be else None
        return self._shared[asked.full_name]


def _run(likes: Sequence[_Like], run: Run, run_shared: Run) -> None:
    """One statement for these steps, or as few as their rows are close together."""
    together: list[_Like] = []
    for like in likes:
        if together and sum(len(one.seqs) for one in together) + len(like.seqs) > _MOST_ROWS:
            break  # the next round takes the rest
        together.append(like)
    owner = {seq: like for like in together for seq in like.seqs}
    answers: dict[int, list[Row]] = {id(like): [] for like in together}
    for span in spans(list(owner)):
        here = list({id(owner[seq]): owner[seq] for seq in span["seqs"]}.values())
        few = len(span["seqs"]) <= _FEW + span["hi"] // _ONE_MORE_PER and all(like.by_key for like in here)
        if few or len(together) == 1:
            for like in here:
                assert like.unit.asks is not None
                answers[id(like)] = run(*like.unit.asks)
            if len(together) == 1:
                break
            continue
        for row in _shared(span, here, owner, run_shared):
            answers[id(owner[row["seq"]])].append(row)
    for like in together:
        like.unit.answer(answers[id(like)])


def _shared(span: Row, likes: Sequence[_Like], owner: Mapping[int, _Like], run_shared: Run) -> list[Row]:
    block, given = likes[0].block, dict(likes[0].values)
    assert block.batch is not None, "only batches are shared"
    given |= {block.batch.parameter: span["seqs"], block.batch.lo: span["lo"], block.batch.hi: span["hi"]}
    given |= {name: max(like.values[name] for like in likes) for name in ("now", "at") if name in given}
    if block.guard:
        del given["token"]
        given["sums"] = [owner[seq].values["token"] + seq for seq in span["seqs"]]
    if len({like.values.get("worker") for like in likes}) > 1:
        del given["worker"]
        given["workers"] = [owner[seq].values["worker"] for seq in span["seqs"]]
    rows = run_shared(block, given)
    return rows if block.guard else [{**row, "token": given["token"]} for row in rows]
