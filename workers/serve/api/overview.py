"""The overview: what each pipeline does and how quickly, the machine under it, and what needs attention."""

from __future__ import annotations

import os
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from graphvine.records import PipelineStatus
from graphvine.workers import registry
from graphvine.workers.cli.output import plural
from graphvine.workers.serve.api.models import SamplesShown
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import Json
from graphvine.workers.serve.status_cache import status_of

_LITTLE_DISK = 2 << 30
_LATE_SECONDS = 3600.0


class PipelineFigures(BaseModel):
    """Where a pipeline stands, and how it moves."""

    status: dict[str, Any]
    title: str
    finished: int
    resting: dict[str, int]
    per_second: float | None
    eta_seconds: float | None
    oldest_ready_seconds: float | None
    workers: int
    activity: str


class Alert(BaseModel):
    level: str
    pipeline: str | None = None
    message: str
    advice: str
    link: str | None = None


class Overview(BaseModel):
    graph: str
    engine: str
    version: str
    seconds: float
    pipelines: list[PipelineFigures]
    system: dict[str, Any]
    alerts: list[Alert]


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["status"])

    @made.get("/overview", summary="Every pipeline with its pace, the machine, and what needs attention",
              response_model=Overview)  # fmt: skip
    def overview() -> Json:
        import graphvine

        graph = app_state.graph
        figures = [_figures(app_state, one) for one in status_of(app_state)]
        system = _system(graph.engine.where if graph.engine.capabilities.single_owner else "")
        return Json({
            "graph": graph.where, "engine": graph.engine.name, "version": graphvine.__version__,
            "seconds": time.monotonic() - app_state.started, "pipelines": figures, "system": system,
            "alerts": _alerts(app_state, figures, system),
        })  # fmt: skip

    @made.get("/samples", summary="The last hour and the last day of every pipeline, for charts",
              response_model=SamplesShown)  # fmt: skip
    def samples() -> Json:
        return Json(app_state.samples.shown() if app_state.samples is not None else {})

    return made


def _figures(app_state: AppState, one: PipelineStatus) -> dict[str, Any]:
    graph = app_state.graph
    declared = registry.of(graph).get(one.pipeline)
    machine = graph.library.machines[one.pipeline]
    finished = sum(one.states.get(state, 0) for state in machine.done)
    known = {*machine.done, machine.initial.name, "failed", "skipped"}
    resting = {} if one.claimed else {name: n for name, n in one.states.items() if n and name not in known}
    rate = app_state.samples.rate(one.pipeline) if app_state.samples is not None else None
    left = one.ready + one.backing_off + one.claimed
    workers = app_state.supervisor.alive().get(one.pipeline, 0) if app_state.supervisor is not None else 0
    oldest = (
        None if one.oldest_ready is None else max(0.0, (datetime.now(UTC) - _utc(one.oldest_ready)).total_seconds())
    )
    return {
        "status": one, "title": declared.title if declared is not None else "", "finished": finished,
        "resting": resting,
        "per_second": rate, "eta_seconds": left / rate if left and rate else 0.0 if not left else None,
        "oldest_ready_seconds": oldest, "workers": workers, "activity": _activity(one, rate, workers),
    }  # fmt: skip


def _activity(one: PipelineStatus, rate: float | None, workers: int) -> str:
    """One word for people: what the pipeline does at this moment."""
    if one.paused:
        return "paused"
    if one.claimed or (rate and one.ready + one.backing_off):
        return "working"
    if one.ready:
        return "starting" if workers else "waiting for a worker"
    if one.backing_off:
        return "backing off"
    return "finished" if one.total else "empty"


def _system(where: str) -> dict[str, Any]:
    import psutil

    machine = psutil.virtual_memory()
    found: dict[str, Any] = {
        "memory_bytes": psutil.Process().memory_info().rss, "memory_free_bytes": machine.available,
        "memory_total_bytes": machine.total, "load_1m": os.getloadavg()[0], "cores": os.cpu_count(),
    }  # fmt: skip
    if where:
        path = Path(where)
        found["graph_bytes"] = path.stat().st_size if path.is_file() else None
        log = Path(f"{where}.wal")
        found["log_bytes"] = log.stat().st_size if log.exists() else 0
        # A checkpoint writes the file itself; between two of them only the log beside it grows.
        found["checkpoint_at"] = datetime.fromtimestamp(path.stat().st_mtime, UTC) if path.is_file() else None
        found["disk_free_bytes"] = shutil.disk_usage(path.parent).free
    return found


def _alerts(app_state: AppState, figures: list[dict[str, Any]], system: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def add(level: str, message: str, advice: str, pipeline: str | None = None, link: str | None = None) -> None:
        found.append({"level": level, "pipeline": pipeline, "message": message, "advice": advice, "link": link})

    if (system.get("disk_free_bytes") or _LITTLE_DISK) < _LITTLE_DISK:
        add("serious", f"{system['disk_free_bytes'] / 1e9:.1f} GB are free on the disk of the graph",
            "free some space, or move the graph: a full disk stops all writing")  # fmt: skip
    for one in figures:
        status: PipelineStatus = one["status"]
        name = status.pipeline
        if status.failed:
            add("warning", f"{plural(status.failed, 'row')} of {name} failed",
                "look at the reasons, then requeue or exclude", name,
                f"/ui/queue/{name}?state=failed")  # fmt: skip
        if status.paused:
            add("note", f"{name} is paused{f': {status.paused_reason}' if status.paused_reason else ''}",
                "resume it when it may go on", name)  # fmt: skip
        elif status.ready and not one["workers"] and not status.claimed:
            add("warning",
                f"{plural(status.ready, 'row')} of {name} {_are(status.ready)} ready, and nobody works on them",
                f"start one with `graphvine work {name}`, or give the daemon a worker: --worker {name}=1", name,
                f"/ui/queue/{name}?standing=ready")  # fmt: skip
        elif (one["oldest_ready_seconds"] or 0) > _LATE_SECONDS and not one["per_second"]:
            add("warning", f"the oldest ready row of {name} has waited for {one['oldest_ready_seconds'] / 3600:.1f} h",
                "look at the workers: are they stuck, or is the source away?", name, "/ui/workers")  # fmt: skip
        if status.beyond_depth and not status.ready and not status.claimed:
            deeper = status.beyond_depth
            add("note", f"{plural(deeper, 'row')} of {name} {_are(deeper)} deeper than the workers go",
                "grow deeper to work on them: graphvine grow --depth N, or the setting wikipedia.serve_depth", name,
                f"/ui/queue/{name}?standing=ready")  # fmt: skip
    for info in app_state.supervisor.infos() if app_state.supervisor is not None else []:
        if info.state == "resting":
            add("serious", f"a worker of {info.pipeline} crashed: {info.last_error}",
                "it is restarted by itself; the log has the trace", info.pipeline, "/ui/workers")  # fmt: skip
    return found


def _utc(at: datetime) -> datetime:
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
