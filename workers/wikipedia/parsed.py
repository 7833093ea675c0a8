"""What is read out of a page: plain data, so that it can come from another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphvine.workers.wikipedia.sources import Hop


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page. The lead is the section at position 0, with level 1, no title and an empty path."""

    title: str
    # The number of equal signs: 2 for a section, 3 for one inside it.
    level: int
    position: int
    # The titles from the outermost section down to this one.
    path: tuple[str, ...]
    # The section's own text, without that of the sections inside it; may be empty.
    text: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page without its markup."""

    title: str
    namespace: int
    revision_id: int
    # In order; the first one is the lead.
    sections: tuple[Section, ...]
    # Titles of other pages, each once, in the order of the text.
    links: tuple[str, ...]
    # With their prefix, each once, without sort keys.
    categories: tuple[str, ...]
    redirect_to: Hop | None = None
    disambiguation: bool = False
    # A phrase on what the page is about, where the page itself gives one.
    description: str = ""
    # Front matter and other fields of a document, as JSON; '' for none.
    properties: str = ""

    @property
    def lead(self) -> Section:
        """What stands before the first heading."""
        return self.sections[0]

    def as_json(self) -> dict[str, Any]:
        """The page as lists and strings."""
        hop = self.redirect_to
        return {
            "title": self.title,
            "namespace": self.namespace,
            "revision_id": self.revision_id,
            "sections": [[s.title, s.level, s.position, list(s.path), s.text] for s in self.sections],
            "links": list(self.links),
            "categories": list(self.categories),
            "redirect_to": [hop.title, hop.fragment] if hop else None,
            "disambiguation": self.disambiguation,
            "description": self.description,
            "properties": self.properties,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ParsedPage:
        """The inverse of `as_json`."""
        hop = data["redirect_to"]
        return cls(
            title=data["title"],
            namespace=data["namespace"],
            revision_id=data["revision_id"],
            sections=tuple(
                Section(title, level, position, tuple(path), text)
                for title, level, position, path, text in data["sections"]
            ),
            links=tuple(data["links"]),
            categories=tuple(data["categories"]),
            redirect_to=Hop(*hop) if hop else None,
            disambiguation=data["disambiguation"],
            description=data["description"],
            properties=data["properties"],
        )


@dataclass(frozen=True, slots=True)
class Malformed:
    """A page that can't be parsed, now or later."""

    title: str
    reason: str
