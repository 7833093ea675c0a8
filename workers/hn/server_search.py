"""Items found by the indexes that a server keeps itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from graphvine.search.server_index import ServerRows
from graphvine.workers.hn.threads import load


class ServerItems(ServerRows):
    pipeline = "hn_item"
    # Where an item's words stand: its plain text is `text` itself where it has no other.
    fields: ClassVar[Mapping[str, Sequence[str]]] = {"text_words": ("title", "text"), "plain_words": ("title", "plain")}

    def key(self, id: str) -> int:
        return int(id)

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        return {str(row["hnId"]): _text(row) for row in load(self._graph, [int(id) for id in ids])}


def _text(row: dict[str, Any]) -> str:
    title = row["title"] or ""
    body = row["plain"] or row["text"] or ""
    return f"{title}\n{body}" if title and body else title or body
