"""Hacker News by HTTP: items in, items, threads, search, transitions, pulls."""

from __future__ import annotations

import threading
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi import Body as JsonBody
from pydantic import Field

from graphvine.graph import Graph
from graphvine.workers.hn.by_hand import Way, row_of
from graphvine.workers.hn.errors import NoSuchItem, NotAllowed
from graphvine.workers.hn.face import HackerNews
from graphvine.workers.hn.pull import Pulled
from graphvine.workers.hn.searching import HNSearch, Page
from graphvine.workers.hn.threads import Item, as_item
from graphvine.workers.parts.hn.intake import Taken
from graphvine.workers.serve.answers import Json, Missing, fits
from graphvine.workers.serve.api.queues import Body, Reason
from graphvine.workers.serve.jobs import Tell
from graphvine.workers.serve.room import Room

Id = Annotated[int, Path(ge=1, le=1 << 53)]
Number = Annotated[int | None, Query(ge=-(1 << 53), le=1 << 53)]
Word = Annotated[str | None, Query(max_length=200)]
ItemId = Annotated[int, Field(ge=1, le=1 << 53)]
_MOST_ITEMS = 100_000


class PullWhat(Body):
    """One way of saying what."""

    ids: Annotated[list[ItemId], Field(max_length=100_000, default_factory=list)]
    top: Annotated[int, Field(ge=1, le=500)] | None = None
    new: Annotated[int, Field(ge=1, le=500)] | None = None
    first: Annotated[int, Field(ge=1, le=1 << 53)] | None = None
    last: Annotated[int, Field(ge=1, le=1 << 53)] | None = None
    since_last: bool = False
    updates: bool = False
    thread: Annotated[int, Field(ge=1, le=1 << 53)] | None = None


class RetryWhat(Body):
    ids: Annotated[list[ItemId], Field(min_length=1, max_length=10_000)]


def router(room: Room) -> APIRouter:
    made = APIRouter(prefix="/hn", tags=["hacker news"])
    _items(made, room)
    _moves(made, room)

    @made.get("/search", summary="Items by words, fields, and the thread that they stand in", response_model=Page)
    def search(
        q: Annotated[str, Query(max_length=1_000)] = "", author: Word = None, type: Word = None,
        min_score: Number = None, max_score: Number = None, after: Number = None, before: Number = None,
        under: Number = None, story_by: Word = None, reply_to: Word = None,
        sort: Literal["relevance", "date", "score"] = "relevance", limit: Annotated[int, Query(ge=1, le=1_000)] = 10,
        offset: Annotated[int, Query(ge=0, le=100_000)] = 0,
    ) -> Json:  # fmt: skip
        return Json(_searching(room).search(
            q, author=author, type=type, min_score=min_score, max_score=max_score, after=after, before=before,
            under=under, story_by=story_by, reply_to=reply_to, sort=sort, limit=limit, offset=offset,
        ))  # fmt: skip

    @made.post("/reindex", summary="Make the search index anew", response_model=dict[str, int])
    def reindex() -> Json:
        return Json({"rows": _searching(room).rebuild()})

    @made.post("/pull", status_code=202, summary="Fetch from the API, as a job", response_model=dict[str, Any])
    def pull(body: PullWhat) -> Json:
        return Json(room.jobs.start("hn pull", body.model_dump(), run_pull).shown(), 202)

    return made


