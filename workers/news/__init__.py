"""News: an updater finds articles, a processor takes them through content, summary and sentiment."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from graphvine.workers.hooks import Pipeline

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter

    from graphvine.graph import Graph
    from graphvine.search.kinds import SearchKind
    from graphvine.workers.news.settings import NewsSettings
    from graphvine.workers.scheduler import Job
    from graphvine.workers.serve.app_state import AppState

NAME = "news_article"


def _scheduled(graph: Graph) -> Sequence[Job]:
    from graphvine.workers.news.schedule import jobs

    return jobs(graph)


def _service(graph: Graph, stop: threading.Event) -> None:
    from graphvine.workers.news.schedule import serve

    serve(graph, stop)


def _commands() -> typer.Typer:
    from graphvine.workers.news.commands import app

    return app


def _routes(app_state: AppState) -> APIRouter:
    from graphvine.workers.news.routes import router

    return router(app_state)


def _requests() -> ModuleType:
    from graphvine.workers.news import requests

    return requests


def _settings() -> type[NewsSettings]:
    from graphvine.workers.news.settings import NewsSettings

    return NewsSettings


def _search(graph: Graph) -> SearchKind:
    from graphvine.workers.news.kind import NewsArticles

    return NewsArticles(graph)


PIPELINE = Pipeline(
    name=NAME,
    title="News of a topic: found, summarized, rated",
    instead="its processor keeps the queue; run 'graphvine news process --until-empty'",
    scheduled=_scheduled,
    service=_service,
    commands=_commands,
    routes=_routes,
    requests=_requests,
    search=("news", _search),
    settings=_settings,
    settings_table="news",
)
