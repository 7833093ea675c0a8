"""The vectors of items, news and pages, which a queue of their own fills: an index beside that of their words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphvine.search.documents import Document, Hit

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.index_sync import FollowedIndex
    from graphvine.records import Row

PIPELINE = "vector"
# A server's index holds all kinds: so many of the nearest are looked at for those of one kind.
_SERVER_CANDIDATES = 1_000


class RowVectors:
    """Those of one kind, by the model in use. The index is opened with the first of them, and anew with another model.

    `model`: the one whose vectors to use (name, dimension, generation), where it is not the one in use.
    """

    def __init__(self, graph: Graph, kind: str, model: Mapping[str, Any] | None = None) -> None:
        self._graph, self._kind, self._given = graph, kind, model
        self._on_server = "search_vector" in graph.library.entities[PIPELINE].blocks
        self._followed: FollowedIndex | None = None
        self._model: Mapping[str, Any] | None = None
        self._seen = 0  # the highest number of any kind that was there when it was last asked for
        self._there = False
        self._content: tuple[int, ...] | None = None  # what the graph held when it was last asked

    @property
    def there(self) -> bool:
        """Whether there are any."""
        return self._there

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        """Come to where the graph is. Returns how many rows were read."""
        content = self._graph.store.content
        if content is not None and content == self._content:
            return 0
        newest = self._graph.read(f"{PIPELINE}.newest_change", after=self._seen)[0]["seq"] or self._seen
        model = self._given or next(iter(self._graph.read("article.models")), None)
        if newest == self._seen and model == self._model:
            self._content = content
            return 0
        if model != self._model:
            self.close()
        self._there = model is not None and self._kind in {row["kind"] for row in self._graph.read(f"{PIPELINE}.kinds")}
        taken = 0
        if self._there and model is not None and not self._on_server:
            self._followed = self._followed or self._open(model)
            taken = self._followed.catch_up(progress)
        self._seen, self._model, self._content = newest, model, content
        return taken

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        self.catch_up()  # which opens it, where it is not open yet
        return self._followed.rebuild(progress) if self._followed is not None else 0

    def nearest(self, vector: Any, limit: int) -> Sequence[Hit]:
        """The rows whose vectors are nearest, with their cosines."""
        if self._on_server:
            candidates = max(limit, _SERVER_CANDIDATES)
            found = self._ask("search_vector", vector, limit, kind=self._kind, candidates=candidates)
            if len(found) == limit:
                return found
            return self._ask("search_vector_of_kind", vector, limit, kind=self._kind)
        return () if self._followed is None else self._followed.index.vector(vector, limit=limit, snippets=False).hits

    def nearest_of(self, vector: Any, keys: Sequence[str], limit: int) -> Sequence[Hit]:
        """Those of these rows that have a vector, the nearest first."""
        if self._on_server:
            return self._ask("search_vector_of_id", vector, limit, keys=[f"{self._kind}:{key}" for key in keys])
        if self._followed is None or not keys:
            return ()
        return self._followed.index.vector(vector, None, {"id": keys}, limit=limit, snippets=False).hits

    def wait(self) -> None:
        """Until what a thread reads into memory for further searches is there."""
        if self._followed is not None:
            self._followed.index.wait()

    def close(self) -> None:
        if self._followed is not None:
            self._followed.close()
            self._followed = None
        self._model, self._seen, self._there, self._content = None, 0, False, None

    def _open(self, model: Mapping[str, Any]) -> FollowedIndex:
        from graphvine.index_sync import FollowedIndex

        odd = "_odd" if model["generation"] % 2 else ""
        return FollowedIndex(
            self._graph, PIPELINE, f"vectors_after{odd}", self._translate, dimension=model["dimension"],
            name=index_name(self._kind, model["generation"]), given={"kind": self._kind},
        )  # fmt: skip

    def _translate(self, row: Row) -> Document | tuple[str, str]:
        if not row["embedding"]:
            return self._kind, row["id"]
        return Document(self._kind, row["id"], row["seq"], vector=row["embedding"])

    def _ask(self, block: str, vector: Any, limit: int, **more: Any) -> Sequence[Hit]:
        asked = [float(value) for value in vector]
        odd = self._model is not None and self._model["generation"] % 2 == 1
        rows = self._graph.read(f"{PIPELINE}.{block}", odd=odd, vector=asked, limit=limit, **more)
        return [Hit(self._kind, row["id"], row["seq"], row["score"]) for row in rows]


def index_name(kind: str, generation: int) -> str:
    """The folder of such an index, among those of a graph."""
    return f"{PIPELINE}-{kind}-{generation}"
