"""From a parsed page to the steps that write it. The same page gives the same graph, however often it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from graphvine.clock import NEVER
from graphvine.records import Claim, Row, Step
from graphvine.workers.wikipedia.boilerplate import is_boilerplate
from graphvine.workers.wikipedia.models import embedded_text
from graphvine.workers.wikipedia.parsed import ParsedPage
from graphvine.workers.wikipedia.passages import count_words, passages

_CATEGORY_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Draft:
    """A page on its way into the graph: its passages wait for their vectors."""

    claim: Claim
    page: ParsedPage
    revised_at: datetime | None
    passages: list[Row]
    boilerplate: list[bool]  # for each passage, whether it goes without a vector
    follow: bool  # whether its links are discovered

    @property
    def texts(self) -> list[str]:
        """What is embedded: a passage with the names of the sections that it stands in."""
        return [
            embedded_text(self.page.title, row["path"], row["text"])
            for row, boilerplate in zip(self.passages, self.boilerplate, strict=True)
            if not boilerplate
        ]


@dataclass(frozen=True, slots=True)
class Moment:
    """One time for a whole batch, so that its steps can be joined."""

    ms: int


def draft(claim: Claim, page: ParsedPage, revised_at: datetime | None, passage_words: int, follow: bool) -> Draft:
    rows, boilerplate = list[Row](), list[bool]()
    for section in page.sections:
        for part, text in enumerate(passages(section.text, passage_words)):
            row = {
                "claim": claim.seq, "id": f"{page.title}#{section.position}.{part}", "article": page.title,
                "title": section.title, "path": " / ".join(section.path), "level": section.level,
                "position": section.position, "part": part, "text": text, "seq": 0,
            }  # fmt: skip
            rows.append(row)
            boilerplate.append(is_boilerplate(section.path))
    return Draft(claim, page, revised_at, rows, boilerplate, follow)


@dataclass(frozen=True, slots=True)
class Vectors:
    """What the sections of a page get: a vector each, of one generation; a place in the queue for one; or none."""

    embed: Literal["now", "later", "never"]
    generation: int = 0
    embedded: Sequence[list[float]] = ()  # of the texts of a draft, in order
    place: int = 0

    def for_rows(self, boilerplate: Sequence[bool], at: Moment) -> Iterator[Row]:
        """The columns of each section that say so."""
        vectors = iter(self.embedded)
        for plain in boilerplate:
            columns: Row = {"even": None, "odd": None, "generation": -1, "place": self.place, "due": NEVER}
            if plain or self.embed == "never":
                yield columns | {"state": "plain"}
            elif self.embed == "later":
                yield columns | {"state": "waiting", "due": at.ms}
            else:
                column = "odd" if self.generation % 2 else "even"
                yield columns | {"state": "embedded", "generation": self.generation, column: next(vectors)}


def write(drafted: Draft, vectors: Vectors, links: Sequence[str], at: Moment, fresh: bool,
          there: Mapping[str, bool]) -> list[Step]:  # fmt: skip
    """The steps for one article; `there` are the sections that it has in the graph, and whether they hold."""
    claim = drafted.claim
    columns = vectors.for_rows(drafted.boilerplate, at)
    rows = [row | more for row, more in zip(drafted.passages, columns, strict=True)]
    kind = "disambiguation" if drafted.page.disambiguation else "article"
    properties = drafted.page.properties or None
    steps = [_describe(claim, kind, drafted.page.revision_id, drafted.revised_at, _words(rows), properties)]
    if not fresh:
        steps += _clear(claim, at)
        steps += _replaced(claim, [row for row in rows if row["id"] in there], _left(there, rows), at)
        rows = [row for row in rows if row["id"] not in there]
    if rows:
        steps.append(_near(claim, "add_sections", rows))
    steps += _categories(claim, drafted.page.categories, fresh)
    steps += _links(claim, links if drafted.follow else (), at, fresh)
    return steps


def write_redirect(claim: Claim, page: Any, target: str | None, fragment: str, revised_at: datetime | None,
                   at: Moment, fresh: bool, there: Mapping[str, bool]) -> list[Step]:  # fmt: skip
    """A title that stands for another: the other is discovered at the same depth."""
    steps = [_describe(claim, "redirect", page.revision_id, revised_at, 0)]
    if not fresh:
        steps += _clear(claim, at)
        steps += _replaced(claim, [], _left(there), at)
    if target is not None:
        found = {"claim": claim.seq, "title": target, "depth": claim.depth, "seq": 0}
        edge = {"claim": claim.seq, "source": claim.key, "target": target, "fragment": fragment}
        steps.append(Step("article.discover", {"rows": [found], "now": at.ms}))
        steps.append(Step("article.redirect", {"rows": [edge]}))
    return steps


def withdraw(claim: Claim, there: Mapping[str, bool], at: Moment) -> list[Step]:
    """A page that is gone, or can't be read any longer: its sections and links hold no more."""
    return [*_clear(claim, at), *_replaced(claim, [], _left(there), at)]


def _describe(
    claim: Claim, kind: str, revision: int, revised_at: datetime | None, words: int, properties: str | None = None
) -> Step:
    row = {
        "claim": claim.seq, "kind": kind, "revision": revision, "revised_at": revised_at, "words": words,
        "properties": properties,
    }  # fmt: skip
    return _near(claim, "describe", [row])


def _clear(claim: Claim, at: Moment) -> Iterator[Step]:
    yield Step("article.retire_edges", {"rows": [{"claim": claim.seq, "article": claim.key}], "at_ms": at.ms})


def _replaced(claim: Claim, changed: list[Row], gone: list[str], at: Moment) -> Iterator[Step]:
    if changed:
        yield Step("article.replace_sections", {"rows": changed})
    if gone:
        rows = [{"claim": claim.seq, "id": section, "seq": 0} for section in gone]
        yield Step("article.retire_sections", {"rows": rows, "at_ms": at.ms, "never": NEVER})


def _left(there: Mapping[str, bool], rows: Sequence[Row] = ()) -> list[str]:
    """The sections that hold until now and are not among these."""
    return sorted({section for section, holds in there.items() if holds} - {row["id"] for row in rows})


def _categories(claim: Claim, categories: Sequence[str], fresh: bool) -> Iterator[Step]:
    names = dict.fromkeys(name.partition(":")[2][:_CATEGORY_CHARACTERS] or name for name in categories)
    rows = [{"claim": claim.seq, "article": claim.key, "category": name} for name in names]
    if rows:
        yield Step("article.add_categories", {"rows": rows})
        yield _near(claim, "file", rows) if fresh else Step("article.categorise", {"rows": rows})


def _links(claim: Claim, links: Sequence[str], at: Moment, fresh: bool) -> Iterator[Step]:
    if not links:
        return
    found = [{"claim": claim.seq, "title": title, "depth": claim.depth + 1, "seq": 0} for title in links]
    if fresh:
        yield Step("article.branch", {"rows": found, "lo": claim.seq, "hi": claim.seq, "now": at.ms})
        return
    edges = [{"claim": claim.seq, "source": claim.key, "target": title} for title in links]
    yield Step("article.discover", {"rows": found, "now": at.ms})
    yield Step("article.link", {"rows": edges})


def _near(claim: Claim, block: str, rows: list[Row]) -> Step:
    return Step(f"article.{block}", {"rows": rows, "lo": claim.seq, "hi": claim.seq})


def _words(rows: Sequence[Row]) -> int:
    return sum(count_words(row["text"]) for row in rows)
