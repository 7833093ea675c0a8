"""`graphvine doctor`: checks counts, keys, states and guard columns of the whole graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.clock import NEVER
from graphvine.index_sync import index_folder
from graphvine.records import Finding
from graphvine.search import OtherVersion, RebuildNeeded, SearchPartsMissing, open_index

if TYPE_CHECKING:
    from graphvine.graph import Graph

_ROWS_AT_ONCE = 50_000


def examine(graph: Graph, progress: Callable[[str], None] | None = None) -> list[Finding]:
    findings = []
    for finding in _all(graph):
        findings.append(finding)
        if progress is not None:
            progress(finding.check)
    return findings


def _all(graph: Graph) -> Iterator[Finding]:
    mended = getattr(graph.engine, "recovered", "")
    yield Finding("opening", True, mended or "the store opened without mending")
    for table in graph.tables():
        shape = f"(n:{table.name})" if table.kind == "NODE" else f"()-[n:{table.name}]->()"
        count = graph.engine.query(f"MATCH {shape} RETURN count(*)", {}, max_rows=1, timeout_seconds=None).rows[0][0]
        yield Finding(f"count {table.name}", True, f"{count} {'rows' if table.kind == 'NODE' else 'relationships'}")
        if table.kind == "NODE" and graph.engine.capabilities.single_owner:
            yield _keys(graph, table.name, table.properties[0][0], count)
    for pipeline in graph.library.machines:
        yield _states(graph, pipeline)
        yield _numbers(graph, pipeline)
        yield from _search(graph, pipeline)


def _keys(graph: Graph, table: str, key: str, count: int) -> Finding:
    """Every key that a scan sees must be found by the index too, and lead to the same row."""
    lost: list[str] = []
    seen = 0
    # Rows that were deleted leave gaps: the last stand further back than the count says.
    last = graph.engine.query(f"MATCH (n:{table}) RETURN max(offset(id(n)))", {}, max_rows=1, timeout_seconds=None)
    for start in range(0, (last.rows[0][0] or 0) + 1 if count else 0, _ROWS_AT_ONCE):
        page = f"MATCH (n:{table}) WHERE offset(id(n)) >= {start} AND offset(id(n)) < {start + _ROWS_AT_ONCE}"
        scanned = graph.engine.query(f"{page} RETURN n.{key}, offset(id(n))", {}, max_rows=None, timeout_seconds=None)
        wanted = {row[0]: row[1] for row in scanned.rows}
        seen += len(wanted)
        lost += _not_found(graph, table, key, wanted)
    if lost:
        shown = ", ".join(map(repr, lost[:5]))
        return Finding(f"keys {table}", False, f"{len(lost)} keys are not found by the index: {shown}", _RESTORE)
    return Finding(f"keys {table}", True, f"{seen} keys found by their index")


def _not_found(graph: Graph, table: str, key: str, wanted: dict[str, int]) -> list[str]:
    # A single look-up by key goes through the index; a join over a list of keys would not.
    text = f"MATCH (n:{table} {{{key}: $key}}) RETURN offset(id(n))"
    return [name for name, offset in wanted.items() if graph.engine.look_up(text, name) != [[offset]]]  # type: ignore[attr-defined]


_RESTORE = "restore the newest backup with 'graphvine restore'"


def _states(graph: Graph, pipeline: str) -> Finding:
    known = {state.name for state in graph.library.machines[pipeline].states}
    odd = {row["state"]: row["count"] for row in graph.read(f"{pipeline}.counts") if row["state"] not in known}
    if odd:
        advice = f"set them to one of {', '.join(sorted(known))} with 'graphvine console --write'"
        return Finding(f"states {pipeline}", False, f"rows in no declared state: {odd}", advice)
    return Finding(f"states {pipeline}", True, "every row is in a declared state")


def _search(graph: Graph, pipeline: str) -> Iterator[Finding]:
    """The index beside an embedded graph may be behind (it catches up), but not ahead, and never hold other rows."""
    if not graph.engine.capabilities.single_owner:
        return
    # Articles have an index for each generation of vectors.
    for folder in sorted(index_folder(graph.engine.where).glob(f"{pipeline}*")):
        if folder.name == pipeline or folder.name.startswith(f"{pipeline}-"):
            yield from _index(graph, pipeline, folder)


def _index(graph: Graph, pipeline: str, folder: Path) -> Iterator[Finding]:
    check, advice = f"search {folder.name}", "rebuild it with 'graphvine reindex'"
    # News and pages know where their index should stand, not how many rows it should hold.
    counted = "searchable" in graph.library.entities[pipeline].blocks
    [wanted] = graph.read(f"{pipeline}.searchable") if counted else graph.read(f"{pipeline}.newest_change", after=0)
    ours = graph.open_indexes.get(folder.name)
    try:
        with nullcontext(ours.index) if ours is not None else open_index(folder, background=False) as index:
            stamp, count = index.stamp, index.count()
    except OtherVersion:
        yield Finding(check, True, "another version wrote it: the next search rebuilds it")
        return
    except (RebuildNeeded, SearchPartsMissing) as error:
        yield Finding(check, False, str(error), advice)
        return
    last = wanted["seq"] or 0
    rows = wanted["count"] if counted else count
    if stamp > last or (stamp == wanted["seq"] and count != rows):
        has = f"the graph {rows}" if counted else f"the graph ends at {last}"
        yield Finding(check, False, f"it holds {count} rows up to {stamp}, {has}", advice)
    elif stamp < last:
        yield Finding(check, True, "it is behind the graph, and catches up with the next search")
    else:
        yield Finding(check, True, f"{count} rows, in step with the graph")


def _numbers(graph: Graph, pipeline: str) -> Finding:
    rows = graph.read(f"{pipeline}.misaligned", never=NEVER, limit=5)
    if rows:
        shown = ", ".join(f"{row['key']!r} ({row['state']})" for row in rows)
        return Finding(
            f"numbers {pipeline}",
            False,
            f"numbers disagree with words: {shown}",
            "open the graph again: it aligns them",
        )
    return Finding(f"numbers {pipeline}", True, "numbers say what the words say")
