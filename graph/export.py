"""Export and load: a whole graph into a folder, and from it into any engine, compared row by row at the end."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.clock import moment
from graphvine.dispatch import Run
from graphvine.errors import StoreError
from graphvine.export_format import (
    Checksum,
    Moved,
    MovedTable,
    columns_of,
    read_list,
    read_table,
    sha256,
    write_list,
    write_table,
)
from graphvine.pipelines import tables
from graphvine.queries.compile import with_lists
from graphvine.schema.tables import Table
from graphvine.vectors import unpack

if TYPE_CHECKING:
    from graphvine.graph import Graph

# What an engine keeps of itself, or rebuilds when it is opened.
BOOKKEEPING = ("SchemaVersion", "Pipeline", "State", "TRANSITION", "Receipt")
_WHILE_LOADING = "a graph is being loaded; if that was cut, empty the graph and load it again"
Rows = Callable[[str], Iterator[list[Any]]]


def export(graph: Graph, target: str, run: Run[tuple[int, int]]) -> Moved:
    """Write the whole graph, as it is at one moment, into a new folder. It is there in full, or not at all."""
    place = Path(target)
    if place.exists():
        raise StoreError(f"{place} is there already: choose another name for the export")
    new = place.with_name(place.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(0o700, parents=True)
    moving = _tables(graph)
    progress = _Progress(run)
    with graph.engine.snapshot() as rows:
        progress.total = sum(next(rows(f"MATCH {_pattern(table)} RETURN count(*)"))[0] for table in moving)
        moved = [_export_table(graph, table, rows, new, progress) for table in moving]
    paused = {row["name"]: row["reason"] or "" for row in graph.read("graph.pipelines") if row["paused"]}
    at = moment(graph.clock.now_ms()).isoformat()
    made = Moved(graph.engine.name, at, moved, paused, _left_out(graph))
    write_list(new, made)
    new.rename(place)
    return made


def load(graph: Graph, source: str, run: Run[tuple[int, int]]) -> Moved:
    """Bring an export into an empty graph; raises unless what is there then is what was exported, row by row."""
    folder = Path(source)
    moved = read_list(folder)
    here = {table.name: table for table in _tables(graph)}
    coming = [(table, _checked(table, here, graph)) for table in moved.tables if table.rows or table.name in here]
    _must_be_empty(graph, list(here.values()))
    progress = _Progress(run)
    progress.total = 2 * moved.rows  # once to load, once to compare
    shared = not graph.engine.capabilities.single_owner
    if shared:
        # Workers of other processes must not begin on half a graph.
        for pipeline in graph.library.machines:
            graph.pause(pipeline, _WHILE_LOADING)
    for table, declared in sorted(coming, key=lambda pair: pair[1].kind == "REL"):  # both ends before what joins them
        if table.rows:
            lists = {name: kind for name, kind in declared.lists.items() if name in table.columns}
            parts = read_table(folder / table.file, lists, embedded=graph.engine.dialect == "kuzu")
            graph.engine.bulk_load(declared.name, parts, progress.within())
    _compare(graph, coming, progress)
    for pipeline in graph.library.machines:
        if pipeline in moved.paused:
            graph.pause(pipeline, moved.paused[pipeline])
        elif shared:
            graph.resume(pipeline)
    graph.store.forget()
    return moved


class _Progress:
    """Adds up what the parts report."""

    def __init__(self, run: Run[tuple[int, int]]) -> None:
        self._run, self.done, self.total = run, 0, 0

    def step(self, rows: int) -> None:
        self.done += rows
        self._run.publish((self.done, self.total))

    def within(self) -> Callable[[int], None]:
        """For a part that counts from 0 by itself."""
        before = self.done

        def report(loaded: int) -> None:
            self.step(before + loaded - self.done)

        return report


def _tables(graph: Graph) -> list[Table]:
    declared, known = tables(graph.library), graph.library.entities
    return [table for name, table in declared.items() if name not in BOOKKEEPING and table.entity in known]


def _pattern(table: Table) -> str:
    if table.kind == "NODE":
        return f"(n:{table.name})"
    return f"(a:{table.source})-[n:{table.name}]->(b:{table.target})"


def _read(graph: Graph, table: Table, columns: Sequence[str], rows: Rows) -> Iterator[list[Any]]:
    declared = tables(graph.library)
    ends = [f"a.{declared[table.source].key}", f"b.{declared[table.target].key}"] if table.kind == "REL" else []
    listed = {
        column: with_lists(f"as_list(n.{column}, {kind})", graph.engine.dialect) for column, kind in table.lists.items()
    }
    own = (column for column in columns if column not in ("from", "to") or not ends)
    values = [listed.get(column, f"n.`{column}`") for column in own]
    shown = ", ".join([*ends, *values])
    packed = [at for at, name in enumerate(columns) if table.lists.get(name) == "FLOAT[]"]
    for row in rows(f"MATCH {_pattern(table)} RETURN {shown}"):
        for at in packed:
            row[at] = unpack(row[at]) if isinstance(row[at], str) else row[at]
        yield row


def _columns(graph: Graph, table: Table) -> dict[str, str]:
    keys = {name: one.columns[one.key] for name, one in tables(graph.library).items() if one.key}
    return columns_of(table, keys)


def _export_table(graph: Graph, table: Table, rows: Rows, folder: Path, progress: _Progress) -> MovedTable:
    columns = _columns(graph, table)
    checksum = Checksum(list(columns.values()))

    def passing() -> Iterator[list[Any]]:
        for row in _read(graph, table, list(columns), rows):
            checksum.add(row)
            progress.step(1)
            yield row

    path = folder / f"{table.name}.parquet"
    write_table(path, columns, passing())
    return MovedTable(table.name, columns, checksum.rows, checksum.hex, path.name, sha256(path))


def _compare(graph: Graph, coming: list[tuple[MovedTable, Table]], progress: _Progress) -> None:
    wrong = []
    with graph.engine.snapshot() as rows:
        for table, declared in coming:
            checksum = Checksum(list(table.columns.values()))
            for row in _read(graph, declared, list(table.columns), rows):
                checksum.add(row)
                progress.step(1)
            if (checksum.rows, checksum.hex) != (table.rows, table.checksum):
                wrong.append(f"{table.name} ({checksum.rows} rows here, {table.rows} in the export)")
    if wrong:
        raise StoreError(f"what was loaded differs from the export: {', '.join(wrong)}; empty the graph and load again")


def _checked(table: MovedTable, here: dict[str, Table], graph: Graph) -> Table:
    if table.name not in here:
        raise StoreError(f"this Graphvine has no place for {table.name} ({table.rows} rows) on {graph.engine.name}")
    known = _columns(graph, here[table.name])
    strange = [name for name, kind in table.columns.items() if known.get(name) != kind]
    if strange:
        raise StoreError(f"{table.name} has columns that this Graphvine does not know: {', '.join(strange)}")
    return here[table.name]


def _must_be_empty(graph: Graph, moving: list[Table]) -> None:
    for table in moving:
        text = f"MATCH {_pattern(table)} RETURN count(*)"
        count = graph.engine.query(text, {}, max_rows=1, timeout_seconds=None).rows[0][0]
        if count:
            raise StoreError(f"{graph.where} holds {count} of {table.name} already: load into an empty graph")


def _left_out(graph: Graph) -> list[str]:
    """What people have added to the store that no schema file declares: other engines have no place for it."""
    declared = tables(graph.library)
    found = []
    for info in graph.tables():
        if info.name not in declared:
            found.append(info.name)
        else:
            found += [f"{info.name}.{name}" for name, _ in info.properties if name not in declared[info.name].columns]
    return found
