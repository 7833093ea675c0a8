"""Where everything stands: pipelines, workers, tables."""

from __future__ import annotations

import re
import time
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

import graphvine
from graphvine.records import PipelineStatus, TableInfo
from graphvine.redact import redact_values
from graphvine.workers import registry
from graphvine.workers.serve.api.models import ServiceStatus, WorkersShown
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import After, Contains, Json, Limit, PageOf, page_of
from graphvine.workers.serve.status_cache import status_of
from graphvine.workers.serve.supervisor import WorkerInfo

_SECRET = re.compile(r"key|token|password|secret|webhooks")


class EventShown(BaseModel):
    """An event of the service, as the stream of events has it."""

    seq: int
    event: str
    data: dict[str, Any]


class SettingShown(BaseModel):
    name: str
    value: Any
    source: str
    default: Any
    variable: str
    help: str


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["status"])

    @made.get("/status", summary="Where every pipeline stands", response_model=ServiceStatus)
    def status() -> Json:
        graph = app_state.graph
        titles = {name: one.title for name, one in registry.of(graph).items()}
        return Json({
            "graph": graph.where, "engine": graph.engine.name, "version": graphvine.__version__, "what": app_state.what,
            "seconds": time.monotonic() - app_state.started, "pipelines": status_of(app_state), "titles": titles,
        })  # fmt: skip

    @made.get("/workers", summary="The workers of the daemon, and who else holds claims", response_model=WorkersShown)
    def workers() -> Json:
        own: list[WorkerInfo] = app_state.supervisor.infos() if app_state.supervisor is not None else []
        return Json({"workers": own, "holders": app_state.kept("holders", lambda: Holders(app_state)).look()})

    @made.get(
        "/settings", summary="Every setting, its value and where that comes from", response_model=list[SettingShown]
    )
    def settings() -> Json:
        from graphvine.workers.cli.settings_listing import listing

        rows = redact_values(listing(app_state.graph.where))
        return Json(
            [{**row, "value": "(hidden)"} if row["value"] and _SECRET.search(row["name"]) else row for row in rows]
        )

    @made.get("/log", summary="The last events, the newest first", response_model=PageOf[EventShown])
    def log(contains: Contains = "", after: After = None, limit: Limit = 100) -> Json:
        found = [
            {"seq": one.number, "event": one.name, "data": redact_values(one.facts)} for one in app_state.hub.recent()
            if after is None or one.number < after
        ]  # fmt: skip
        named = [one for one in found if contains.lower() in f"{one['event']} {one['data']}".lower()]
        return page_of(named[:limit], limit)

    @made.get("/tables", summary="The tables of the graph and their columns", response_model=list[TableInfo])
    def tables() -> Json:
        return Json(app_state.graph.tables())

    @made.get("/pipelines", summary="The same as /status, the pipelines alone", response_model=list[PipelineStatus])
    def pipelines() -> Json:
        return Json(status_of(app_state))

    return made


class Holders:
    """Who holds claims, in this process or in others, by the name that each claim carries."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state

    def look(self) -> list[dict[str, Any]]:
        graph, found = self._app_state.graph, []
        for pipeline, machine in graph.library.machines.items():
            text = (
                f"MATCH (n:{machine.label}) WHERE n.lease > 0 RETURN n.claimed_by AS worker, count(*) AS claims,"
                " max(n.claimed_at) AS heartbeat_at ORDER BY worker LIMIT 200"
            )
            result = graph.query(text, max_rows=200, timeout_seconds=10)
            found += [{"pipeline": pipeline, **row} for row in result.as_dicts()]
        return found

    def close(self) -> None:
        """Nothing is held open."""
