"""Uploads: files of items of Hacker News, validated, processed and reported on."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from graphvine.workers.hooks import Pipeline

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter

    from graphvine.graph import Graph
    from graphvine.workers.pipeline import Handler
    from graphvine.workers.scheduler import Job
    from graphvine.workers.serve.app_state import AppState
    from graphvine.workers.uploads.settings import UploadSettings


def _build(graph: Graph) -> Handler:
    from graphvine.workers.uploads.handler import build

    return build(graph)


def _scheduled(graph: Graph) -> Sequence[Job]:
    """Copies of files that no upload wants any more are removed every hour."""
    from graphvine.workers.scheduler import Job
    from graphvine.workers.uploads.api import Uploads

    return [Job("upload-tidy", 3600.0, Uploads(graph).tidy)]


def _commands() -> typer.Typer:
    from graphvine.workers.uploads.commands import app

    return app


def _routes(app_state: AppState) -> APIRouter:
    from graphvine.workers.uploads.routes import router

    return router(app_state)


def _requests() -> ModuleType:
    from graphvine.workers.uploads import requests

    return requests


def _settings() -> type[UploadSettings]:
    from graphvine.workers.uploads.settings import UploadSettings

    return UploadSettings


PIPELINE = Pipeline(
    name="upload",
    title="Files of Hacker News items, uploaded",
    build=_build,
    owner_only=True,  # As for Hacker News, whose items they are.
    scheduled=_scheduled,
    commands=_commands,
    routes=_routes,
    upload_paths=("/uploads",),
    path_blocks={"seed": "upload_id", "register": "path", "note_file": "path", "move_file": "path"},
    requests=_requests,
    settings=_settings,
)
