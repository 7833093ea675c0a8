"""A plot that a terminal and a Markdown file can show."""

from __future__ import annotations

from collections.abc import Sequence


def plot(points: Sequence[tuple[float, float]], *, width: int = 64, height: int = 10, unit: str = "") -> str:
    """Columns of the highest value in each stretch of x; the y axis starts at 0, so that flat looks flat."""
    if not points:
        return "(no points)"
    first, last = points[0][0], points[-1][0]
    highest = max(value for _, value in points)
    columns: list[float | None] = [None] * width
    for x, value in points:
        place = min(width - 1, int((x - first) / ((last - first) or 1) * width))
        columns[place] = max(columns[place] or 0.0, value)
    lines = []
    for level in range(height, 0, -1):
        threshold = (level - 0.5) / height * highest
        marks = "".join("#" if value is not None and value >= threshold else " " for value in columns)
        label = f"{highest * level / height:>8,.0f} {unit}"
        lines.append(f"{label} |{marks}".rstrip())
    margin = " " * (9 + len(unit))
    lines.append(f"{margin} +{'-' * width}")
    lines.append(f"{margin}  {first:<,.0f}{last:>{width - len(f'{first:,.0f}')},.0f}")
    return "\n".join(lines)
