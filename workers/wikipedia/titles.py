"""Titles as MediaWiki reads them: one spelling for each page, whatever a person or a link wrote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from html.entities import html5

from graphvine.errors import GraphvineError
from graphvine.workers.wikipedia.site import MAIN, SPECIAL, TALK, SiteRules

MAX_TITLE_BYTES = 255
MAX_SPECIAL_BYTES = 512
MAX_FREE_BYTES = 1_000
# Far beyond any title: what is longer is not worth a regular expression's time.
MAX_INPUT_CHARACTERS = 10_000

_REFERENCE = re.compile(r"&(?:#([0-9]{1,10})|#[xX]([0-9A-Fa-f]{1,8})|([A-Za-z0-9]{1,40}));")
_SPACES = re.compile("[ _\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e]+")
_NOT_TEXT = re.compile("[\ud800-\udfff\ufffd\ufffe\uffff]")
_PREFIX = re.compile(r"(.+?) *: *(.*)", re.DOTALL)
_FORBIDDEN = re.compile(
    r"""[^ %!"$&'()*,\-./0-9:;=?@A-Z\\^_`a-z~\u0080-\U0010ffff+]"""
    r"|%[0-9A-Fa-f]{2}|&[A-Za-z0-9\u0080-\U0010ffff]+;"
)
_RELATIVE = re.compile(r"(?:^|/)\.\.?(?:/|$)")
# Capitals of Georgian came to Unicode late, and Wikimedia's wikis keep the letters as they are.
_GEORGIAN = range(0x10D0, 0x1100)
_DOTTED_I_LANGUAGES = frozenset({"az", "kaa", "kk", "tr", "tt"})


class InvalidTitle(GraphvineError):
    """No page can have this title."""

    def __init__(self, title: str, reason: str) -> None:
        super().__init__(title, reason)
        self.title, self.reason = title, reason

    def __str__(self) -> str:
        shown = self.title if len(self.title) <= 80 else f"{self.title[:80]}..."
        return f"{shown!r} is not a title: {self.reason}."


@dataclass(frozen=True, slots=True)
class Title:
    """A title taken apart. `full` is what a page is stored under: prefix and spaces, no fragment."""

    full: str
    namespace: int
    fragment: str = ""
    # The prefix of another wiki; `full` then is the title over there, unchecked.
    interwiki: str = ""

    def __str__(self) -> str:
        return self.full


def parse_title(text: str, rules: SiteRules, default_namespace: int = MAIN) -> Title:
    """Read a title, or raise InvalidTitle saying what is wrong with it.

    `full` is empty for a bare fragment such as `#History`, which names the page it stands on.
    """
    if len(text) > MAX_INPUT_CHARACTERS:
        raise InvalidTitle(text, f"it is longer than {MAX_INPUT_CHARACTERS:,} characters")
    if rules.free_titles:
        return _free_title(text)
    rest = unicodedata.normalize("NFC", _REFERENCE.sub(_decode, text))
    rest = _SPACES.sub(" ", _DIRECTION_MARKS.sub("", rest)).strip(" ")
    if _NOT_TEXT.search(rest):
        raise InvalidTitle(text, "it holds a character that is not text")
    namespace = default_namespace
    if rest.startswith(":"):
        namespace, rest = MAIN, rest[1:].strip(" ")
    if not rest:
        raise InvalidTitle(text, "it is empty")
    found, interwiki, rest = _split_prefixes(text, rest, rules)
    namespace = namespace if found is None else found
    if interwiki:
        rest = rest.removeprefix(":").strip(" ")
    rest, mark, fragment = rest.partition("#")
    rest = rest.rstrip(" ")
    _check(text, rest, namespace)
    if interwiki:
        return Title(rest, MAIN, fragment, interwiki)
    if namespace not in rules.case_sensitive:
        rest = upper_first(rest, rules.language)
    if not rest and (namespace != MAIN or not mark):
        raise InvalidTitle(text, "there is nothing after the namespace" if namespace != MAIN else "it is empty")
    prefix = rules.namespace_name(namespace)
    return Title(f"{prefix}:{rest}" if prefix else rest, namespace, fragment)


