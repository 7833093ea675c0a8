"""A table as lines of text: each row a line, each cell under the name of its column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Row:
    """The cells of a row, each with whether it is a heading."""

    cells: list[tuple[str, bool]] = field(default_factory=list)

    def is_header(self) -> bool:
        return len(self.cells) > 1 and all(heading for _, heading in self.cells)


def table_lines(caption: str, rows: Sequence[Row]) -> list[str]:
    """The lines of a table; a first row of headings names the columns."""
    filled = [row for row in rows if any(text for text, _ in row.cells)]
    header: list[str] = []
    if filled and filled[0].is_header():
        header = [text for text, _ in filled[0].cells]
        filled = filled[1:]
    lines = [caption] if caption else []
    # A table of nothing but headings still says something.
    if header and not filled:
        lines.append("; ".join(text for text in header if text))
    for row in filled:
        names = header if len(header) == len(row.cells) else []
        cells = []
        for place, (text, _) in enumerate(row.cells):
            name = names[place] if names else ""
            if text:
                cells.append(f"{name}: {text}" if name else text)
        lines.append("; ".join(cells))
    return lines
