"""Documents of your own as a source: a folder of Markdown, HTML and text, or a file of JSON lines."""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.workers.wikipedia.document_parser import FORMATS
from graphvine.workers.wikipedia.errors import BadDump
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Failed, Missing, Page, Result, read_title
from graphvine.workers.wikipedia.titles import Title, nearest

if TYPE_CHECKING:
    from graphvine.workers.search.mentions import Titles

MAX_BYTES = 8 * 1024 * 1024
_MAX_DOCUMENTS = 2_000_000
_LARGEST_LINE = MAX_BYTES
_NOTED = 20
_OWN_FIELDS = ("title", "text", "links", "categories", "tags", "format")
JSON_LINES = (".jsonl", ".ndjson")


class Documents:
    """What both kinds share: titles are taken as they are, links find a document by its path or by its name alone."""

    batch_size = 50
    cut = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.skipped: list[str] = []  # what could not be read at all, and has no title
        self._rules = SiteRules(name=name, free_titles=True)
        self._titles: dict[str, Any] = {}
        self._by_name: dict[str, str] = {}

    def rules(self) -> SiteRules:
        return self._rules

    def fetch(self, titles: Sequence[str]) -> list[Result]:
        return [self._result(asked) for asked in titles]

    def resolve(self, links: Sequence[str]) -> list[str]:
        """The titles that these links mean; one that means none stays as it is written."""
        return list(dict.fromkeys(self.find(link) or link for link in links))

    def find(self, asked: str) -> str | None:
        """A document by its title, its path, or the last part of either, in any case."""
        if asked in self._titles:
            return asked
        stem, suffix = posixpath.splitext(asked)
        if suffix.lower() in FORMATS and stem in self._titles:
            return stem
        return self._by_name.get(asked.casefold()) or self._by_name.get(posixpath.basename(stem).casefold())

    def changed_since(self, revisions: Mapping[str, int]) -> set[str]:
        changed = set()
        for title, revision in revisions.items():
            page = self._result(title)
            # A name that stands for another document has that one's revision.
            if not isinstance(page, Page) or page.revision_id != revision:
                changed.add(title)
        return changed

    def titles(self, contains: str = "", limit: int = 1000, *, namespace: int = 0, after: str = "") -> list[str]:
        if namespace:
            return []
        folded = contains.casefold()
        return [title for title in sorted(self._titles) if title > after and folded in title.casefold()][:limit]

    def like(self, title: str, limit: int = 3) -> list[str]:
        return nearest(title, self._titles, limit)

    def members(self, category: str) -> list[str]:
        return []

    def close(self) -> None:
        return None

    def _add(self, title: str, place: Any) -> None:
        self._titles[title] = place
        # The shortest path wins where several documents have one name, and the first of these.
        for name in (title.casefold(), posixpath.basename(title).casefold()):
            other = self._by_name.get(name)
            if other is None or (title.count("/"), title) < (other.count("/"), other):
                self._by_name[name] = title

    def _result(self, asked: str) -> Result:
        title = read_title(asked, self._rules)
        if isinstance(title, Failed):
            return title
        found = self.find(title.full)
        return self._page(asked, found) if found is not None else Missing(asked, title.full)

    def _page(self, asked: str, title: str) -> Result:
        raise NotImplementedError