def _items(made: APIRouter, room: Room) -> None:
    @made.post("/items", summary="Take in one item or many, as the API gives them", response_model=Taken)
    def add(body: Annotated[dict[str, Any] | list[Any], JsonBody()]) -> Json:
        if isinstance(body, list) and len(body) > _MOST_ITEMS:
            raise Missing(f"{_MOST_ITEMS:,} items at most in one request: send the rest in another, or upload a file")
        taken = HackerNews(room.graph).add(body)
        room.hub.tell("queue_changed", pipeline="hn_item", what="taken in", rows=taken.total)
        return Json(taken)

    @made.get("/items/{id}", summary="One item", response_model=dict[str, Any])
    def item(id: Id) -> Json:
        return Json(as_item(row_of(room.graph, id)))

    @made.get("/items/{id}/thread", summary="An item and everything below it", response_model=dict[str, Any])
    def thread(id: Id, depth: Annotated[int | None, Query(ge=0, le=1_000)] = None) -> Json:
        return Json(shallow(HackerNews(room.graph).thread(id, depth)))

    @made.get("/items/{id}/ancestors", summary="What stands above, the nearest first", response_model=list[Item])
    def ancestors(id: Id) -> Json:
        return Json(HackerNews(room.graph).ancestors(id))

    @made.get("/items/{id}/descendants", summary="Everything below, from top to bottom", response_model=list[Item])
    def descendants(id: Id) -> Json:
        return Json([flat(one) for one in HackerNews(room.graph).descendants(id)])

    @made.get("/items/{id}/siblings", summary="What stands below the same parent", response_model=list[Item])
    def siblings(id: Id) -> Json:
        return Json([flat(one) for one in HackerNews(room.graph).siblings(id)])

    @made.get("/items/{id}/story", summary="The item at the top of the thread", response_model=dict[str, Any])
    def story(id: Id) -> Json:
        found = HackerNews(room.graph).story(id)
        if found is None:
            raise Missing(f"no story is known for item {id}: something between them is missing")
        return Json(flat(found))


def _moves(made: APIRouter, room: Room) -> None:
    @made.get("/items/{id}/transitions", summary="Where an item can go from its state", response_model=list[Way])
    def transitions(id: Id) -> Json:
        return Json(HackerNews(room.graph).transitions(id))

    @made.post("/items/{id}/transitions/{name}", summary="Take an automatic transition", response_model=dict[str, Any])
    def advance(id: Id, name: Annotated[str, Path(max_length=100)]) -> Json:
        return Json({"id": id, "state": HackerNews(room.graph).advance(id, name)})

    @made.post("/items/{id}/mark-failed", summary="An item failed, by hand", response_model=dict[str, Any])
    def mark_failed(id: Id, body: Reason) -> Json:
        HackerNews(room.graph).mark_failed(id, body.reason)
        return Json({"id": id, "state": "failed"})

    @made.post("/retry", summary="Process failed items again", response_model=dict[str, int])
    def retry(body: RetryWhat) -> Json:
        return Json({"retried": HackerNews(room.graph).retry(body.ids)})


def run_pull(graph: Graph, asked: dict[str, Any], tell: Tell, stop: threading.Event) -> Pulled:
    """The job: the same as `graphvine hn pull`, in the daemon's process."""
    return HackerNews(graph).pull(on_progress=lambda so_far: tell("progress", so_far), stop=stop, **asked)


def flat(item: Item) -> dict[str, Any]:
    """An item without what stands below it."""
    return {name: getattr(item, name) for name in Item.__slots__ if name != "children"} | {"children": []}


def shallow(top: Item) -> dict[str, Any]:
    """A thread as a list of items with their depths: a tree of a thousand levels is more than JSON readers take."""
    return {**flat(top), "items": [{"depth": depth, **flat(item)} for depth, item in top.walk()]}


class _Searching:
    """The index is opened by the first who asks, and stays open."""

    def __init__(self, graph: Graph) -> None:
        self._search, self._lock = HNSearch(graph), threading.Lock()

    def search(self, words: str, **options: Any) -> Page:
        with self._lock:
            return self._search.search(words, **options)

    def rebuild(self) -> int:
        with self._lock:
            return self._search.rebuild()

    def close(self) -> None:
        self._search.close()


def _searching(room: Room) -> _Searching:
    found: _Searching = room.kept("hn search", lambda: _Searching(room.graph))
    return found


CALLS = {
    "hn.add": lambda room, items, source, fetched_at: HackerNews(room.graph).add(
        items, source=source, fetched_at=fetched_at
    ),
    "hn.search": lambda room, words, **options: _searching(room).search(words, **options),
    "hn.reindex": lambda room: _searching(room).rebuild(),
    "hn.advance": lambda room, id, transition: HackerNews(room.graph).advance(id, transition),
}
JOBS = {"hn pull": run_pull}
fits(NoSuchItem, 404)
fits(NotAllowed, 409)
