"""Names beside the nodes of a picture, where they cover neither a node nor each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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
