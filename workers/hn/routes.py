"""Hacker News by HTTP: items in, items, threads, search, transitions, pulls."""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from graphvine.errors import GraphvineError
from graphvine.json_text import encode
from graphvine.workers.common.unpack import BadPacking, Unpacker, detect_compression
from graphvine.workers.hn.api import HackerNews
from graphvine.workers.hn.errors import NoSuchItem, TransitionNotAllowed
from graphvine.workers.hn.ingest.ingest import Taken
from graphvine.workers.hn.item_files import BadFile, items_in
from graphvine.workers.hn.requests import (
    AdvanceRequest,
    HNReindexRequest,
    HNSearchRequest,
    MarkFailedRequest,
    PullRequest,
    RetryItemsRequest,
)
from graphvine.workers.hn.search import Page
from graphvine.workers.hn.threads import Item
from graphvine.workers.hn.transitions import Way
from graphvine.workers.serve.api.models import counted
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.request_routes import add_route
from graphvine.workers.serve.responses import EncodedJson, Json, Missing, register_status

Id = Annotated[int, Path(ge=1, le=1 << 53)]
_MOST_ITEMS, _MOST_UNPACKED = 100_000, 64 << 20
_MOST_LISTS, _MOST_VALUES = 500_000, 8_000_000
_ITEMS = {
    "anyOf": [{"type": "object"}, {"type": "array", "items": {}}],
    "description": "One item or many, as JSON or JSON Lines, plain, gzip or zstd; also as Algolia's hits and trees.",
}


@dataclass(slots=True)
class ItemAtDepth(Item):
    """An item of a thread, and how far below its top it stands."""

    depth: int = 0


@dataclass(slots=True)
class Thread(Item):
    """An item, and everything below it from top to bottom, itself first."""

    items: list[ItemAtDepth] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ItemMoved:
    """The state of an item after a step by hand."""

    id: int
    state: str


class TooMany(GraphvineError):
    """More items than one request may bring."""


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/hn", tags=["hacker news"])
    _items(made, app_state)
    _moves(made, app_state)

    add_route(
        made, app_state, "/search", HNSearchRequest, "Items by words, fields, and the thread that they stand in",
        lambda _, page: page, method="GET", names={"q": "words"}, model=Page,
    )  # fmt: skip
    add_route(
        made, app_state, "/reindex", HNReindexRequest, "Rebuild the search index", lambda _, rows: {"rows": rows},
        model=counted("rows"),
    )  # fmt: skip
    add_route(made, app_state, "/pull", PullRequest, "Fetch from the API, as a job")
    return made


def _items(made: APIRouter, app_state: AppState) -> None:
    @made.post(
        "/items", summary="Take in one item or many, as the API gives them", response_model=Taken,
        openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"schema": _ITEMS}}}},
    )  # fmt: skip
    async def add(request: Request) -> Json:
        return await asyncio.to_thread(taken_in, await request.body())

    def taken_in(body: bytes) -> Json:
        unpacked = _unpacked(body)
        _refuse_empty_values(unpacked)
        items = list(islice(items_in(io.BytesIO(unpacked), "the body"), _MOST_ITEMS + 1))
        if len(items) > _MOST_ITEMS:
            raise TooMany(f"{_MOST_ITEMS:,} items at most in one request: send the rest in another, or upload a file")
        taken = HackerNews(app_state.graph).add(items)
        app_state.hub.publish("queue_changed", pipeline="hn_item", what="taken in", rows=taken.total)
        return Json(taken)

    @made.get("/items/{id}", summary="One item", response_model=Item)
    def item(id: Id) -> Json:
        return Json(flat(HackerNews(app_state.graph).item(id)))

    @made.get("/items/{id}/thread", summary="An item and everything below it", response_model=Thread)
    def thread(id: Id, depth: Annotated[int | None, Query(ge=0, le=1_000)] = None) -> EncodedJson:
        return EncodedJson(shallow(HackerNews(app_state.graph).thread(id, depth)))

    @made.get("/items/{id}/ancestors", summary="What stands above, the nearest first", response_model=list[Item])
    def ancestors(id: Id) -> Json:
        return Json(HackerNews(app_state.graph).ancestors(id))

    @made.get("/items/{id}/descendants", summary="Everything below, from top to bottom", response_model=list[Item])
    def descendants(id: Id) -> EncodedJson:
        below = HackerNews(app_state.graph).descendants(id)
        return EncodedJson(b"[" + b",".join(encode(flat(one)) for one in below) + b"]")

    @made.get("/items/{id}/siblings", summary="What stands below the same parent", response_model=list[Item])
    def siblings(id: Id) -> Json:
        return Json([flat(one) for one in HackerNews(app_state.graph).siblings(id)])

    @made.get("/items/{id}/story", summary="The item at the top of the thread", response_model=Item)
    def story(id: Id) -> Json:
        found = HackerNews(app_state.graph).story(id)
        if found is None:
            raise Missing(f"no story is known for item {id}: something between them is missing")
        return Json(flat(found))


