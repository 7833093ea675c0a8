"""Where the nodes of a picture go: a spring layout that starts from rings. The same graph gets the same places."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Points = NDArray[np.float64]


_ROUNDS = 400
_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
# Labels are wider than they are high: across, nodes keep more distance than up and down.
_STRETCH = 1.6


def place(rings: Sequence[int], edges: Sequence[tuple[int, int]], middle: int | None = None) -> Points:
    """A point for each node, within the square from -1 to 1; `rings` say how far out each starts."""
    import numpy as np
    import rustworkx

    points = _start(rings)
    if len(rings) < 2:
        return points
    graph: Any = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(len(rings)))
    graph.add_edges_from_no_data([edge for edge in edges if edge[0] != edge[1]])
    # A node with many links would draw everything into one knot: its links pull less, each.
    for edge, (one, other, _) in graph.edge_index_map().items():
        graph.update_edge_by_index(edge, 1 / math.sqrt(min(graph.degree(one), graph.degree(other))))
    placed = rustworkx.spring_layout(
        graph,
        dict(enumerate(points.tolist())),
        fixed=None if middle is None else {middle},
        k=1.6 / math.sqrt(len(rings)),
        num_iter=_ROUNDS,
        weight_fn=float,
        seed=1,
    )
    return _fitted(np.array([placed[node] for node in range(len(rings))]))


def _start(rings: Sequence[int]) -> Points:
    """Like the seeds of a sunflower, ring by ring: no two nodes in one place, and nothing left to chance."""
    import numpy as np

    order = sorted(range(len(rings)), key=lambda node: (rings[node], node))
    points = np.zeros((len(rings), 2))
    for rank, node in enumerate(order):
        radius = math.sqrt(rank / max(1, len(rings)))
        points[node] = radius * math.cos(rank * _GOLDEN_ANGLE), radius * math.sin(rank * _GOLDEN_ANGLE)
    return points


def _fitted(points: Points) -> Points:
    """Stretched into the square, each direction by itself, with the outliers drawn in a little."""
    import numpy as np

    points = points - (points.max(axis=0) + points.min(axis=0)) / 2
    spread = np.abs(points).max(axis=0)
    scale = np.maximum(spread, spread.max() / _STRETCH) + 1e-9
    fitted = points / scale
    drawn_in: Points = np.sign(fitted) * np.abs(fitted) ** 0.85
    return drawn_in


_WIDE, _NARROW = 1.0, 0.56  # of the font's size


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, radius: float) -> Box:
        return cls(x - radius, y - radius, x + radius, y + radius)

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True)
class Spot:
    x: float
    y: float
    anchor: Literal["start", "middle", "end"]


class Labels:
    """Gives out places, first come, first served."""

    def __init__(self, width: float, height: float, nodes: Sequence[Box]) -> None:
        self._page = Box(4, 78, width - 4, height - 50)
        self._nodes = list(nodes)
        self._taken: list[Box] = []

    def put(self, text: str, x: float, y: float, radius: float, font: float) -> Spot | None:
        """A place for this name beside its node; None where all are taken."""
        width, gap = text_width(text, font), radius + 4
        spots = [
            Spot(x + gap, y + font * 0.35, "start"), Spot(x - gap, y + font * 0.35, "end"),
            Spot(x, y - gap, "middle"), Spot(x, y + gap + font * 0.8, "middle"),
            Spot(x + gap * 0.75, y - gap * 0.75, "start"), Spot(x + gap * 0.75, y + gap * 0.75 + font * 0.6, "start"),
            Spot(x - gap * 0.75, y - gap * 0.75, "end"), Spot(x - gap * 0.75, y + gap * 0.75 + font * 0.6, "end"),
        ]  # fmt: skip
        own = Box.around(x, y, radius)
        for spot in spots:
            box = _box(spot, width, font)
            inside = (
                box.left >= self._page.left
                and box.right <= self._page.right
                and box.top >= self._page.top
                and box.bottom <= self._page.bottom
            )
            others = (node for node in self._nodes if node != own)
            if inside and not any(map(box.meets, self._taken)) and not any(map(box.meets, others)):
                self._taken.append(box)
                return spot
        return None


def text_width(text: str, font: float) -> float:
    """About how wide a text is; signs of East Asia take twice the room."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return font * (wide * _WIDE + (len(text) - wide) * _NARROW)


def _box(spot: Spot, width: float, font: float) -> Box:
    left = {"start": spot.x, "middle": spot.x - width / 2, "end": spot.x - width}[spot.anchor]
    return Box(left, spot.y - font * 0.85, left + width, spot.y + font * 0.25)
