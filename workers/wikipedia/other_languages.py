"""Templates of wikis in other languages than English: links to pages that are yet to be written, hatnotes, ordinals."""

from __future__ import annotations

import re

from graphvine.workers.wikipedia import number_templates as numbers
from graphvine.workers.wikipedia.preprocess import Arguments

_ROMAN = re.compile(r"[IVXLC]{1,8}")
_FRENCH_ORDINAL = re.compile(
    r"(?:\d{1,3}|[IVXLC]{1,8})(?:er|re|ère)|(?:\d{1,3}|[IVXLC]{2,8})e(?: siècle)?|[IVXLC]e siècle"
)

# Links to what another wiki has: the places of what is shown, the best first, and of the title.
_RED_LINKS: dict[str, tuple[tuple[str | int, ...], int]] = {}
for _names, _shown, _title in (
    ("仮リンク|link-en|link-de|link-fr|link-ru|link-ja|illm|interlanguage link multi", ("label", "lt", 1), 1),
    ("lien|lien interlangue", ("texte", "trad fr", "fr", 1), 1),
    ("le|lj|lf|ld|lr|link", (3, 1), 1),
    ("tsl|ill2|ilh|internal link helper", ("d", 4, 3), 3),
    ("нп|нп1|нп2|нп3|нп4|нп5|не переведено|не переведено 2|не переведено 3|не переведено 5|iw|не перекладено|"
     "не перакладзена", (2, 1), 1),
):  # fmt: skip
    for _name in _names.split("|"):
        _RED_LINKS[_name] = (_shown, _title)

HATNOTES = frozenset(
    """
    hauptartikel|siehe auch|article détaillé|articles détaillés|article principal|voir aussi|artículo principal|ap|vt|
    véase también|artigo principal|ver também|vedi anche|osobny artykuł|główny artykuł|zobacz też|hoofdartikel|
    zie hoofdartikel|zie ook|huvudartikel|se även|hovedartikkel|hovedartikel|se også|pääartikkeli|katso myös|podrobně|
    viz též|hlavný článok|основная статья|подробно|подробнее|см. также|основна стаття|докладніше|див. також|основна|
    главни чланак|види још|ana|ana madde|utama|artikel utama|lihat pula|chính|bài chính|主条目|主條目|参见|參見|
    본문|참고|مفصلة|مفصلة كلها|طالع أيضا|اصلی|همچنین ببینید|ערך מורחב|הפניה לערך מורחב|κύριο|κύριο λήμμα|bővebben|fő|
    articol principal|vezi și|nagusi|artikulu nagusia|vegeu també|ĉefartikolo|галоўны артыкул|негізгі мақала|
    მთავარი სტატია|მთავარი|հիմնական հոդված|मुख्य|मुख्य लेख|মূল নিবন্ধ|முதன்மை|บทความหลัก|əsas|asosiy maqola
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)


def red_link(name: str, args: Arguments) -> str | None:
    """What a link to another wiki's page shows; None for any other template."""
    found = _RED_LINKS.get(name)
    return args.show(*found[0]) if found is not None and args.count >= found[1] else None


def red_link_title(name: str, args: Arguments) -> str:
    """The title that the page would have here."""
    found = _RED_LINKS.get(name)
    return args.look(found[1]) if found is not None else ""


def french_ordinal(raw: str, args: Arguments) -> str | None:
    """{{XIXe siècle}}, {{1er}}, {{2e|édition}}: the name is what is shown."""
    if not _FRENCH_ORDINAL.fullmatch(raw):
        return None
    behind = args.show(1).strip()
    return numbers.apart(f"{raw} {behind}" if behind else raw)


def century_or_first(args: Arguments) -> str | None:
    """{{s|XIX|e}} is a century in French; elsewhere {{s|...}} keeps words on one line."""
    if _ROMAN.fullmatch(args.look(1)):
        return numbers.apart(f"{args.show(1).strip()}{args.show(2).strip() or 'e'} siècle")
    return args.show(1)


def hour(args: Arguments) -> str | None:
    """{{heure|12|30}}"""
    if not args.look(1).isdecimal() or not all(part.isdecimal() for part in args.numbered() if part):
        return None
    return numbers.apart(" ".join([args.show(1).strip(), "h", args.show(2).strip()]).strip())
