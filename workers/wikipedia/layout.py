"""Where the nodes of a picture go: a force layout that starts from rings. The same graph, the same places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

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

    count = len(rings)
    points = _start(rings)
    if count < 2:
        return points
    ideal = 1.6 / math.sqrt(count)
    pull = np.zeros((count, count))
    for one, other in edges:
        pull[one, other] = pull[other, one] = 1.0
    # A node with many links would draw everything into one knot: its links pull less, each.
    degrees = np.maximum(pull.sum(axis=1), 1.0)
    pull /= np.sqrt(np.minimum(degrees[:, None], degrees[None, :]))
    for turn in range(_ROUNDS):
        apart = points[:, None, :] - points[None, :, :]
        distance = np.sqrt((apart**2).sum(axis=2)) + 1e-9
        push = ideal**2 / distance**2
        np.fill_diagonal(push, 0.0)
        force = (apart * (push - pull * distance / ideal)[:, :, None]).sum(axis=1) - 0.35 * points
        length = np.sqrt((force**2).sum(axis=1, keepdims=True)) + 1e-9
        # Long steps first, then ever shorter ones, until all is at rest.
        points = points + force / length * np.minimum(length, 0.12 * (1 - turn / _ROUNDS) ** 1.5 + 0.001)
        if middle is not None:
            points = points - points[middle]
    return _fitted(points)


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
