"""The machines: states, moves, and how many rows are in each state."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from graphvine.queries import Machine
from graphvine.queries.render import as_json
from graphvine.workers.serve.answers import Json
from graphvine.workers.serve.looking import status_of
from graphvine.workers.serve.room import Room


def router(room: Room) -> APIRouter:
    made = APIRouter(prefix="/machines", tags=["machines"])

    @made.get("", summary="Every machine, with the count of each state", response_model=list[dict[str, Any]])
    def machines() -> Json:
        return Json([_drawn(room, name, machine) for name, machine in room.graph.library.machines.items()])

    @made.get("/{pipeline}", summary="One machine, with the count of each state", response_model=dict[str, Any])
    def one(pipeline: str) -> Json:
        return Json(_drawn(room, pipeline, room.graph.door.machine(pipeline)))

    return made


def _drawn(room: Room, pipeline: str, machine: Machine) -> dict[str, Any]:
    counts = next(found.states for found in status_of(room) if found.pipeline == pipeline)
    return {**as_json(machine), "pipeline": pipeline, "counts": counts}
