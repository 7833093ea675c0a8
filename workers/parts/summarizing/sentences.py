"""A text as sentences that can stand in a summary."""

from __future__ import annotations

import re

_FEWEST_WORDS, _MOST_WORDS = 5, 80
_LONGEST = 700
_ROUGH = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])[\s]*(?=\S)")


def split_sentences(text: str, most: int) -> list[str]:
    """The first `most` sentences; a line of its own (a heading, an entry of a list) is not run into the next."""
    found: list[str] = []
    for paragraph in re.split(r"\n+", text):
        flat = " ".join(paragraph.split())
        if flat:
            found += _split(flat)
        if len(found) >= most:
            break
    return found[:most]


def worth_quoting(sentence: str) -> bool:
    """Neither a heading nor a list that has lost its points."""
    words = len(sentence.split())
    if words < _FEWEST_WORDS and len(sentence) < 20:  # languages without spaces have few words and many letters
        return False
    return words <= _MOST_WORDS and len(sentence) <= _LONGEST


def _split(paragraph: str) -> list[str]:
    try:
        from nupunkt import sent_tokenize
    except ImportError:
        parts = _ROUGH.split(paragraph)
    else:
        parts = list(sent_tokenize(paragraph))
        if len(parts) == 1 and len(paragraph) > _LONGEST:
            parts = _ROUGH.split(paragraph)  # it knows languages that end sentences with a full stop
    return [part.strip() for part in parts if part.strip()]
