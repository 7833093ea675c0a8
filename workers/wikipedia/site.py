"""What a wiki says of itself: its namespaces, its prefixes to other wikis, and its words for a redirect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_LANGUAGE_CODES = """
aa ab ace ady af ak als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa ay az azb ba
ban bar bat-smg bbc bcl bdr be be-tarask be-x-old bew bg bh bi bjn blk bm bn bo bpy br bs btm bug
bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb cu cv cy da dag de dga din diq dsb dtp
dty dv dz ee el eml en eo es et eu ext fa fat ff fi fiu-vro fj fo fon fr frp frr fur fy ga gag gan
gcr gd gl glk gn gom gor got gpe gsw gu guc gur guw gv ha hak haw he hi hif ho hr hsb ht hu hy hyw
hz ia iba id ie ig igl ii ik ilo inh io is it iu ja jam jbo jv ka kaa kab kbd kbp kcg kg kge ki kj
kk kl km kn knc ko koi kr krc ks ksh ku kus kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo
lrc lt ltg lv lzh mad mai map-bms mdf mg mh mhr mi min mk ml mn mni mnw mos mr mrj ms mt mus mwl my
myv mzn na nah nap nds nds-nl ne new ng nia nl nn no nov nqo nr nrm nso nup nv ny oc olo om or os pa
pag pam pap pcd pcm pdc pfl pi pih pl pms pnb pnt ps pt pwn qu rm rmy rn ro roa-rup roa-tara rsk ru
rue rup rw sa sah sat sc scn sco sd se sg sgs sh shi shn si simple sk skr sl sm smn sn so sq sr srn
ss st stq su sv sw syl szl szy ta tay tcy tdd te tet tg th ti tk tl tly tn to tpi tr trv ts tt tum
tw ty tyv udm ug uk ur uz ve vec vep vi vls vo vro wa war wo wuu xal xh xmf yi yo yue za zea zgh zh
zh-classical zh-min-nan zh-yue zu
"""

_OTHER_PREFIXES = """
b betawikiversity c cache choralwiki commons d doi foundation foundationsite gerrit google imdbname
imdbtitle incubator iarchive isbn issn jstor lod m mail mailarchive mediawikiwiki meta metawikimedia
mw n oeis openlibrary orcid otrs outreach outreachwiki phab phabricator pmid q quality rfc s species
specieswiki strategy svn test testwiki testwikidata tools translatewiki v viaf voy w wikia wikibooks
wikidata wikimania wikimedia wikinews wikipedia wikiquote wikisource wikispecies wikitech
wikiversity wikivoyage wikt wiktionary wmania wmf
"""

LANGUAGES = frozenset(_LANGUAGE_CODES.split())
SISTERS = frozenset(_OTHER_PREFIXES.split())


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


def api_of(main_page: str) -> str:
    """Where api.php of a wiki is, by the address of its main page; '' where that is unknown.

    Wikimedia's wikis have their pages below /wiki/ and the scripts below /w/; others beside index.php.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(main_page.strip()[:2_000])
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    host = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    if parts.path.startswith("/wiki/"):
        return f"{host}/w/api.php"
    before, script, _ = parts.path.partition("index.php")
    return f"{host}{before}api.php" if script else ""


@dataclass(frozen=True)
class SiteRules:
    """The rules by which one wiki reads titles; plain data, so that another process can be given them."""

    name: str = "wiki"
    language: str = "en"
    # api.php of the wiki, where the source tells; pages can be cited by it.
    api_url: str = ""
    namespaces: Mapping[int, str] = field(default_factory=lambda: {**CANONICAL, **WIKIPEDIA_EXTRAS})
    aliases: Mapping[str, int] = field(default_factory=lambda: dict(WIKIPEDIA_ALIASES))
    # Namespaces where `iPod` and `IPod` are two pages.
    case_sensitive: frozenset[int] = frozenset()
    interwiki: frozenset[str] = LANGUAGES | SISTERS
    # Prefixes that lead back to this very wiki.
    local_interwiki: frozenset[str] = frozenset()
    language_links: frozenset[str] = LANGUAGES
    redirect_words: tuple[str, ...] = REDIRECT_WORDS
    # Templates that mark a list of meanings, in lower case, beyond those that are known everywhere.
    disambiguation_templates: frozenset[str] = frozenset()
    # Titles are taken as they are written: documents of one's own have no namespaces.
    free_titles: bool = False
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
            "api_url": self.api_url,
            "namespaces": {str(number): name for number, name in self.namespaces.items()},
            "aliases": dict(self.aliases),
            "case_sensitive": sorted(self.case_sensitive),
            "interwiki": sorted(self.interwiki),
            "local_interwiki": sorted(self.local_interwiki),
            "language_links": sorted(self.language_links),
            "redirect_words": list(self.redirect_words),
            "disambiguation_templates": sorted(self.disambiguation_templates),
            "free_titles": self.free_titles,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SiteRules:
        """The inverse of `as_json`."""
        return cls(
            name=data["name"],
            language=data["language"],
            api_url=data.get("api_url", ""),
            namespaces={int(number): name for number, name in data["namespaces"].items()},
            aliases=dict(data["aliases"]),
            case_sensitive=frozenset(data["case_sensitive"]),
            interwiki=frozenset(data["interwiki"]),
            local_interwiki=frozenset(data["local_interwiki"]),
            language_links=frozenset(data["language_links"]),
            redirect_words=tuple(data["redirect_words"]),
            disambiguation_templates=frozenset(data.get("disambiguation_templates", ())),
            free_titles=bool(data.get("free_titles", False)),
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
