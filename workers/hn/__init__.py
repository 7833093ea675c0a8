"""Hacker News: items, threads and search."""

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
    from graphvine.workers.hn.settings import HNSettings
    from graphvine.workers.pipeline import Handler
    from graphvine.workers.scheduler import Job
    from graphvine.workers.serve.app_state import AppState


def _build(graph: Graph) -> Handler:
    from graphvine.workers.hn.handler import build

    return build(graph)


def _scheduled(graph: Graph) -> Sequence[Job]:
    from graphvine.workers.hn.schedule import jobs

    return jobs(graph)


def _commands() -> typer.Typer:
    from graphvine.workers.hn.commands import app

    return app


def _routes(app_state: AppState) -> APIRouter:
    from graphvine.workers.hn.routes import router

    return router(app_state)


def _requests() -> ModuleType:
    from graphvine.workers.hn import requests

    return requests


def _settings() -> type[HNSettings]:
    from graphvine.workers.hn.settings import HNSettings

    return HNSettings


def _search(graph: Graph) -> SearchKind:
    from graphvine.workers.hn.kind import Items

    return Items(graph)


PIPELINE = Pipeline(
    name="hn_item",
    title="Hacker News: items, threads and search",
    build=_build,
    # Items are taken in by one process: two at once could each miss the parent that the other has in hand.
    owner_only=True,
    scheduled=_scheduled,
    commands=_commands,
    routes=_routes,
    requests=_requests,
    search=("hn", _search),
    settings=_settings,
    settings_table="hn",
)
