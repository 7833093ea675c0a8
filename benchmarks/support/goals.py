"""What a benchmark sets out to show, and whether it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "falls short", "not judged in a quick run"]


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal with its outcome; `target` and `measured` are texts that carry their units."""

    what: str
    target: str
    measured: str
    verdict: Verdict

    def line(self) -> str:
        return f"goal {self.what} {self.target} measured {self.measured} {self.verdict}"


def judge(what: str, target: str, measured: str, holds: bool, *, judged: bool = True) -> Goal:
    """Decide a goal; with `judged` off (sizes too small to say anything) it is only reported."""
    if not judged:
        return Goal(what, target, measured, "not judged in a quick run")
    return Goal(what, target, measured, "holds" if holds else "falls short")
