"""What a wiki says of itself: its namespaces, its prefixes to other wikis, and its words for a redirect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphvine.workers.wikipedia.interwiki import LANGUAGES, SISTERS

MEDIA, SPECIAL, MAIN, TALK, FILE, TEMPLATE, CATEGORY = -2, -1, 0, 1, 6, 10, 14

# The names that every MediaWiki understands, whatever its language.
CANONICAL = {
    -2: "Media", -1: "Special", 0: "", 1: "Talk", 2: "User", 3: "User talk", 4: "Project", 5: "Project talk",
    6: "File", 7: "File talk", 8: "MediaWiki", 9: "MediaWiki talk", 10: "Template", 11: "Template talk",
    12: "Help", 13: "Help talk", 14: "Category", 15: "Category talk",
}  # fmt: skip
OLD_NAMES = {"image": 6, "image talk": 7}
# English Wikipedia's own, so that a dump without a header still sorts its pages.
WIKIPEDIA_EXTRAS = {
    4: "Wikipedia", 5: "Wikipedia talk", 100: "Portal", 101: "Portal talk", 118: "Draft",
    119: "Draft talk", 126: "MOS", 127: "MOS talk", 710: "TimedText", 711: "TimedText talk", 828: "Module",
    829: "Module talk",
}  # fmt: skip
WIKIPEDIA_ALIASES = {"wp": 4, "wt": 5}

REDIRECT_WORDS = (
    "#redirect", "#weiterleitung", "#redirection", "#redirección", "#redireccion",
    "#redirecionamento", "#rinvia", "#doorverwijzing", "#patrz", "#przekieruj", "#tam",
    "#omdirigering", "#omdiriger", "#viderekobling", "#ohjaus", "#uudelleenohjaus",
    "#átirányítás", "#přesměruj", "#перенаправление", "#перенапр", "#перенаправлення",
    "#преусмери", "#yönlendir", "#yönlendirme", "#đổi", "#alih", "#lencong", "#تحويل",
    "#تغییرمسیر", "#הפניה", "#転送", "#リダイレクト", "#넘겨주기", "#重定向", "#重新導向", "#ανακατευθυνση",
    "#preusmeri", "#presmeruj",
)  # fmt: skip


def namespace_key(name: str) -> str:
    """A namespace's name as it is compared: any case, spaces or underscores."""
    return name.replace("_", " ").strip().lower()


@dataclass(frozen=True)
class SiteRules:
    """The rules by which one wiki reads titles; plain data, so that another process can be told them."""

    name: str = "wiki"
    language: str = "en"
    namespaces: Mapping[int, str] = field(default_factory=lambda: {**CANONICAL, **WIKIPEDIA_EXTRAS})
    aliases: Mapping[str, int] = field(default_factory=lambda: dict(WIKIPEDIA_ALIASES))
    # Namespaces where `iPod` and `IPod` are two pages.
    case_sensitive: frozenset[int] = frozenset()
    interwiki: frozenset[str] = LANGUAGES | SISTERS
    # Prefixes that lead back to this very wiki.
    local_interwiki: frozenset[str] = frozenset()
    language_links: frozenset[str] = LANGUAGES
    redirect_words: tuple[str, ...] = REDIRECT_WORDS
    # Names to numbers, made from the fields above.
    lookup: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lookup = {namespace_key(name): number for number, name in CANONICAL.items() if name} | OLD_NAMES
        lookup |= {namespace_key(name): number for name, number in self.aliases.items()}
        lookup |= {namespace_key(name): number for number, name in self.namespaces.items() if name}
        object.__setattr__(self, "lookup", lookup)

    def namespace_number(self, name: str) -> int | None:
        """The number behind a prefix, None if it is no namespace of this wiki."""
        return self.lookup.get(namespace_key(name))

    def namespace_name(self, number: int) -> str:
        """The name this wiki gives to a namespace."""
        return self.namespaces.get(number) or CANONICAL.get(number) or (f"Namespace {number}" if number else "")

    def as_json(self) -> dict[str, Any]:
        """The same rules as lists and strings, for the process that parses."""
        return {
            "name": self.name,
            "language": self.language,
            "namespaces": {str(number): name for number, name in self.namespaces.items()},
            "aliases": dict(self.aliases),
            "case_sensitive": sorted(self.case_sensitive),
            "interwiki": sorted(self.interwiki),
            "local_interwiki": sorted(self.local_interwiki),
            "language_links": sorted(self.language_links),
            "redirect_words": list(self.redirect_words),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SiteRules:
        """The inverse of `as_json`."""
        return cls(
            name=data["name"],
            language=data["language"],
            namespaces={int(number): name for number, name in data["namespaces"].items()},
            aliases=dict(data["aliases"]),
            case_sensitive=frozenset(data["case_sensitive"]),
            interwiki=frozenset(data["interwiki"]),
            local_interwiki=frozenset(data["local_interwiki"]),
            language_links=frozenset(data["language_links"]),
            redirect_words=tuple(data["redirect_words"]),
        )


def rules_from_siteinfo(info: Mapping[str, Any]) -> SiteRules:
    """The rules in an answer to `meta=siteinfo`, format version 2."""
    general = info["general"]
    spaces: Iterable[Mapping[str, Any]] = info["namespaces"].values()
    prefixes: Iterable[Mapping[str, Any]] = info.get("interwikimap", ())
    words = [word for magic in info.get("magicwords", ()) if magic["name"] == "redirect" for word in magic["aliases"]]
    return SiteRules(
        name=str(general.get("sitename", "wiki")),
        language=str(general.get("lang", "en")),
        namespaces={int(space["id"]): str(space["name"]) for space in spaces},
        aliases={str(pair["alias"]): int(pair["id"]) for pair in info.get("namespacealiases", ())},
        case_sensitive=frozenset(int(space["id"]) for space in spaces if space.get("case") == "case-sensitive"),
        interwiki=frozenset(str(row["prefix"]).lower() for row in prefixes),
        local_interwiki=frozenset(str(row["prefix"]).lower() for row in prefixes if row.get("localinterwiki")),
        language_links=frozenset(str(row["prefix"]).lower() for row in prefixes if row.get("language")),
        redirect_words=tuple(dict.fromkeys([*(word.lower() for word in words), "#redirect"])),
    )