class FolderSource(Documents):
    """Every document in a folder and the folders below it. Titles are paths without their ending."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder.name or str(folder))
        self._folder = folder.resolve()
        for path in self._files():
            stem = posixpath.splitext(path)[0]
            # Two documents that differ in their ending alone: the second keeps it.
            self._add(path if stem in self._titles else stem, path)

    def _files(self) -> Iterator[str]:
        order = list(FORMATS)
        found: list[tuple[str, int, str]] = []
        for parent, folders, names in os.walk(self._folder, followlinks=False):
            folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
            for name in names:
                suffix = posixpath.splitext(name)[1].lower()
                if suffix not in FORMATS or name.startswith("."):
                    continue
                path = Path(parent, name).relative_to(self._folder).as_posix()
                try:
                    path.encode("utf-8")
                except UnicodeEncodeError:
                    self._skip(f"{path!r}: its name is not text")
                    continue
                found.append((posixpath.splitext(path)[0], order.index(suffix), path))
                if len(found) > _MAX_DOCUMENTS:
                    raise BadDump(str(self._folder), f"it holds more than {_MAX_DOCUMENTS:,} documents", "Grow a part.")
        yield from (path for _, _, path in sorted(found))

    def _skip(self, what: str) -> None:
        if len(self.skipped) < _NOTED:
            self.skipped.append(what)

    def _page(self, asked: str, title: str) -> Result:
        relative = self._titles[title]
        path = self._folder / relative
        try:
            if not path.resolve().is_relative_to(self._folder):
                return Failed(asked, title, "hidden", f"{relative} is a link that leads out of the folder")
            with path.open("rb") as file:
                body = file.read(MAX_BYTES + 1)
                changed = os.fstat(file.fileno()).st_mtime
        except FileNotFoundError:
            return Missing(asked, title)
        except OSError as error:
            return Failed(asked, title, "broken", f"{relative} can't be read: {error.strerror or error}")
        if len(body) > MAX_BYTES:
            return Failed(asked, title, "too_large", f"{relative} is larger than {MAX_BYTES:,} bytes")
        format = FORMATS[posixpath.splitext(relative)[1].lower()]
        from graphvine.workers.common.pages.encodings import decode

        if b"\x00" in body[:4096] and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
            return Failed(asked, title, "broken", f"{relative} is not text")
        return Page(
            asked=asked, title=title, namespace=0, page_id=0, revision_id=_revision(body),
            timestamp=_timestamp(changed), wikitext=decode(body, markup=format == "html"), format=format,
        )  # fmt: skip


class JsonLinesSource(Documents):
    """A file with a JSON object on each line: title, text, links, categories, and any other fields.

    A line without a title is called by its `_id` or `id`, and where a title comes again with another one, that is added
    to it; otherwise the later line holds. A line without the field `links` links to the documents that its text names.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path.name)
        self._ids: dict[str, str] = {}  # of documents that have one, by their titles
        self._by_id: dict[str, str] = {}
        self._named: Titles | None = None
        self._file = path.open("rb")
        try:
            self._changed = os.fstat(self._file.fileno()).st_mtime
            self._index()
        except BaseException:
            self._file.close()
            raise

    def _index(self) -> None:
        number = start = 0
        while line := self._file.readline(_LARGEST_LINE + 1):
            number += 1
            place, start = start, start + len(line)
            if len(line) > _LARGEST_LINE:
                self._skip(number, f"is longer than {_LARGEST_LINE:,} bytes")
                while line and not line.endswith(b"\n"):
                    line = self._file.readline(_LARGEST_LINE)
                    start += len(line)
                continue
            if not line.strip():
                continue
            made = _object(line)
            if isinstance(made, str):
                self._skip(number, made)
                continue
            self._add(self._own_title(made), (place, len(line)))
            if len(self._titles) > _MAX_DOCUMENTS:
                raise BadDump(self.name, f"it holds more than {_MAX_DOCUMENTS:,} documents", "Grow a part of it.")

    def _skip(self, number: int, why: str) -> None:
        if len(self.skipped) < _NOTED:
            self.skipped.append(f"{self.name}, line {number}: {why}")

    def _own_title(self, made: Mapping[str, Any]) -> str:
        title, id = str(made["title"]), _id(made)
        if not id:
            return title
        if self._ids.get(title, id) != id or (title in self._titles and title not in self._ids):
            title = f"{title} ({id})"
        self._ids[title] = id
        self._by_id[id] = title
        return title

    def _links(self, made: Mapping[str, Any], title: str) -> tuple[str, ...]:
        """The links of a line, by titles or ids; where it has no such field, the documents that its text names."""
        more = made.get("metadata")
        given = made.get("links", more.get("links") if isinstance(more, dict) else None)
        if given is not None:
            return tuple(link if link in self._titles else self._by_id.get(link, link) for link in _strings(given))
        if self._named is None:
            from graphvine.workers.search.mentions import Title as Named
            from graphvine.workers.search.mentions import Titles

            self._named = Titles(Named(title) for title in self._titles)
        return tuple(other for other in self._named.named_in(str(made.get("text") or "")) if other != title)

    def _page(self, asked: str, title: str) -> Result:
        place, length = self._titles[title]
        line = os.pread(self._file.fileno(), length, place)
        made = _object(line)
        if isinstance(made, str) or title not in (made["title"], f"{made['title']} ({_id(made)})"):
            return Failed(asked, title, "broken", f"{self.name} changed while it was read: run this again")
        own = {name: made[name] for name in made if name not in _OWN_FIELDS}
        labels = [*_strings(made.get("categories")), *_strings(made.get("tags"))]
        format = made.get("format")
        return Page(
            asked=asked, title=title, namespace=0, page_id=0, revision_id=_revision(line),
            timestamp=_timestamp(self._changed), wikitext=str(made.get("text") or ""),
            links=self._links(made, title), categories=tuple(f"Category:{label}" for label in labels),
            properties={"fields": json.dumps(own, ensure_ascii=False)} if own else {},
            format=format if format in ("markdown", "html") else "text",
        )  # fmt: skip

    def close(self) -> None:
        self._file.close()


def _object(line: bytes) -> dict[str, Any] | str:
    """The object on a line, with a title that can be one; or what is wrong with it."""
    try:
        made = json.loads(line)
    except (ValueError, RecursionError):
        return "is not JSON"
    if not isinstance(made, dict):
        return "is not a JSON object"
    title = made.get("title") or _id(made)
    if not isinstance(title, str) or not title:
        return "has no title"
    read = read_title(title, _FREE)
    if not isinstance(read, Title):
        return f"has a title that can't be one: {read.reason}"
    return made | {"title": read.full}


def _id(made: Mapping[str, Any]) -> str:
    found = made.get("_id", made.get("id"))
    return " ".join(str(found).split())[:100] if isinstance(found, str | int) else ""


_FREE = SiteRules(free_titles=True)


def _strings(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    return [" ".join(one.split())[:1_000] for one in values if isinstance(one, str) and one.strip()]


def _revision(body: bytes) -> int:
    """The same for the same text: a file that was only touched did not change."""
    return int.from_bytes(hashlib.blake2b(body, digest_size=8).digest()) >> 1


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()
