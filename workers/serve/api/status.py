"""Where everything stands: pipelines, workers, tables."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter

import graphvine
from graphvine.records import PipelineStatus, TableInfo
from graphvine.workers.serve.answers import Json
from graphvine.workers.serve.looking import status_of
from graphvine.workers.serve.room import Room
from graphvine.workers.serve.supervisor import WorkerInfo


def router(room: Room) -> APIRouter:
    made = APIRouter(tags=["status"])

    @made.get("/status", summary="Where every pipeline stands")
    def status() -> Json:
        graph = room.graph
        return Json({
            "graph": graph.where, "engine": graph.engine.name, "version": graphvine.__version__, "what": room.what,
            "seconds": time.monotonic() - room.started, "pipelines": status_of(room),
        })  # fmt: skip

    @made.get("/workers", summary="The workers of the daemon, and who else holds claims", response_model=dict[str, Any])
    def workers() -> Json:
        own: list[WorkerInfo] = room.supervisor.infos() if room.supervisor is not None else []
        return Json({"workers": own, "holders": room.kept("holders", lambda: Holders(room)).look()})

    @made.get("/tables", summary="The tables of the graph and their columns", response_model=list[TableInfo])
    def tables() -> Json:
        return Json(room.graph.tables())

    @made.get("/pipelines", summary="The same as /status, the pipelines alone", response_model=list[PipelineStatus])
    def pipelines() -> Json:
        return Json(status_of(room))

    return made


class Holders:
    """Who holds claims, in this process or in others, by the name that each claim carries."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def look(self) -> list[dict[str, Any]]:
        graph, found = self._room.graph, []
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
