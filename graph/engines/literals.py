"""Keys that are numbers go into the text: Kuzu looks a row up by its index only where the number's type is certain.

A number that comes as a parameter has the smallest type that holds it and is cast to the key's; behind a cast the index
is not seen, and the whole table is read (30 ms instead of 0.5 at half a million rows).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_KEYED = re.compile(r"(\(\w*:\w+ \{\w+: )\$(\w+)(\}\))")


def with_keys(text: str, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The statement with every whole number that stands alone in a node's map written out; None where there is none."""
    written: set[str] = set()

    def write(found: re.Match[str]) -> str:
        value = parameters.get(found[2])
        if type(value) is not int:
            return found[0]
        written.add(found[2])
        return f"{found[1]}{value}{found[3]}"

    if "{" not in text:
        return None
    made = _KEYED.sub(write, text)
    if not written:
        return None
    left = {name: value for name, value in parameters.items() if name not in written or f"${name}" in made}
    return made, left
