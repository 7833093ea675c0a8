"""Articles from a wiki: where pages come from, what is read out of them, and how the graph grows by it."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from graphvine.workers.hooks import Pipeline

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter

    from graphvine.graph import Graph
    from graphvine.search.kinds import SearchKind
    from graphvine.workers.pipeline import Handler
    from graphvine.workers.serve.app_state import AppState
    from graphvine.workers.wikipedia.settings import WikipediaSettings


def _build(graph: Graph) -> Handler:
    from graphvine.workers.wikipedia.handler import build

    return build(graph)


def _build_several(graph: Graph, count: int) -> Sequence[Handler]:
    from graphvine.workers.wikipedia.handler import build_several

    return build_several(graph, count)


def _build_sections(graph: Graph, count: int) -> Sequence[Handler]:
    from graphvine.workers.wikipedia.embedding_queue import build_sections

    return build_sections(graph, count)


def _build_texts(graph: Graph, count: int) -> Sequence[Handler]:
    from graphvine.workers.wikipedia.embedding_queue import build_texts

    return build_texts(graph, count)


def _commands() -> typer.Typer:
    from graphvine.workers.wikipedia.commands import app

    return app


def _routes(app_state: AppState) -> APIRouter:
    from graphvine.workers.wikipedia.routes import router

    return router(app_state)


def _requests() -> ModuleType:
    from graphvine.workers.wikipedia import requests

    return requests


def _settings() -> type[WikipediaSettings]:
    from graphvine.workers.wikipedia.settings import WikipediaSettings

    return WikipediaSettings


def _search(graph: Graph) -> SearchKind:
    from graphvine.workers.wikipedia.search import ArticleSearch

    return ArticleSearch(graph)


ARTICLES = Pipeline(
    name="article",
    title="Articles of a wiki, from seeds along their links",
    build=_build,
    build_several=_build_several,
    commands=_commands,
    routes=_routes,
    requests=_requests,
    search=("article", _search),
    settings=_settings,
    settings_table="wikipedia",
)
SECTIONS = Pipeline(name="section", title="Vectors for sections that wait for one", build_several=_build_sections)
VECTORS = Pipeline(
    name="vector", title="Vectors for items, news and pages that wait for one", build_several=_build_texts
)
PIPELINE = (ARTICLES, SECTIONS, VECTORS)
