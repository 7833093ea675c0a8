"""What the search index holds of an item."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from graphvine.records import Row
from graphvine.search.documents import Document
from graphvine.workers.parts.hn.clean import plain
from graphvine.workers.parts.hn.item import Draft

KIND = "hn_item"


def document_of(draft: Draft) -> Document:
    """The document of a draft that is about to be written."""
    content = draft.content
    body = content.get("plain") or content.get("text")
    return _document(draft.id, content.get, body, draft.above, draft.story)


def document_of_row(row: Row) -> Document | tuple[str, str]:
    """The document of a row, or the name of one that must not be there."""
    if row["state"] != "completed":
        return KIND, str(row["hnId"])
    return _document(row["hnId"], row.get, row["body"], row["above"], row["story"])


def _document(id: int, get: Any, body: str | None, above: int | None, story: int | None) -> Document:
    texts = {}
    title, author, url = get("title"), get("by"), get("url")
    if title:
        texts["title"] = plain(title)
    if body:
        texts["body"] = body
    filters: dict[str, Any] = {
        "type": get("type"), "score": get("score") or 0, "time": get("time") or 0, "story": story or 0,
        "parent": above or 0,
    }  # fmt: skip
    if author:
        filters["author"] = author
    if url:
        host = urlsplit(url).hostname
        if host:
            filters["site"] = host.removeprefix("www.")
    return Document(KIND, str(id), id, texts, filters)
