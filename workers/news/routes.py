"""News by HTTP: articles, the queue, runs of updater and processor as jobs, another try."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from graphvine.workers.news.api import News
from graphvine.workers.news.errors import NoProvider, UnknownArticle
from graphvine.workers.news.reads import NewsDetail, NewsItem, NewsQueue, SentimentDay
from graphvine.workers.news.requests import ProcessRequest, RetryArticlesRequest, UpdateRequest
from graphvine.workers.serve.api.models import counted
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.request_routes import add_route
from graphvine.workers.serve.responses import Contains, Json, Limit, PageOf, State, page_of, register_status

_TOPIC = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
Word = Annotated[str, Query(max_length=200)]
Topic = Annotated[str | None, Query(max_length=40, pattern=_TOPIC)]


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/news", tags=["news"])

    @made.get("/articles", summary="Articles, the newest first", response_model=PageOf[NewsItem])
    def articles(
        state: State = "", source: Word = "", sentiment: Word = "", contains: Contains = "", topic: Topic = None,
        after: Annotated[str, Query(max_length=60, description="`next` of the page before.")] = "", limit: Limit = 20,
    ) -> Json:  # fmt: skip
        found = _news(app_state, topic).list(
            state=state, source=source, sentiment=sentiment, contains=contains, after=after, limit=limit
        )
        return page_of(found, limit, found[-1].place if found else None)

    @made.get("/articles/{id:path}", summary="One article, whole", response_model=NewsDetail)
    def article(id: Annotated[str, Path(max_length=2_000)]) -> Json:
        return Json(_news(app_state).show(id))

    @made.get("/sentiment", summary="Sentiment over time, by day", response_model=list[SentimentDay])
    def sentiment(topic: Topic = None, days: Annotated[int, Query(ge=1, le=366)] = 30) -> Json:
        return Json(_news(app_state, topic).sentiment(days=days))

    @made.get("/queue", summary="The queue, the checkpoints, the last runs", response_model=NewsQueue)
    def queue(topic: Topic = None, limit: Annotated[int, Query(ge=1, le=1_000)] = 20) -> Json:
        return Json(_news(app_state, topic).queue(limit))

    def retried(_: RetryArticlesRequest, moved: int) -> dict[str, int]:
        app_state.hub.publish("queue_changed", pipeline="news_article", what="retried", rows=moved)
        return {"retried": moved}

    add_route(made, app_state, "/update", UpdateRequest, "One run of the updater, as a job")
    add_route(made, app_state, "/process", ProcessRequest, "Runs of the processor, as a job")
    add_route(made, app_state, "/retry", RetryArticlesRequest, "Put failed articles back into the queue", retried,
              model=counted("retried"))  # fmt: skip
    return made


def _news(app_state: AppState, topic: str | None = None) -> News:
    return News(app_state.graph).topic(topic) if topic else News(app_state.graph)


register_status(UnknownArticle, 404)
register_status(NoProvider, 409)
