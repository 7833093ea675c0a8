"""Pages that are scraped and summarized: one manager owns their state, workers send it events."""

from __future__ import annotations

import threading
from types import ModuleType
from typing import TYPE_CHECKING

from graphvine.workers.hooks import Pipeline

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter

    from graphvine.graph import Graph
    from graphvine.search.kinds import SearchKind
    from graphvine.workers.scrape.settings import ScrapeSettings
    from graphvine.workers.serve.app_state import AppState

NAME = "scrape_item"


def _service(graph: Graph, stop: threading.Event) -> None:
    from graphvine.workers.scrape.service import serve

    serve(graph, stop)


def _commands() -> typer.Typer:
    from graphvine.workers.scrape.commands import app

    return app


def _routes(app_state: AppState) -> APIRouter:
    from graphvine.workers.scrape.routes import router

    return router(app_state)


def _requests() -> ModuleType:
    from graphvine.workers.scrape import requests

    return requests


def _settings() -> type[ScrapeSettings]:
    from graphvine.workers.scrape.settings import ScrapeSettings

    return ScrapeSettings


def _search(graph: Graph) -> SearchKind:
    from graphvine.workers.scrape.kind import Pages

    return Pages(graph)


PIPELINE = Pipeline(
    name=NAME,
    title="Web pages, scraped and summarized",
    instead="a manager keeps the limit on scrapes; run 'graphvine scrape --batch NAME'",
    service=_service,
    commands=_commands,
    routes=_routes,
    requests=_requests,
    search=("page", _search),
    settings=_settings,
    settings_table="scrape",
)
