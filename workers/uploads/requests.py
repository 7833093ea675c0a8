"""The requests of this pipeline: a step by hand, and work on one upload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from graphvine.requests import Request, local

if TYPE_CHECKING:
    from graphvine.workers.uploads.record import Upload

Step = Literal["validate", "start", "retry", "reset", "remove"]


class UploadStepRequest(Request["Upload"], verb="upload step", runs="graphvine.workers.uploads.api:run_step"):
    """A transition by hand: validate, start, retry the failed items, reset, or remove. What follows is not done."""

    upload_id: str
    step: Step
    settings: Any = local()


class UploadRequest(Request[str], verb="upload", runs="graphvine.workers.uploads.api:run_upload", where="job"):
    """Work on one upload until it waits for a step or is done. Returns its state.

    One that is `auto` takes its first step by itself.
    """

    upload_id: str
    settings: Any = local()
