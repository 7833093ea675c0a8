"""Scrape batches by HTTP: given to the daemon, which leads them; looked at while they run and after."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.batches import Result, counts, find
from graphvine.workers.scrape.errors import BatchBusy
from graphvine.workers.scrape.scraping import open_batch
from graphvine.workers.scrape.submitting import run_scrape
from graphvine.workers.serve.answers import Json, Missing, fits, following
from graphvine.workers.serve.api.queues import Body
from graphvine.workers.serve.room import Room

Name = Annotated[str, Path(max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class NewBatch(Body):
    urls: Annotated[list[Annotated[str, Field(min_length=1, max_length=4_000)]], Field(max_length=10_000, min_length=1)]
    name: Annotated[str, Field(max_length=80)] | None = None


def router(room: Room) -> APIRouter:
    made = APIRouter(prefix="/scrape/batches", tags=["scrape"])

    @made.post("", status_code=202, summary="Scrape and summarize these pages", response_model=dict[str, Any])
    def submit(body: NewBatch) -> Json:
        batch = open_batch(room.graph, body.urls, body.name)
        room.hub.tell("queue_changed", pipeline=PIPELINE, what="batch", rows=len(body.urls), batch=batch.name)
        return Json({"batch": batch.name, "pages": len(set(body.urls))}, 202)

    @made.get("", summary="The batches, the newest first", response_model=list[dict[str, Any]])
    def batches(limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> Json:
        return Json(room.graph.read(f"{PIPELINE}.batches", limit=limit))

    @made.get("/{name}", summary="Where a batch stands", response_model=dict[str, Any])
    def batch(name: Name) -> Json:
        rows = room.graph.read(f"{PIPELINE}.batch", batch=name)
        if not rows:
            raise Missing(f"there is no batch {name!r}")
        shown = {key: value for key, value in rows[0].items() if key not in ("lease", "until", "hook_key")}
        return Json({**shown, "states": counts(room.graph, find(room.graph, name))})

    @made.get("/{name}/results", summary="What became of its pages", response_model=dict[str, Any])
    def results(
        name: Name,
        after: Annotated[int, Query(ge=-1, lt=1 << 63)] = -1,
        limit: Annotated[int, Query(ge=1, le=500)] = 100,
    ) -> Json:
        if not room.graph.read(f"{PIPELINE}.batch", batch=name):
            raise Missing(f"there is no batch {name!r}")
        number = find(room.graph, name).seq
        rows = room.graph.read(f"{PIPELINE}.results", batch_seq=number, after=after, limit=limit)
        found = [
            Result(r["url"], r["state"], r["title"], r["words"], r["summary"], r["summarizer"],
                   r["error"] if r["state"] != "completed" else None, r["key"])
            for r in rows
        ]  # fmt: skip
        return Json({"results": found, "next": following(rows, limit)})

    return made


JOBS = {"scrape": run_scrape}
fits(BatchBusy, 409)