def _moves(made: APIRouter, app_state: AppState) -> None:
    @made.get("/items/{id}/transitions", summary="Where an item can go from its state", response_model=list[Way])
    def transitions(id: Id) -> Json:
        return Json(HackerNews(app_state.graph).transitions(id))

    add_route(
        made, app_state, "/items/{id}/transitions/{transition}", AdvanceRequest, "Take a transition",
        lambda request, state: {"id": request.id, "state": state}, model=ItemMoved,
    )  # fmt: skip
    add_route(
        made, app_state, "/items/{id}/mark-failed", MarkFailedRequest, "Mark an item as failed",
        lambda request, _: {"id": request.id, "state": "failed"}, model=ItemMoved,
    )  # fmt: skip
    add_route(
        made, app_state, "/retry", RetryItemsRequest, "Process failed items again",
        lambda _, moved: {"retried": moved}, model=counted("retried"),
    )  # fmt: skip


def _unpacked(body: bytes) -> bytes:
    """The body, out of its gzip or zstd data where it is such; bounded, since little can unpack to much."""
    compression = detect_compression(body)
    if not compression:
        return body
    unpacker, found, size = Unpacker(io.BytesIO(body), compression), [], 0
    try:
        while piece := unpacker.piece():
            found.append(piece)
            size += len(piece)
            if size > _MOST_UNPACKED:
                most = f"{_MOST_UNPACKED >> 20} MiB"
                raise TooMany(f"the body unpacks to more than {most}: send it in parts, or upload a file")
    except BadPacking as error:
        raise BadFile(f"the body: {error}") from None
    return b"".join(found)


def _refuse_empty_values(body: bytes) -> None:
    """Lists by the million are little text, gigabytes as objects, and seconds in which no other thread runs."""
    if body.count(b"[") + body.count(b"{") > _MOST_LISTS or body.count(b",") > _MOST_VALUES:
        raise TooMany(f"more than {_MOST_LISTS:,} lists and objects, or {_MOST_VALUES:,} commas: send it in parts")


def flat(item: Item) -> dict[str, Any]:
    """An item without what stands below it."""
    return {name: getattr(item, name) for name in Item.__slots__ if name != "children"} | {"children": []}


def shallow(top: Item) -> bytes:
    """A thread as a list of items with their depths: a tree of a thousand levels is more than JSON readers take.

    Item by item: thirty thousand of them as objects are 100 MB, for each of those who ask.
    """
    items = b",".join(encode({"depth": depth, **flat(item)}) for depth, item in top.walk())
    return encode(flat(top))[:-1] + b',"items":[' + items + b"]}"


register_status(NoSuchItem, 404)
register_status(BadFile, 422)
register_status(TooMany, 413)
register_status(TransitionNotAllowed, 409)
