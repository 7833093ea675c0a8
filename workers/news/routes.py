"""News by HTTP: articles, the queue, runs of updater and processor as jobs, another try."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from graphvine.workers.news.errors import NoProvider, UnknownArticle
from graphvine.workers.news.face import News
from graphvine.workers.news.looking import NewsDetail, NewsItem, NewsQueue
from graphvine.workers.news.submitting import run_process, run_update
from graphvine.workers.serve.answers import Json, fits
from graphvine.workers.serve.api.queues import Body
from graphvine.workers.serve.room import Room

_TOPIC = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
Word = Annotated[str, Query(max_length=200)]
Topic = Annotated[str | None, Query(max_length=40, pattern=_TOPIC)]
Named = Annotated[str, Field(max_length=40, pattern=_TOPIC)]
Address = Annotated[str, Field(pattern=r"^https?://\S+$", max_length=2_000)]
Key = Annotated[str, Field(min_length=1, max_length=2_000)]


class Update(Body):
    topic: Named | None = None
    query: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    feeds: Annotated[list[Address], Field(max_length=100, default_factory=list)]


class Process(Body):
    topic: Named | None = None
    until_empty: bool = False
    batch: Annotated[int, Field(ge=1, le=1_000)] | None = None


class Retry(Body):
    """Ids, a part of id, title, address or error, or everything."""

    ids: Annotated[list[Key], Field(max_length=10_000, default_factory=list)]
    contains: Annotated[str, Field(max_length=500)] = ""
    everything: bool = False
    first: bool = False


def router(room: Room) -> APIRouter:
    made = APIRouter(prefix="/news", tags=["news"])

    @made.get("/articles", summary="Articles, the newest first", response_model=list[NewsItem])
    def articles(
        state: Word = "", source: Word = "", sentiment: Word = "", contains: Word = "", topic: Topic = None,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 20,
    ) -> Json:  # fmt: skip
        found = _news(room, topic).list(state=state, source=source, sentiment=sentiment, contains=contains, limit=limit)
        return Json(found)

    @made.get("/articles/{id}", summary="One article, whole", response_model=NewsDetail)
    def article(id: Annotated[str, Path(max_length=2_000)]) -> Json:
        return Json(_news(room).show(id))

    @made.get("/queue", summary="The queue, the checkpoints, the last runs", response_model=NewsQueue)
    def queue(topic: Topic = None, limit: Annotated[int, Query(ge=1, le=1_000)] = 20) -> Json:
        return Json(_news(room, topic).queue(limit))

    @made.post("/update", status_code=202, summary="One run of the updater, a job", response_model=dict[str, Any])
    def update(body: Update) -> Json:
        return Json(room.jobs.start("news update", body.model_dump(), run_update).shown(), 202)

    @made.post("/process", status_code=202, summary="Runs of the processor, a job", response_model=dict[str, Any])
    def process(body: Process) -> Json:
        return Json(room.jobs.start("news process", {**body.model_dump(), "query": None}, run_process).shown(), 202)

    @made.post("/retry", summary="Put failed articles back into the queue", response_model=dict[str, int])
    def retry(body: Retry) -> Json:
        moved = _news(room).retry(body.ids, contains=body.contains, everything=body.everything, first=body.first)
        room.hub.tell("queue_changed", pipeline="news_article", what="retried", rows=moved)
        return Json({"retried": moved})

    return made


def _news(room: Room, topic: str | None = None) -> News:
    return News(room.graph).topic(topic) if topic else News(room.graph)


JOBS = {"news update": run_update, "news process": run_process}
fits(UnknownArticle, 404)
fits(NoProvider, 409)
