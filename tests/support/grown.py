"""What a graph holds after it has grown, in a form that two graphs can be compared by."""

from __future__ import annotations

from collections import Counter
from typing import Any

from graphvine.graph import Graph
from graphvine.vectors import unpack

_EDGES = {
    "LINKS_TO": ("Article", "title", ""),
    "IN_CATEGORY": ("Category", "name", ""),
    "REDIRECTS_TO": ("Article", "title", ", r.fragment"),
    "HAS_SECTION": ("Section", "id", ""),
}
_ARTICLE = ("title", "expansion_state", "expansion_depth", "kind", "revision", "revised_at", "words")
_SECTION = ("id", "article", "title", "path", "level", "position", "part", "text", "embedding_state", "generation")
_ALL = 10_000_000


def content(graph: Graph) -> dict[str, Any]:
    """Everything that holds; numbers, times, tokens and failures aside. Edges are counted: a double one shows."""
    return {
        "articles": _rows(graph, f"MATCH (a:Article) RETURN {_columns('a', _ARTICLE)}"),
        "sections": _rows(graph, f"MATCH (s:Section) WHERE s.gone = 0 RETURN {_columns('s', _SECTION)}"),
        "categories": _rows(graph, "MATCH (c:Category) RETURN c.name"),
        **{name: edges(graph, name) for name in _EDGES},
    }


def edges(graph: Graph, name: str) -> Counter[tuple[Any, ...]]:
    """The edges of one kind that hold, each with how often it is there."""
    table, key, more = _EDGES[name]
    holds = "b.gone = 0" if name == "HAS_SECTION" else "r.gone = 0"
    text = f"MATCH (a:Article)-[r:{name}]->(b:{table}) WHERE {holds} RETURN a.title, b.{key}{more}"
    return Counter(_rows(graph, text))


def vectors(graph: Graph) -> dict[str, list[float]]:
    """The vector of each section that holds, of its newest generation."""
    text = "MATCH (s:Section) WHERE s.gone = 0 RETURN s.id, s.embedding, s.other_embedding, s.generation"
    rows = _rows(graph, text, ordered=False)
    newest = {id: odd if generation % 2 else even for id, even, odd, generation in rows}
    return {id: unpack(vector) if isinstance(vector, str) else vector for id, vector in newest.items()}


def column(graph: Graph, name: str) -> dict[str, Any]:
    """One column of every article, by title."""
    return dict(_rows(graph, f"MATCH (a:Article) RETURN a.title, a.{name}", ordered=False))


def size(graph: Graph) -> dict[str, int]:
    """How many nodes and edges there are, those that hold no longer included."""
    counted = {table: f"MATCH (n:{table}) RETURN count(*)" for table in ("Article", "Section", "Category")}
    counted |= {name: f"MATCH ()-[r:{name}]->() RETURN count(*)" for name in _EDGES}
    return {name: int(graph.query(text).rows[0][0]) for name, text in counted.items()}


def _columns(node: str, names: tuple[str, ...]) -> str:
    return ", ".join(f"{node}.{name}" for name in names)


def _rows(graph: Graph, text: str, ordered: bool = True) -> list[tuple[Any, ...]]:
    rows = [tuple(row) for row in graph.query(text, max_rows=_ALL).rows]
    return sorted(rows, key=repr) if ordered else rows
