"""The neighbourhood that grew, as a picture: SVG that is drawn in light or dark as its reader likes it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.wikipedia.layout import Box, Labels, place

WIDTH, HEIGHT = 1400, 1000
_MARGIN, _HEAD = 110, 70
_DEPTHS = 5  # deeper ones look like the deepest
_LINKS_AT_ONCE = 20_000
# Plain attributes come first, for every renderer; where variables are known, the reader's light or dark goes over them.
_PAPER, _INK, _SOFT, _LINE, _FAIL, _WAIT = "#fbfaf6", "#22301f", "#6d7a69", "#9fb09a", "#c2452d", "#b9c2b3"
_FILLS = ("#1f5c33", "#3f8f4f", "#86b94f", "#d2b13c", "#c98a3a")
_FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
_PLAIN = {
    "link": f'fill="none" stroke="{_LINE}" stroke-width="1" opacity=".38"',
    "link near": f'fill="none" stroke="{_LINE}" stroke-width="1.4" opacity=".8"',
    "waits": f'fill="{_PAPER}" stroke="{_WAIT}" stroke-width="2"',
    "failed": f'fill="{_PAPER}" stroke="{_FAIL}" stroke-width="2.5" stroke-dasharray="3 2"',
    **{f"d{depth}": f'fill="{fill}" stroke="{_PAPER}" stroke-width="1.5"' for depth, fill in enumerate(_FILLS)},
}
_LABEL = f'paint-order="stroke" stroke="{_PAPER}" stroke-width="3.5" stroke-linejoin="round" fill="{_INK}"'
_STYLE = """
@supports (fill: var(--paper)) {
  svg { --paper: #fbfaf6; --ink: #22301f; --soft: #6d7a69; --line: #9fb09a; --fail: #c2452d; --wait: #b9c2b3;
        --d0: #1f5c33; --d1: #3f8f4f; --d2: #86b94f; --d3: #d2b13c; --d4: #c98a3a; background: var(--paper); }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #141a15; --ink: #e9efe4; --soft: #93a18f; --line: #52634f; --fail: #ee7a60; --wait: #5b6857;
          --d0: #7ddc93; --d1: #52b66a; --d2: #a5cf6a; --d3: #e3c85c; --d4: #dca05a; } }
  .paper { fill: var(--paper); }
  text { fill: var(--ink); }
  .label { stroke: var(--paper); }
  .soft { fill: var(--soft); }
  .link { stroke: var(--line); }
  .node { stroke: var(--paper); }
  .d0 { fill: var(--d0); } .d1 { fill: var(--d1); } .d2 { fill: var(--d2); } .d3 { fill: var(--d3); }
  .d4 { fill: var(--d4); }
  .waits { fill: var(--paper); stroke: var(--wait); }
  .failed { fill: var(--paper); stroke: var(--fail); }
  .middle { stroke: var(--ink); }
}
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, and how much is in it."""

    svg: str
    articles: int
    links: int

    def _repr_svg_(self) -> str:
        """Notebooks show the picture itself."""
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture into a file: .svg, .html (zoom and pan) or .png (extra `pictures`). Returns its path."""
        from graphvine.workers.wikipedia.map_files import write

        write(Path(path), self.svg)
        return Path(path)


@dataclass(frozen=True, slots=True)
class _Node:
    title: str
    depth: int
    state: str


def draw(graph: Graph, around: str | None = None, limit: int = 60) -> Picture:
    """The articles around one, or those nearest to the seeds, with the links between them."""
    rows = _around(graph, around, limit) if around is not None else _nearest(graph, limit)
    if not rows:
        empty = f"the article {around!r} has no links yet" if around else "there are no links in this graph yet"
        raise GraphvineError(f"{empty}: let it grow first, with 'graphvine grow'")
    nodes: dict[str, _Node] = {}
    for row in rows:
        for end in ("source", "target"):
            nodes.setdefault(row[end], _Node(row[end], row[f"{end}_depth"] or 0, row[f"{end}_state"] or ""))
    links = sorted({(row["source"], row["target"]) for row in rows if row["source"] != row["target"]})
    return Picture(_svg(list(nodes.values()), links, around), len(nodes), len(links))


def _around(graph: Graph, title: str, limit: int) -> list[Row]:
    if not graph.read("article.named", keys=[title]):
        raise GraphvineError(f"there is no article {title!r} in this graph")
    near = [row["title"] for row in graph.read("article.neighbours", title=title, limit=limit - 1)]
    names = {title, *near}
    rows = graph.read("article.links_of", keys=sorted(names))
    return [row for row in rows if row["target"] in names]


def _nearest(graph: Graph, limit: int) -> list[Row]:
    """Links in the order of depth, until there are so many articles."""
    rows = graph.read("article.links_sample", limit=_LINKS_AT_ONCE)
    names: dict[str, None] = {}
    for row in rows:
        for title in (row["source"], row["target"]):
            if len(names) < limit:
                names.setdefault(title)
    return [row for row in rows if row["source"] in names and row["target"] in names]


def _svg(nodes: Sequence[_Node], links: Sequence[tuple[str, str]], around: str | None) -> str:
    number = {node.title: index for index, node in enumerate(nodes)}
    degrees = Counter(end for link in links for end in link)
    edges = [(number[one], number[other]) for one, other in links]
    middle = number.get(around) if around is not None else None
    rings = [0 if node.title == around else node.depth + 1 for node in nodes]
    points = [
        (_MARGIN + (x + 1) / 2 * (WIDTH - 2 * _MARGIN), _HEAD + (y + 1) / 2 * (HEIGHT - _HEAD - 90))
        for x, y in place(rings, edges, middle).tolist()
    ]
    sizes = [5.0 + 2.2 * degrees[node.title] ** 0.5 for node in nodes]
    head = f"Around {around}" if around is not None else "What grew"
    counts = f"{_several(len(nodes), 'article')}, {_several(len(links), 'link')} between them"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="{_FONT}" aria-label="{escape(head)}: {counts}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>',
        *(_curve(points[one], points[other], middle in (one, other)) for one, other in _undirected(edges)),
        *_circles(nodes, points, sizes, middle),
        *_labels(nodes, points, sizes, middle),
        f'<text x="40" y="46" font-size="26" font-weight="650" fill="{_INK}">{escape(head)}</text>',
        f'<text x="40" y="70" font-size="14" class="soft" fill="{_SOFT}">{counts}</text>',
        *_legend(sorted({min(node.depth, _DEPTHS - 1) for node in nodes}), {_look(node) for node in nodes}),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def _undirected(edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A link there and back is one line."""
    return sorted({(min(edge), max(edge)) for edge in edges})


def _curve(one: tuple[float, float], other: tuple[float, float], near: bool) -> str:
    (x1, y1), (x2, y2) = one, other
    bend_x, bend_y = (x1 + x2) / 2 + (y2 - y1) * 0.08, (y1 + y2) / 2 - (x2 - x1) * 0.08
    kind = "link near" if near else "link"
    return f'<path class="{kind}" {_PLAIN[kind]} d="M{x1:.1f} {y1:.1f}Q{bend_x:.1f} {bend_y:.1f} {x2:.1f} {y2:.1f}"/>'


def _look(node: _Node) -> str:
    if node.state in ("failed", "skipped", "excluded"):
        return "failed"
    return f"d{min(node.depth, _DEPTHS - 1)}" if node.state in ("processed", "loaded") else "waits"


def _circles(
    nodes: Sequence[_Node], points: Sequence[tuple[float, float]], sizes: Sequence[float], middle: int | None
) -> Iterator[str]:
    for index, (node, (x, y), size) in enumerate(zip(nodes, points, sizes, strict=True)):
        look = _look(node)
        kind = f"node {look}" + (" middle" if index == middle else "")
        plain = _PLAIN[look]
        if index == middle:
            plain = f'{plain.partition(" stroke=")[0]} stroke="{_INK}" stroke-width="2.5"'
        title = escape(f"{node.title} (depth {node.depth}, {node.state})")
        yield f'<circle class="{kind}" {plain} cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"><title>{title}</title></circle>'


def _labels(
    nodes: Sequence[_Node], points: Sequence[tuple[float, float]], sizes: Sequence[float], middle: int | None
) -> Iterator[str]:
    """The names, the weightiest first; one that finds no free place is left to the tooltip."""
    placed = Labels(WIDTH, HEIGHT, [Box.around(x, y, size) for (x, y), size in zip(points, sizes, strict=True)])
    for index in sorted(range(len(nodes)), key=lambda index: (index != middle, -sizes[index], nodes[index].title)):
        font = 17.0 if index == middle else 11.0 + min(4.0, sizes[index] / 6)
        shown = nodes[index].title if len(nodes[index].title) <= 34 else nodes[index].title[:33] + "…"
        spot = placed.put(shown, *points[index], sizes[index], font)
        if spot is not None:
            weight = ' font-weight="650"' if index == middle else ""
            yield (
                f'<text class="label" {_LABEL} x="{spot.x:.1f}" y="{spot.y:.1f}" text-anchor="{spot.anchor}" '
                f'font-size="{font:.1f}"{weight}>{escape(shown)}</text>'
            )


def _legend(depths: Sequence[int], looks: set[str]) -> Iterator[str]:
    x, y = 40.0, HEIGHT - 28.0
    marks = [(f"d{depth}", "seed" if depth == 0 else f"depth {depth}{'+' if depth == _DEPTHS - 1 else ''}")
             for depth in depths if f"d{depth}" in looks]  # fmt: skip
    marks += [(look, label) for look, label in (("waits", "waits"), ("failed", "failed or skipped")) if look in looks]
    for look, label in marks:
        yield f'<circle class="node {look}" {_PLAIN[look]} cx="{x + 7:.0f}" cy="{y - 4:.0f}" r="7"/>'
        yield f'<text class="soft" fill="{_SOFT}" x="{x + 20:.0f}" y="{y:.0f}" font-size="13">{label}</text>'
        x += 44 + 7.2 * len(label)
