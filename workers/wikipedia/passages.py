"""Cuts long text into passages of about equal length, between sentences.

A sentence splitter of a few lines does: a boundary that is missed or made up only moves the edge of a passage
by some words, and a passage may hold any number of sentences. A trained splitter would be one more dependency
and serve one language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Scripts that put no spaces between words: there each sign counts, and about two of them make a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_ANY_UNSPACED = re.compile(f"[{_UNSPACED}]")
_UNIT = re.compile(f"[{_UNSPACED}]{{1,2}}|[^\\s{_UNSPACED}]+")
_ENDS_WITHOUT_SPACE = re.compile("[。！？]")  # noqa: RUF001
_ENDS = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")  # noqa: RUF001
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'])(?:[A-Za-z]|[A-Za-z](?:\.[A-Za-z])+|approx|bzw|ca|cf|Co|cm|Corp|Dr|ed|eds|etc|fig|Gen|Inc|Jr|km|"
    r"Lt|Ltd|Mr|Mrs|Ms|Mt|no|nr|No|Nr|pp|Prof|Rev|Sr|St|vgl|vol|vs)\.$"
)
# A single word may be a page long, in the text of a vandal or of a chemist.
_MAX_WORD_CHARACTERS = 200


def passages(text: str, max_words: int = 180) -> list[str]:
    """The text in pieces of at most `max_words` words, alike in length, cut between sentences where possible.

    Nothing but white space is lost or moved. Text that is short enough comes back as one passage.
    """
    if max_words < 1:
        raise ValueError(f"max_words must be at least 1, not {max_words}")
    if count_words(text) <= max_words and (text.isascii() or not _ENDS_WITHOUT_SPACE.search(text)):
        short = text.strip()
        return [short] if short else []
    pieces, counts = list[str](), list[int]()
    for sentence in sentences(text):
        count = count_words(sentence)
        cut = [sentence] if count <= max_words else list(_cut(sentence, max_words))
        pieces += cut
        counts += [count] if len(cut) == 1 else map(count_words, cut)
    total = sum(counts)
    # Equal shares: a greedy cut would leave a last passage of a few words, which says nothing by itself.
    share = total / max(1, -(-total // max_words))
    found: list[str] = []
    current: list[str] = []
    words = 0
    for piece, count in zip(pieces, counts, strict=True):
        # The piece goes to the passage that it leaves nearer to its share.
        if current and (words + count > max_words or words + count / 2 > share):
            found.append("".join(current).strip())
            current, words = [], 0
        current.append(piece)
        words += count
    found.append("".join(current).strip())
    return [passage for passage in found if passage]


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each with the white space behind it."""
    start = 0
    for end in _ENDS.finditer(text):
        if "\n" not in end[0] and _ABBREVIATION.search(text, max(start, end.start() - 20), end.start()):
            continue
        if end.end() > start:
            yield text[start : end.end()]
            start = end.end()
    if start < len(text):
        yield text[start:]


def count_words(text: str) -> int:
    """Words, or what comes near to them in scripts without spaces."""
    if text.isascii() or not _ANY_UNSPACED.search(text):
        words = text.split()
        if max(map(len, words), default=0) <= _MAX_WORD_CHARACTERS:
            return len(words)
    return sum(-(-len(unit) // _MAX_WORD_CHARACTERS) for unit in _UNIT.findall(text))


def _cut(sentence: str, max_words: int) -> Iterator[str]:
    """A sentence that alone is too long, in pieces."""
    start = words = 0
    for unit in _UNIT.finditer(sentence):
        size = -(-len(unit[0]) // _MAX_WORD_CHARACTERS)
        for part in range(size):
            if words == max_words:
                cut = unit.start() + part * _MAX_WORD_CHARACTERS
                yield sentence[start:cut]
                start, words = cut, 0
            words += 1
    if start < len(sentence):
        yield sentence[start:]
