"""Keys that are numbers go into the text: Kuzu looks a row up by its index only where the number's type is certain.

A number that comes as a parameter has the smallest type that holds it and is cast to the key's; behind a cast the index
is not seen, and the whole table is read (30 ms instead of 0.5 at half a million rows). The same with a stretch of keys:
stretches of rows are skipped by what is written out (3 ms instead of 30 at a million rows).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_KEYED = re.compile(r"(\(\w*:\w+ \{\w+: )\$(\w+)(\}\))")
_BETWEEN = re.compile(r"(\b(\w+\.\w+) >= )\$(?P<least>first_\w+)( AND \2 <= )\$(?P<most>last_\w+)")


def with_keys(text: str, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The statement with every whole number written out that stands alone in a node's map, or is `$first_...` or
    `$last_...` of a column's stretch; None where there is none."""
    written: set[str] = set()

    def write(found: re.Match[str]) -> str:
        value = parameters.get(found[2])
        if type(value) is not int:
            return found[0]
        written.add(found[2])
        return f"{found[1]}{value}{found[3]}"

    def write_both(found: re.Match[str]) -> str:
        least, most = parameters.get(found["least"]), parameters.get(found["most"])
        if type(least) is not int or type(most) is not int:
            return found[0]
        written.update((found["least"], found["most"]))
        return f"{found[1]}{least}{found[4]}{most}"

    made = _BETWEEN.sub(write_both, text)
    if "{" in made:
        made = _KEYED.sub(write, made)
    if not written:
        return None
    left = {name: value for name, value in parameters.items() if name not in written or f"${name}" in made}
    return made, left
