"""Where pages come from: one interface for the API of a wiki, for a dump, and for the sample in the package.

What is wrong with one title comes back as a result, in the place of its page. What is wrong with the source
as a whole is raised (SourceUnavailable, SourceRefused), and then nothing is said of any title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from graphvine.workers.wikipedia.site import SPECIAL, SiteRules
from graphvine.workers.wikipedia.titles import InvalidTitle, Title, parse_title

FailureKind = Literal[
    "invalid_title",  # no page can be called so
    "interwiki",      # the title belongs to another wiki
    "special",        # a page that the software makes up, such as Special:Random
    "redirect_loop",  # the redirects lead back to themselves, or further than anyone should follow
    "not_wikitext",   # a script, a style sheet, data
    "hidden",         # the text was taken out of public view
    "too_large",      # beyond the limit
    "broken",         # the dump holds the page, but not in a form that can be read
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hop:
    """One redirect: the page it leads to and, perhaps, a section there."""

    title: str
    fragment: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it stands, never the target of its redirect."""

    asked: str
    title: str
    namespace: int
    page_id: int
    revision_id: int
    # As MediaWiki writes it: 2024-05-01T12:00:00Z.
    timestamp: str
    wikitext: str
    # None where the source does not know them and the text has to say.
    links: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    format: str = "wikitext"  # or markdown, html, text
    # Empty unless the page is a redirect: then every hop, the last one being where a reader ends up.
    redirects: tuple[Hop, ...] = ()

    @property
    def redirect_to(self) -> Hop | None:
        """Where this page itself points: the first hop."""
        return self.redirects[0] if self.redirects else None


@dataclass(frozen=True, slots=True)
class Missing:
    """The title is fine, and there is no such page."""

    asked: str
    title: str

    @property
    def reason(self) -> str:
        return f"there is no page {self.title!r}"


@dataclass(frozen=True, slots=True)
class Failed:
    """The title will never give a page."""

    asked: str
    title: str
    kind: FailureKind
    reason: str


@dataclass(frozen=True, slots=True)
class Unread:
    """The source is cut: it can't say whether there is such a page. A better copy of it can."""

    asked: str
    title: str
    reason: str


Result = Page | Missing | Failed | Unread


class Source(Protocol):
    """A wiki to read from; `fetch` may be called by several threads."""

    @property
    def name(self) -> str:
        """The wiki in a word or an address, for messages."""
        ...

    @property
    def batch_size(self) -> int:
        """How many titles one fetch takes best; more are cut into several calls."""
        ...

    def rules(self) -> SiteRules:
        """How this wiki reads titles."""
        ...

    @property
    def cut(self) -> str:
        """Where the source ends before its end, in a sentence; '' for a source that is whole."""
        ...

    def fetch(self, titles: Sequence[str]) -> list[Result]:
        """One result for each title, in order."""
        ...

    def changed_since(self, revisions: Mapping[str, int]) -> set[str]:
        """Those of the given titles whose newest revision is another one by now, or which are gone."""
        ...

    def titles(self, contains: str = "", limit: int = 1000, *, namespace: int = 0) -> list[str]:
        """Titles of a namespace in order, those with this text in them, in any case."""
        ...

    def like(self, title: str, limit: int = 3) -> list[str]:
        """Titles that somebody may have meant who wrote one that is not there, the most likely first."""
        ...

    def members(self, category: str) -> list[str]:
        """The articles in a category, which is named with its prefix."""
        ...

    def close(self) -> None:
        """Give back files and connections."""
        ...


def read_title(asked: str, rules: SiteRules) -> Title | Failed:
    """The title that a source should look up, or the reason not to look at all."""
    try:
        title = parse_title(asked, rules)
    except InvalidTitle as error:
        return Failed(asked, asked, "invalid_title", f"no page can be called so: {error.reason}")
    if title.interwiki:
        return Failed(asked, asked, "interwiki", f"{title.interwiki!r} is the prefix of another wiki")
    if not title.full:
        return Failed(asked, asked, "invalid_title", "no page can be called so: it is only a fragment")
    if title.namespace <= SPECIAL:
        return Failed(asked, title.full, "special", "a page that the software makes up has no text of its own")
    return title
