"""The request of every pipeline, work; and where the requests of the pipelines are found by their verbs."""

from __future__ import annotations

import importlib
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from graphvine.requests import Request, known_requests, needed, option
from graphvine.workers.registry import pipelines

if TYPE_CHECKING:
    from graphvine.workers.counts import Counts


class WorkRequest(Request["Counts"], verb="work", runs="graphvine.workers.work:run_work"):
    """Work on a pipeline; each batch is an event.

    Where only the owner of the store may work on it, this is a job of the daemon, for as long as it is watched.
    """

    while_watched: ClassVar[bool] = True

    pipeline: str = field(metadata=needed("The pipeline to work on.", "PIPELINE"))
    batch: Annotated[int, msgspec.Meta(ge=1, le=100_000)] | None = option(
        None, "Rows to claim at once (setting batch_size).", metavar="N"
    )
    once: bool = option(False, "Work on one batch, then end.")
    until_empty: bool = option(False, "End when nothing is left to claim, now or after a wait.")

    def check(self) -> None:
        if self.once and self.until_empty:
            raise self.refuse("", "--once or --until-empty, not both")
        declared = pipelines().get(self.pipeline)
        object.__setattr__(self, "where", "job" if declared is not None and declared.owner_only else "here")


def find_request(verb: str) -> type[Request[Any]] | None:
    """The request of this verb: one of every graph, or one that a pipeline declares."""
    importlib.import_module("graphvine.core_requests")
    importlib.import_module("graphvine.workers.search.requests")
    for declared in pipelines().values():
        if declared.requests is not None:
            declared.requests()
    return known_requests().get(verb)
