"""What a dump's header says of its wiki."""

from __future__ import annotations

import re
from xml.parsers import expat

from graphvine.workers.wikipedia.site import CANONICAL, SiteRules

_SITEINFO = re.compile(rb"<siteinfo\b.*?</siteinfo>", re.DOTALL)
_LANGUAGE = re.compile(rb"""<mediawiki\b[^>]*\bxml:lang=["']([A-Za-z-]{2,20})["']""")


def looks_like_a_dump(header: bytes) -> bool:
    """Whether this can be what stands before the first page."""
    return b"<mediawiki" in header


def rules_from_header(header: bytes, fallback_name: str) -> SiteRules:
    """The wiki's rules, or those of the English Wikipedia where the header is missing or broken."""
    language = _LANGUAGE.search(header)
    code = language[1].decode() if language else "en"
    found = _SITEINFO.search(header)
    name, default_case, spaces = _read(found[0]) if found else ("", "", {})
    if not spaces:
        return SiteRules(name=name or fallback_name, language=code)
    return SiteRules(
        name=name or fallback_name,
        language=code,
        namespaces={number: CANONICAL[0] if number == 0 else label for number, (label, _) in spaces.items()},
        aliases={},
        case_sensitive=frozenset(
            number for number, (_, case) in spaces.items() if (case or default_case) == "case-sensitive"
        ),
    )


def _read(siteinfo: bytes) -> tuple[str, str, dict[int, tuple[str, str]]]:
    """Name of the wiki, its rule for first letters, and its namespaces with theirs."""
    texts: dict[str, str] = {}
    spaces: dict[int, tuple[str, str]] = {}
    place = ""
    key: int | None = None
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal place, key
        place = name
        if name == "namespace" and re.fullmatch(r"-?\d{1,6}", attributes.get("key", "")):
            key = int(attributes["key"])
            spaces[key] = ("", attributes.get("case", ""))

    def characters(text: str) -> None:
        if place == "namespace" and key is not None:
            spaces[key] = (spaces[key][0] + text, spaces[key][1])
        elif place in ("sitename", "case"):
            texts[place] = texts.get(place, "") + text

    def finish(_: str) -> None:
        nonlocal place, key
        place, key = "", None

    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = begin, characters, finish
    try:
        parser.Parse(siteinfo, True)
    except expat.ExpatError:
        return "", "", {}
    return texts.get("sitename", ""), texts.get("case", ""), spaces
