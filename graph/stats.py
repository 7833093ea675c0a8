"""How large the graph is and what shape it has: rows by kind, growth, depth, degrees, sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from graphvine.export import BOOKKEEPING

if TYPE_CHECKING:
    from graphvine.graph import Graph

_LONGEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Distribution:
    """Counts by something: a title, and (name, count) in order."""

    title: str
    bars: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Stats:
    """What there is of each kind of node and relationship, and how it is distributed."""

    nodes: dict[str, int]
    relationships: dict[str, int]
    distributions: list[Distribution]

    def svg(self) -> str:
        """All distributions as one picture of bars."""
        return _svg(self.distributions)


def stats(graph: Graph) -> Stats:
    """Count the graph."""
    counted: dict[str, dict[str, int]] = {"NODE": {}, "REL": {}}
    for table in graph.tables():
        if table.name in BOOKKEEPING:
            continue
        pattern = f"(n:`{table.name}`)" if table.kind == "NODE" else f"()-[n:`{table.name}`]->()"
        count = _ask(graph, f"MATCH {pattern} RETURN count(*)")[0][0]
        if count:
            counted[table.kind][table.name] = count
    nodes = counted["NODE"]
    found = []
    if nodes.get("Article"):
        found += [
            Distribution("articles by depth", _pairs(graph, _DEPTHS)),
            Distribution("articles by day", _pairs(graph, _DAYS.format(day=_DAY[graph.engine.dialect]))[::-1]),
            Distribution("articles by links to them", _buckets(graph, _DEGREES)),
            Distribution("articles by sections", _buckets(graph, _SECTIONS)),
        ]
    if nodes.get("HNItem"):
        found.append(Distribution("items by type", _pairs(graph, _TYPES)))
    if nodes.get("NewsArticle"):
        found.append(Distribution("news by sentiment", _pairs(graph, _SENTIMENTS)))
    return Stats(nodes, counted["REL"], [one for one in found if one.bars])


_DEPTHS = "MATCH (a:Article) RETURN a.expansion_depth AS k, count(*) AS n ORDER BY k"
_DAYS = "MATCH (a:Article) WHERE a.processed_at IS NOT NULL RETURN {day} AS k, count(*) AS n ORDER BY k DESC LIMIT 30"
_DAY = {"neo4j": "toString(date(a.processed_at))", "kuzu": "cast(cast(a.processed_at AS DATE) AS STRING)"}
_DEGREES = (
    "MATCH (:Article)-[:LINKS_TO]->(a:Article) WITH a.title AS t, count(*) AS d RETURN d, count(*) AS n ORDER BY d"
)
_SECTIONS = (
    "MATCH (a:Article)-[:HAS_SECTION]->(:Section) WITH a.title AS t, count(*) AS d RETURN d, count(*) AS n ORDER BY d"
)
_TYPES = "MATCH (i:HNItem) WHERE i.type IS NOT NULL RETURN i.type AS k, count(*) AS n ORDER BY n DESC"
_SENTIMENTS = (
    "MATCH (a:NewsArticle) WHERE a.sentiment IS NOT NULL RETURN a.sentiment AS k, count(*) AS n ORDER BY n DESC"
)


def _ask(graph: Graph, text: str) -> list[list[Any]]:
    return graph.query(text, max_rows=100_000, timeout_seconds=_LONGEST_SECONDS).rows


def _pairs(graph: Graph, text: str) -> list[tuple[str, int]]:
    return [(str(key), count) for key, count in _ask(graph, text)]


def _buckets(graph: Graph, text: str) -> list[tuple[str, int]]:
    """Counts in powers of two: 1, 2-3, 4-7, ..."""
    found: dict[int, int] = {}
    for value, count in _ask(graph, text):
        bucket = int(value).bit_length() - 1
        found[bucket] = found.get(bucket, 0) + count
    names = {bucket: (1 << bucket, (2 << bucket) - 1) for bucket in found}
    return [(f"{low}" if low == high else f"{low}-{high}", found[b]) for b, (low, high) in sorted(names.items())]


def _svg(distributions: Sequence[Distribution]) -> str:
    width, line, left, parts, y = 720, 22, 190, [], 20
    for one in distributions:
        y += 26
        parts.append(
            f'<text x="20" y="{y}" font-size="16" font-weight="bold" fill="#22301f">{escape(one.title)}</text>'
        )
        most = max(count for _, count in one.bars)
        for name, count in one.bars:
            y += line
            long = max(1, round((width - left - 90) * count / most))
            parts += [
                f'<text x="{left - 8}" y="{y}" font-size="13" text-anchor="end" fill="#22301f">'
                f"{escape(name[:24])}</text>",
                f'<rect x="{left}" y="{y - 12}" width="{long}" height="15" fill="#3f8f4f"/>',
                f'<text x="{left + long + 6}" y="{y}" font-size="13" fill="#6d7a69">{count:,}</text>',
            ]
        y += 12
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 20}" viewBox="0 0 {width} {y + 20}"'
    body = "\n".join(parts)
    return f'{head} font-family="sans-serif">\n<rect width="100%" height="100%" fill="#fbfaf6"/>\n{body}\n</svg>\n'
