"""What a benchmark found: tables of figures, goals, and remarks that a reader of the figures needs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from support.goals import Goal, judge

Value = str | int | float | None
Table = list[dict[str, Value]]


@dataclass(slots=True)
class Findings:
    benchmark: str
    quick: bool
    tables: dict[str, Table] = field(default_factory=dict)
    goals: list[Goal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    plots: dict[str, str] = field(default_factory=dict)

    def speed_goal(self, what: str, target: str, measured: str, holds: bool) -> None:
        """A goal about speed or size: a quick run is too small to judge it."""
        self.goals.append(judge(what, target, measured, holds, judged=not self.quick))

    def correctness_goal(self, what: str, target: str, measured: str, holds: bool) -> None:
        """A goal about what is right: judged in every run."""
        self.goals.append(judge(what, target, measured, holds))

    def status(self) -> int:
        """The exit status: 1 where a goal was judged and does not hold."""
        return int(any(goal.verdict == "falls short" for goal in self.goals))

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def number(value: float) -> str:
    """A figure for people: thousands separated, three digits that count."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
