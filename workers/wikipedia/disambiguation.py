"""Which pages are lists of meanings: by the templates that mark them.

A wiki names its templates as it likes. Those of the large wikis are known here; what a source tells of its own (in
`SiteRules.disambiguation_templates`) counts too, and so does the switch `__DISAMBIG__`.
"""

from __future__ import annotations

import re

# Where a wiki lists its templates for lists of meanings; it was MediaWiki's own way before there was a switch.
LISTING = "MediaWiki:Disambiguationspage"
_SWITCH = "__DISAMBIG__"
# What of a template's page is not part of what it puts into other pages.
_NOT_INCLUDED = re.compile(
    r"<(noinclude|nowiki|pre)\b[^<>]*>.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE
)
_LISTED = re.compile(r"\[\[\s*:?([^\[\]|{}<>\n]+)(?:\||\]\])")
_DISAMBIGUATION = frozenset(
    {
        "dab", "disam", "disamb", "disambig", "disambiguation", "disambiguation page", "disambiguation cleanup",
        "hndis", "geodis", "geo-dis", "numberdis", "letter-number combination disambiguation", "schooldis", "mathdab",
        "begriffsklärung", "bkl", "homonymie", "paronymie", "desambiguación", "desambig", "desambiguação", "disambigua",
        "doorverwijspagina", "dp", "förgrening", "flertydig", "peker", "täsmennyssivu", "ujednoznacznienie",
        "rozcestník", "egyért", "dezambiguizare", "anlam ayr\u0131m\u0131", "неоднозначность", "багатозначність",
        "пояснение", "aimai",
        "曖昧さ回避", "消歧义", "消歧義", "disambig2", "동음이의", "توضيح",
        "ابهام‌زدایی", "פירושונים",
        "trang định hướng", "disambiguasi", "apartigilo", "surname disambiguation", "place name disambiguation",
    }
)  # fmt: skip
# What ends like the mark of a list of meanings and is a remark in the text.
_NOT_DISAMBIGUATION = ("needed", "inline", "for other")


def marks_disambiguation(name: str) -> bool:
    """Whether a page with this template, named in lower case, is a list of meanings."""
    if name in _DISAMBIGUATION:
        return True
    return name.endswith(" disambiguation") and not name.startswith(_NOT_DISAMBIGUATION)


def puts_switch(wikitext: str) -> bool:
    """Whether a template makes the pages that use it lists of meanings."""
    return _SWITCH in _NOT_INCLUDED.sub("", wikitext)


def listed_templates(wikitext: str) -> list[str]:
    """The titles that a wiki's own list names, as they stand there."""
    return _LISTED.findall(wikitext)
