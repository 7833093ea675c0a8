"""Words for MediaWiki itself, in the letters of any language: __NOTOC__, __БЕЗОГЛАВЛЕНИЯ__, __無目錄__."""

from __future__ import annotations

import re

from graphvine.workers.wikipedia.placeholders import SEAM

_SWITCH = re.compile(r"__([^\W\d_a-z][^\s\[\]{}|<>=#:/.,]{1,40}?)__")


def without_switches(text: str) -> tuple[str, bool]:
    """The text without them, and whether one says that the page is a list of meanings."""
    if "__" not in text:
        return text, False
    found: set[str] = set()

    def drop(switch: re.Match[str]) -> str:
        if any(_is_small(letter) for letter in switch[1]):
            return switch[0]
        found.add(switch[1])
        return SEAM

    return _SWITCH.sub(drop, text), "DISAMBIG" in found


def _is_small(letter: str) -> bool:
    """Unicode calls the letters of Georgian small; nobody writes the others."""
    return letter.islower() and not "\u10d0" <= letter <= "\u10ff"
