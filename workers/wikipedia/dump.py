"""Pages from a MediaWiki XML dump: .xml, .xml.gz or .xml.bz2, each title a seek away."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from xml.parsers.expat import ExpatError

from graphvine.workers.wikipedia.disambiguation import LISTING, listed_templates, puts_switch
from graphvine.workers.wikipedia.dump_build import Progress, open_index
from graphvine.workers.wikipedia.dump_index import Counts
from graphvine.workers.wikipedia.dump_xml import Broken, Entry, revision_text
from graphvine.workers.wikipedia.links import PageLinks
from graphvine.workers.wikipedia.redirects import follow, marked_redirect, redirect_in, redirect_title
from graphvine.workers.wikipedia.site import CATEGORY, TEMPLATE, SiteRules
from graphvine.workers.wikipedia.sources import Failed, Hop, Missing, Page, Result, Unread, read_title
from graphvine.workers.wikipedia.template_rules import template_name
from graphvine.workers.wikipedia.titles import InvalidTitle, Title, nearest

_CATEGORY_LINK = re.compile(r"\[\[([^\[\]{}<>|\n:]{1,60}:[^\[\]{}<>|\n]{1,300})(?:\||\]\])")
# XML spells some characters with five or six bytes; no wiki's limit is beyond 2 MiB of text.
_XML_BYTES_PER_TEXT_BYTE = 6


class DumpSource:
    """A wiki as it was on the day of its dump."""

    def __init__(
        self,
        path: str | Path,
        *,
        index_folder: Path | None = None,
        progress: Progress | None = None,
        max_wikitext_bytes: int = 4 * 1024 * 1024,
        batch_size: int = 50,
        name: str | None = None,
        in_memory: bool = False,
    ) -> None:
        """Open a dump. The first time this reads all of it, of which `progress` is called."""
        self._path = Path(path)
        self._name, self._batch_size = name or self._path.name, batch_size
        self._max_wikitext_bytes = max_wikitext_bytes
        self._index, self._blocks = open_index(self._path, index_folder, progress, in_memory)
        self._rules = SiteRules.from_json(json.loads(self._index.meta("rules") or "{}"))
        self._rules = replace(self._rules, disambiguation_templates=self._disambiguation_templates())
        trouble = self._index.meta("cut")
        self._cut = f"{self._name} is not whole: {trouble}" if trouble else ""

    @property
    def cut(self) -> str:
        return self._cut

    @property
    def name(self) -> str:
        return self._name

    @property
    def batch_size(self) -> int:
        return self._batch_size

    def rules(self) -> SiteRules:
        return self._rules

    def fetch(self, titles: Sequence[str]) -> list[Result]:
        read = [read_title(asked, self._rules) for asked in titles]
        entries = self._index.find(title.full for title in read if isinstance(title, Title))
        results: dict[int, Result] = {}
        # In the order of the file: neighbours are often packed together.
        for place in sorted(range(len(read)), key=lambda place: self._start(read[place], entries)):
            asked, title = titles[place], read[place]
            results[place] = title if isinstance(title, Failed) else self._result(asked, title.full, entries)
        return [results[place] for place in range(len(read))]

    def changed_since(self, revisions: Mapping[str, int]) -> set[str]:
        read = {asked: read_title(asked, self._rules) for asked in revisions}
        entries = self._index.find(title.full for title in read.values() if isinstance(title, Title))
        return {
            asked
            for asked, title in read.items()
            if isinstance(title, Failed) or self._changed(entries.get(title.full), revisions[asked])
        }

    def _disambiguation_templates(self) -> frozenset[str]:
        """The names of the templates that mark lists of meanings, found once for a dump."""
        known = self._index.meta("disambiguation")
        if known is None:
            known = json.dumps(sorted(self._find_disambiguation_templates()))
            with suppress(sqlite3.OperationalError):  # an index that can't be written: found again the next time
                self._index.save(meta={"disambiguation": known})
        return frozenset(json.loads(known))

    def _find_disambiguation_templates(self) -> set[str]:
        found: dict[str, None] = {}
        for entry in self._index.disambiguating():
            text = self._text(entry.title, entry)
            if isinstance(text, str) and puts_switch(text):
                found[entry.title] = None
        listing = self._index.find([LISTING]).get(LISTING)
        text = self._text(LISTING, listing) if listing else ""
        for name in listed_templates(text) if isinstance(text, str) else ():
            title = read_title(name, self._rules)
            if isinstance(title, Title) and title.namespace == TEMPLATE:
                found[title.full] = None
        more: list[str] = list(found)
        while more := [title for title in self._index.redirects_to(more, TEMPLATE) if title not in found]:
            found |= dict.fromkeys(more)
        return {template_name(title, self._rules) for title in found}

    def _changed(self, entry: Entry | None, revision: int) -> bool:
        # What lies behind a cut is not gone.
        return not self._cut if entry is None else entry.revision_id != revision

    def close(self) -> None:
        self._blocks.close()
        self._index.close()

    def counts(self) -> Counts:
        """How many pages the dump holds, by kind."""
        return self._index.counts()

    def broken_pages(self, limit: int = 1000) -> list[Broken]:
        """The pages that could not be read, each with its reason."""
        return self._index.broken_pages(limit)

    def titles(self, contains: str = "", limit: int = 1000, *, namespace: int = 0, after: str = "") -> list[str]:
        """Titles of a namespace in order, from behind a given one on."""
        return self._index.titles(namespace, after, limit, contains)

    def like(self, title: str, limit: int = 3) -> list[str]:
        return nearest(title, self._index.candidates(title), limit)

    def members(self, category: str) -> list[str]:
        """Reads all of the dump, in its own order: a dump does not list them."""
        wanted = read_title(category, self._rules)
        if isinstance(wanted, Failed) or wanted.namespace != CATEGORY:
            return []
        name = wanted.full.partition(":")[2].casefold()
        found = []
        for entry in self._index.entries():
            text = self._text(entry.title, entry)
            if isinstance(text, str) and name in text.replace("_", " ").casefold():
                links = PageLinks(entry.title, self._rules, frozenset())
                for target in _CATEGORY_LINK.findall(text):
                    links.add(target, links.read_title(target), "")
                if wanted.full in links.categories:
                    found.append(entry.title)
        return found

    @staticmethod
    def _start(title: Title | Failed, entries: Mapping[str, Entry]) -> int:
        entry = entries.get(title.full) if isinstance(title, Title) else None
        return entry.start if entry else -1

    def _result(self, asked: str, title: str, entries: Mapping[str, Entry]) -> Result:
        entry = entries.get(title)
        if entry is None:
            broken = self._index.broken_page(title)
            if broken:
                return Failed(asked, title, "broken", broken.reason)
            return Unread(asked, title, self._cut) if self._cut else Missing(asked, title)
        text = self._text(asked, entry)
        if isinstance(text, Failed):
            return text
        page = Page(
            asked=asked,
            title=title,
            namespace=entry.namespace,
            page_id=entry.page_id,
            revision_id=entry.revision_id,
            timestamp=entry.timestamp,
            wikitext=text,
        )
        target = redirect_title(text, self._rules)
        if target and target.interwiki:
            return Failed(asked, title, "interwiki", f"it redirects to another wiki: {target.interwiki}:{target.full}")
        own = redirect_in(text, self._rules) or self._marked(entry, text)
        if own is None:
            return page
        return follow(page, lambda place: own if place == title else self._next_hop(place))

    def _text(self, asked: str, entry: Entry) -> str | Failed:
        if entry.hidden:
            return Failed(asked, entry.title, "hidden", "its newest text was taken out of public view")
        if entry.model != "wikitext":
            return Failed(asked, entry.title, "not_wikitext", f"its content is {entry.model}, not wikitext")
        limit = f"its text is larger than {self._max_wikitext_bytes:,} bytes"
        if entry.length > self._max_wikitext_bytes * _XML_BYTES_PER_TEXT_BYTE:
            return Failed(asked, entry.title, "too_large", limit)
        try:
            text = revision_text(self._blocks.read(entry.start, entry.length))
        except ExpatError as error:
            return Failed(asked, entry.title, "broken", f"its XML is broken: {error}")
        if not text and entry.stub:
            return Failed(asked, entry.title, "broken", "the dump holds only its description, not its text")
        if len(text.encode()) > self._max_wikitext_bytes:
            return Failed(asked, entry.title, "too_large", limit)
        return text

    def _next_hop(self, title: str) -> Hop | None:
        entry = self._index.find([title]).get(title)
        text = self._text(title, entry) if entry else ""
        if not entry or isinstance(text, Failed):
            return None
        return redirect_in(text, self._rules) or self._marked(entry, text)

    def _marked(self, entry: Entry, text: str) -> Hop | None:
        """The mark that the dump sets beside a redirect, for keywords that we do not know."""
        try:
            return marked_redirect(entry.redirect, text, self._rules) if entry.redirect else None
        except InvalidTitle:
            return None


SEED = "Vine"


class SampleSource(DumpSource):
    """The sample wiki, read from the dump in the package; its index lives in memory."""

    def __init__(self, batch_size: int = 50) -> None:
        self._package = ExitStack()
        dump = files("graphvine.workers.wikipedia").joinpath("sample", "garden.xml")
        path = self._package.enter_context(as_file(dump))
        super().__init__(path, name="sample", in_memory=True, batch_size=batch_size)

    def close(self) -> None:
        super().close()
        self._package.close()
