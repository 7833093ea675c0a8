"""The links of a page: what each of them points to, and what it shows."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

from graphvine.workers.wikipedia.placeholders import SEAM, without_marks
from graphvine.workers.wikipedia.site import CATEGORY, FILE, MEDIA, SiteRules
from graphvine.workers.wikipedia.titles import InvalidTitle, Title, parse_title

_LINK_OPTION = re.compile(r"\|[ \t]*link[ \t]*=([^|]+)")
_ADDRESS = re.compile(r"\s{0,9}:?\s{0,9}(?:(?:https?|ftps?|ircs?|news|mailto|git|svn|ssh|sftp):|//)", re.IGNORECASE)


class PageLinks:
    """Collects titles and categories, each once, in the order of the text."""

    def __init__(self, title: str, rules: SiteRules, namespaces: frozenset[int]) -> None:
        self._title, self._rules, self._namespaces = title, rules, namespaces
        self._read: dict[str, Title | None] = {}
        self.links: dict[str, None] = {}
        self.categories: dict[str, None] = {}

    def add(self, target: str, title: Title | None, label: str) -> str:
        """Take in a link, and return what it shows."""
        named = bool(label.strip())
        if title is None:
            return label if named else " ".join(target.split())
        leading_colon = target.lstrip().startswith(":")
        if title.interwiki:
            # A language link stands at the edge of a page, not in its text.
            shown = leading_colon or title.interwiki not in self._rules.language_links
            return (label if named else title.full) if shown else SEAM
        if title.namespace == CATEGORY and not leading_colon:
            self.categories.setdefault(title.full)
            return SEAM
        if is_file(target, title):
            for option in _LINK_OPTION.findall("|" + label) if "link" in label else ():
                self._point(self.read_title(without_marks(option)))
            return SEAM
        self._point(title)
        name = target.strip().removeprefix(":").strip()
        return label if named else html.unescape(name.removeprefix("#")).replace("_", " ")

    def read_title(self, target: str) -> Title | None:
        """The title that a link names; None where no page can be called so."""
        if target not in self._read:
            self._read[target] = self._parsed(target)
        return self._read[target]

    def _parsed(self, target: str) -> Title | None:
        if _ADDRESS.match(target):
            return None  # of another site, in brackets that do not suit it
        try:
            return parse_title(unquote(target) if "%" in target else target, self._rules)
        except InvalidTitle:
            return None

    def _point(self, title: Title | None) -> None:
        if title is None or title.interwiki or not title.full or title.full == self._title:
            return
        if title.namespace in self._namespaces:
            self.links.setdefault(title.full)


def is_file(target: str, title: Title | None) -> bool:
    """Whether a link shows a picture or a sound, rather than pointing to a page."""
    if title is None or title.interwiki:
        return False
    return title.namespace == MEDIA or (title.namespace == FILE and not target.lstrip().startswith(":"))
