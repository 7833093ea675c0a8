"""The machines: states, moves, and how many rows are in each state."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from graphvine.queries import Machine
from graphvine.queries.render import as_json
from graphvine.workers.serve.api.models import MachineShown
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import Json
from graphvine.workers.serve.status_cache import status_of


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/machines", tags=["machines"])

    @made.get("", summary="Every machine, with the count of each state", response_model=list[MachineShown])
    def machines() -> Json:
        return Json([_drawn(app_state, name, machine) for name, machine in app_state.graph.library.machines.items()])

    @made.get("/{pipeline}", summary="One machine, with the count of each state", response_model=MachineShown)
    def one(pipeline: str) -> Json:
        return Json(_drawn(app_state, pipeline, app_state.graph.store.machine(pipeline)))

    return made


def _drawn(app_state: AppState, pipeline: str, machine: Machine) -> dict[str, Any]:
    counts = next(found.states for found in status_of(app_state) if found.pipeline == pipeline)
    return {**as_json(machine), "pipeline": pipeline, "counts": counts}