def _free_title(text: str) -> Title:
    """The title of a document: any line of text."""
    title = unicodedata.normalize("NFC", " ".join(text.split()))
    if not title or len(title.encode("utf-8", "replace")) > MAX_FREE_BYTES:
        raise InvalidTitle(text, f"it is longer than {MAX_FREE_BYTES:,} bytes" if title else "it is empty")
    if _NOT_TEXT.search(title) or not title.isprintable():
        raise InvalidTitle(text, "it holds a character that is not text")
    return Title(title, MAIN)


def normalise_title(text: str, rules: SiteRules) -> str:
    """The one spelling of a title, without its fragment."""
    return parse_title(text, rules).full


def nearest(title: str, candidates: Iterable[str], limit: int) -> list[str]:
    """Those of the candidates that somebody may have meant: the same in another case, then the nearest in spelling."""
    wanted = title.casefold()
    folded: dict[str, list[str]] = {}
    for candidate in candidates:
        folded.setdefault(candidate.casefold(), []).append(candidate)
    found = [*folded.pop(wanted, ())]
    # One that only goes on: a name with a remark in brackets behind it.
    found += [one for key, ones in folded.items() if key.startswith((f"{wanted} (", f"{wanted}, ")) for one in ones]
    for key in get_close_matches(wanted, folded, limit, 0.7):
        found += folded[key]
    return [one for one in dict.fromkeys(found) if one != title][:limit]


def upper_first(text: str, language: str = "en") -> str:
    """Raise the first letter as MediaWiki does: one letter for one letter, or not at all."""
    if not text:
        return text
    first = text[0]
    if first == "i" and language in _DOTTED_I_LANGUAGES:
        return "\u0130" + text[1:]
    raised = first.upper()
    return text if len(raised) != 1 or ord(first) in _GEORGIAN else raised + text[1:]


def _decode(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return html5.get(f"{name};", match[0])
    number = int(decimal) if decimal else int(hexadecimal, 16)
    # What is no character becomes the mark of a broken one, which no title may hold.
    return chr(number) if 0x20 <= number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def _split_prefixes(text: str, rest: str, rules: SiteRules) -> tuple[int | None, str, str]:
    """Take namespace and interwiki prefixes off: what was found, the other wiki, and what is left."""
    while match := _PREFIX.fullmatch(rest):
        prefix, after = match[1], match[2]
        number = rules.namespace_number(prefix)
        if number is not None:
            second = _PREFIX.fullmatch(after) if number == TALK else None
            if second and (rules.namespace_number(second[1]) or second[1].lower() in rules.interwiki):
                raise InvalidTitle(text, "a talk page can't carry a second prefix")
            return number, "", after
        if prefix.lower() not in rules.interwiki:
            break
        if prefix.lower() not in rules.local_interwiki:
            return None, prefix.lower(), after
        if not after:
            raise InvalidTitle(text, "there is nothing after the wiki's own prefix")
        rest = after
    return None, "", rest


def _check(text: str, rest: str, namespace: int) -> None:
    """Raise InvalidTitle for what no page of this wiki may be called."""
    bad = _FORBIDDEN.search(rest)
    if bad:
        raise InvalidTitle(text, f"it holds {bad[0]!r}")
    if _RELATIVE.search(rest):
        raise InvalidTitle(text, "it is a relative path")
    if "~~~" in rest:
        raise InvalidTitle(text, "it holds three tildes")
    limit = MAX_SPECIAL_BYTES if namespace == SPECIAL else MAX_TITLE_BYTES
    if len(rest.encode("utf-8", "surrogatepass")) > limit:
        raise InvalidTitle(text, f"it is longer than {limit} bytes")
    if rest.startswith(":"):
        raise InvalidTitle(text, "it begins with two colons")
