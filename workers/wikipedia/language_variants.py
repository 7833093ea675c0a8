"""The markup of wikis in several scripts, `-{zh-hans:..; zh-hant:..}-`: of each, one variant is kept."""

from __future__ import annotations

import re

from graphvine.workers.wikipedia.placeholders import SEAM

# The languages that MediaWiki converts; elsewhere these characters are text.
_CONVERTED = frozenset(
    {"ban", "crh", "gan", "iu", "kk", "ku", "mni", "sh", "shi", "sr", "tg", "tly", "uz", "wuu", "zgh", "zh"}
)
_INNERMOST = re.compile(r"-\{((?:(?!-\{|\}-).)*+)\}-", re.DOTALL)
_FLAGS = re.compile(r"\s*([A-Z-](?:\s*;\s*[A-Z-])*|[a-z]{2,3}(?:-[a-z]+)?(?:\s*;\s*[a-z]{2,3}(?:-[a-z]+)?)*)?\s*\|")
# Rules that only name the title, teach the converter or make it forget: nothing is shown.
_HIDDEN = frozenset("THN-")
_DEEPEST = 10


def is_converted(language: str) -> bool:
    """Whether a wiki in this language has such markup."""
    return language.lower().partition("-")[0] in _CONVERTED


def one_variant(text: str, language: str) -> str:
    """The text with one variant of each, the first that is given."""
    base = re.escape(language.lower().partition("-")[0])
    code = re.compile(rf"\s*(?:[^;:=]*=>\s*)?{base}(?:-[a-z]+)?\s*:")
    edge = re.compile(rf";(?=\s*(?:[^;:=]*=>\s*)?{base}(?:-[a-z]+)?\s*:)")
    for _ in range(_DEEPEST):
        if "-{" not in text:
            return text
        text, count = _INNERMOST.subn(lambda found: _shown(found[1], code, edge), text)
        if not count:
            return text
    return text


def _shown(content: str, code: re.Pattern[str], edge: re.Pattern[str]) -> str:
    flags = _FLAGS.match(content)
    if flags:
        content = content[flags.end() :]
        # Variants in the place of flags say for whom the text is.
        letters = set((flags[1] or "").replace(" ", "").split(";"))
        if letters & _HIDDEN:
            return SEAM
        if "R" in letters:
            return content
    named = code.match(content)
    if named is None:
        return content
    first = edge.split(content, 1)[0]
    return first[named.end() :].strip().removesuffix(";")
