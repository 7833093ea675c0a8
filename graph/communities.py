"""Communities of a large graph: which rows of a kind belong together by their relationships, and what joins the groups.

The engine's own way to them (a projected graph) needs the one write transaction that the workers write through. So the
pairs are read in one pass, and a process of its own runs Louvain over them, in memory: communities_child.py.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from graphvine.errors import GraphvineError
from graphvine.pipelines import tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphvine.graph import Graph
    from graphvine.queries.model import Machine
    from graphvine.schema.tables import Table

MOST_NODES, MOST_EDGES = 1_000_000, 4_000_000
_SECONDS = 300.0


class NoCommunities(GraphvineError):
    """This kind of node has no relationships among its own, or there are more than can be grouped."""


@dataclass(frozen=True)
class Communities:
    """Rows by their place: the places of an edge's ends, and the group of each row; group 0 is the largest."""

    label: str
    relations: list[str]
    keys: list[str]
    states: list[str]
    depths: list[int | None]
    edges: NDArray[np.int64]
    groups: NDArray[np.int64]

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        import numpy as np

        return np.bincount(self.edges.ravel(), minlength=len(self.keys))

    def overview(self, most: int) -> dict[str, Any]:
        """The largest groups, each named by its best connected row, and how many relationships join two of them."""
        import numpy as np

        sizes = np.bincount(self.groups)[:most]
        named = np.full(len(sizes), -1, dtype=np.int64)
        for place in np.argsort(self.degrees, kind="stable"):  # the last one of each group is its best connected
            if self.groups[place] < len(sizes):
                named[self.groups[place]] = place
        ends = self.groups[self.edges]
        among = ends[(ends < len(sizes)).all(axis=1)]
        inside = np.bincount(among[among[:, 0] == among[:, 1], 0], minlength=len(sizes))
        joined = Counter(map(tuple, np.sort(among[among[:, 0] != among[:, 1]], axis=1).tolist()))
        return {
            **self._whole(),
            "communities": [
                {"id": group, "size": int(size), "name": self.keys[named[group]], "edges": int(inside[group])}
                for group, size in enumerate(sizes)
            ],
            "links": [{"source": one, "target": other, "count": n} for (one, other), n in sorted(joined.items())],
        }  # fmt: skip

    def members(self, group: int, most: int) -> dict[str, Any]:
        """The best connected rows of one group, and what joins them."""
        import numpy as np

        inside = np.flatnonzero(self.groups == group)
        shown = inside[np.argsort(-self.degrees[inside], kind="stable")][:most]
        return {**self._whole(), "community": group, "size": len(inside), **self._drawn(shown)}

    def all(self, most: int) -> dict[str, Any]:
        """The best connected rows of all, with their groups, as columns: for a drawing of many."""
        import numpy as np

        shown = np.argsort(-self.degrees, kind="stable")[:most]
        return {**self._whole(), **self._drawn(shown)}

    def _whole(self) -> dict[str, Any]:
        of = {"nodes": len(self.keys), "edges": len(self.edges), "communities": int(self.groups.max(initial=-1)) + 1}
        return {"label": self.label, "relations": self.relations, "total": of}

    def _drawn(self, shown: NDArray[np.int64]) -> dict[str, Any]:
        """As columns; edges are places among the rows shown, source after target."""
        import numpy as np

        places = np.full(len(self.keys), -1, dtype=np.int64)
        places[shown] = np.arange(len(shown))
        ends = places[self.edges]
        return {
            "keys": [self.keys[place] for place in shown], "states": [self.states[place] for place in shown],
            "depths": [self.depths[place] for place in shown], "groups": self.groups[shown].tolist(),
            "degrees": self.degrees[shown].tolist(), "pairs": ends[(ends >= 0).all(axis=1)].ravel().tolist(),
        }  # fmt: skip


def kinds(graph: Graph) -> dict[str, tuple[Machine, list[Table]]]:
    """The kinds of rows that are joined among themselves: the machine of each, and the relationships."""
    among: dict[str, list[Table]] = {}
    for one in tables(graph.library).values():
        if one.kind == "REL" and one.source == one.target and one.entity in graph.library.entities:
            among.setdefault(one.source, []).append(one)
    return {one.label: (one, among[one.label]) for one in graph.library.machines.values() if one.label in among}


def find(graph: Graph, label: str) -> Communities:
    """Read a kind of row with what joins it, and group it."""
    import numpy as np

    known = kinds(graph)
    if label not in known:
        raise NoCommunities(f"no kind of row {label!r} is joined among its own: there are {', '.join(known)}")
    machine, relations = known[label]
    names = [one.name for one in relations]
    depth = f"a.{machine.order}" if machine.order else "NULL"
    rows: list[list[Any]] = []
    with graph.engine.snapshot() as read:
        for row in read(f"MATCH (a:{label}) RETURN a.seq, a.{machine.key}, a.{machine.column}, {depth}"):
            rows.append(row)
            _bound(len(rows), MOST_NODES, "nodes")
        rows.sort()
        places = {row[0]: place for place, row in enumerate(rows)}
        holds = " WHERE r.gone IS NULL OR r.gone = 0" if any("gone" in one.columns for one in relations) else ""
        ends: list[int] = []
        joined = f"MATCH (a:{label})-[r:{'|'.join(names)}]->(b:{label}){holds} RETURN a.seq, b.seq"
        for one, other in read(joined):
            ends += places[one], places[other]
            _bound(len(ends), 2 * MOST_EDGES, "relationships")
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]  # in one order, whatever order the engine finds them in
    keys, states, depths = [str(row[1]) for row in rows], [row[2] or "" for row in rows], [row[3] for row in rows]
    return Communities(label, names, keys, states, depths, edges, _grouped(len(rows), edges))


def _bound(count: int, most: int, what: str) -> None:
    if count > most:
        raise NoCommunities(f"there are more than {most:,} {what}, the most that are grouped: ask for a neighbourhood")


def _grouped(nodes: int, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """The group of each row, the largest group first."""
    import numpy as np

    if not len(edges):
        return np.arange(nodes, dtype=np.int64)
    command = [sys.executable, "-m", "graphvine.communities_child", str(nodes)]
    try:
        done = subprocess.run(command, input=edges.tobytes(), capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise NoCommunities(f"grouping {nodes:,} nodes took longer than {_SECONDS:g} s") from None
    if done.returncode or len(done.stdout) != 8 * nodes:
        reason = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise NoCommunities(f"grouping {nodes:,} nodes failed: {reason or f'status {done.returncode}'}")
    found = np.frombuffer(done.stdout, dtype=np.int64)
    _, first, groups, sizes = np.unique(found, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[groups].astype(np.int64)
