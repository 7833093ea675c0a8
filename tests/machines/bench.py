"""A bench on which a block meets rows in every state: made by hand, brought in line, held where that can be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from graphvine.graph import Graph
from graphvine.queries import Block, Machine
from graphvine.records import Row, Step, Unit, UnitResult
from tests.support.parameters import NOW, Builder, Situation, batch_of

TOKEN = 1 << 60
OTHER_TOKEN = TOKEN + 1


@dataclass(frozen=True)
class Stand:
    """A state, and whether a worker holds the row."""

    state: str
    held: bool

    def __str__(self) -> str:
        return f"{self.state} ({'held' if self.held else 'free'})"


class Bench:
    def __init__(self, graph: Graph, machine: Machine) -> None:
        assert graph.clock.now_ms() == NOW
        self.graph, self.machine = graph, machine
        columns = next(table.properties for table in graph.tables() if table.name == machine.label)
        self._columns = dict(columns)
        self._builder = Builder(machine, self._columns)
        self._numbers = count(1)
        # Rows are made many at a time: a statement typed by hand makes every prepared one stale.
        self._stock: dict[str, list[Any]] = {}

    def stands(self) -> list[Stand]:
        free = [Stand(state.name, False) for state in self.machine.states if not state.claimed]
        return free + [Stand(state, True) for state in sorted(self._claims())]

    def row(self, stand: Stand) -> Situation:
        """A new row that stands so, its numbers in line with its word."""
        if not stand.held:
            key = self._fresh(stand.state)
            return Situation(key, self.look(key)["seq"], OTHER_TOKEN)
        source, block = self._claims()[stand.state]
        row = replace(self.row(Stand(source, False)), token=TOKEN)
        taken = self.run(block, row)
        assert taken.rows == ([{"seq": row.seq}],), f"{block.full_name} took {taken.rows}"
        return row

    def run(self, block: Block, row: Situation) -> UnitResult:
        steps = [Step(block.full_name, self._builder.build(block, row))]
        if any(slot.field is None for slot in block.held):  # it is for held claims alone, which a guard must name
            steps.insert(0, self._guard(row))
        done = self.graph.run(Unit.of(steps))
        return UnitResult(done.rows[-1:], done.held)

    def look(self, key: Any) -> Row:
        """Every column of a row."""
        shown = ", ".join(f"n.{column} AS {column}" for column in self._columns)
        found = self.graph.query(
            f"MATCH (n:{self.machine.label}) WHERE n.{self.machine.key} = $key RETURN {shown}", {"key": key}
        ).as_dicts()
        assert len(found) == 1, f"{len(found)} rows for {key!r}"
        return found[0]

    def claimed_by_nobody(self) -> None:
        """Have a row with the number 0: the claim that elements made for the bench belong to."""
        label, key = self.machine.label, self.machine.key
        if not self.graph.query(f"MATCH (n:{label}) WHERE n.seq = 0 RETURN n.seq").rows:
            initial = f"{key}: {self.new_key()!r}, {self.machine.column}: '{self.machine.initial.name}', seq: 0"
            self.graph.execute(f"CREATE (:{label} {{{initial}}})")

    def count(self) -> int:
        rows = self.graph.query(f"MATCH (n:{self.machine.label}) RETURN count(*)").rows
        return int(rows[0][0])

    def new_key(self) -> Any:
        number = next(self._numbers)
        return number if self._columns[self.machine.key].startswith("INT") else f"row {number}"

    def _claims(self) -> dict[str, tuple[str, Block]]:
        """Which states a claim leads to, from where, by which block."""
        return {
            move.target: (source, block)
            for (role, source), block in self.machine.roles.items()
            if role == "claim" and source is not None
            for move in block.moves
            if source in move.sources
        }

    def _fresh(self, state: str) -> Any:
        if not self._stock.get(state):
            keys = [self.new_key() for _ in range(40)]
            label, key, column = self.machine.label, self.machine.key, self.machine.column
            batch = ", batch_seq: made.batch" if "batch_seq" in self._columns else ""
            listed = ", ".join(f"{{key: {made!r}, batch: {batch_of(made)}}}" for made in keys)
            self.graph.execute(
                f"UNWIND [{listed}] AS made CREATE (:{label} {{{key}: made.key, {column}: '{state}'{batch}}})"
            )
            self._stock[state] = keys
        return self._stock[state].pop()

    def _guard(self, row: Situation) -> Step:
        block = self.graph.library.entities[self.machine.entity].blocks["heartbeat"]
        return Step(block.full_name, self._builder.build(block, row))
