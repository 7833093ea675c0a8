"""Responses and errors as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from graphvine.engines.http.connection import StoreAway
from graphvine.errors import (
    GraphvineError,
    QueryTimeout,
    StoreClosed,
    StoreError,
    UnknownBlock,
    UnknownPipeline,
    WriteRefused,
)
from graphvine.json_text import encode
from graphvine.redact import redact
from graphvine.requests import BadRequest
from graphvine.workers.serve.app_state import NotReady
from graphvine.workers.serve.events import TooManyListeners
from graphvine.workers.serve.jobs import TooManyJobs, UnknownJob


class Missing(GraphvineError):
    """What was asked for is not there."""


class TokenNeeded(GraphvineError):
    """This may be done with the token alone."""


class Busy(GraphvineError):
    """Too much at once."""


class Problem(BaseModel):
    type: str
    message: str


class ErrorShown(BaseModel):
    """Every error of every route: its kind, and a sentence that says what to do."""

    error: Problem


class WrongField(BaseModel):
    field: str
    message: str


class Invalid(ErrorShown):
    """A request that does not fit, and which of its fields."""

    fields: list[WrongField] = []


class Json(JSONResponse):
    """JSON as graphvine.json_text writes it."""

    def render(self, content: Any) -> bytes:
        return encode(content)


class EncodedJson(JSONResponse):
    """JSON that is encoded already."""

    def render(self, content: bytes) -> bytes:
        return content


STATUS: list[tuple[type[GraphvineError], int]] = [
    (Missing, 404), (UnknownPipeline, 404), (UnknownJob, 404), (UnknownBlock, 404), (TokenNeeded, 401),
    (WriteRefused, 403), (QueryTimeout, 408), (Busy, 429), (TooManyJobs, 429), (TooManyListeners, 429),
    (NotReady, 503), (StoreClosed, 503), (StoreAway, 503), (StoreError, 409), (GraphvineError, 400),
]  # fmt: skip


# What any route may answer beside its own statuses, for the description: the middleware and the handlers below.
ANY_ROUTE: dict[int | str, dict[str, Any]] = {
    status: {"model": Invalid if status == 422 else ErrorShown, "description": meaning}
    for status, meaning in {
        400: "It can't be understood.", 401: "It needs a token, or the token is wrong.",
        403: "The token's scope is too small, or another site's page asks.", 404: "It is not there.",
        408: "The body came too slowly, or the query took too long.", 409: "It can't be done now.",
        413: "The body is too large.", 421: "The Host is not a name of this service.", 422: "A field does not fit.",
        429: "Too much at once.", 503: "The graph is being opened or closed, or too much is on its way.",
    }.items()
}  # fmt: skip


def _of_type(media_type: str, schema: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media_type: {"schema": schema}}}}


_STRING = {"type": "string"}
# For routes whose answer is not JSON; of a stream, each event is described.
PLAIN_TEXT = _of_type("text/plain", _STRING)
EVENT_STREAM = _of_type("text/event-stream", {
    "type": "object", "required": ["event", "data"], "description": "One event; its data is a JSON object.",
    "properties": {"id": _STRING, "event": _STRING, "data": {**_STRING, "contentMediaType": "application/json"}},
})  # fmt: skip


T = TypeVar("T")


class PageOf(BaseModel, Generic[T]):
    """A page of a list. `next` is what to ask for as `after` to get the page behind it; the last page has none."""

    rows: list[T]
    next: str | None = None


# Before every number of a row, for lists that begin with the newest.
LAST = (1 << 63) - 1
# The parameters of every list; `contains` and `state` where it can be filtered.
After = Annotated[int | None, Query(ge=0, lt=1 << 63, description="`next` of the page before.")]
Limit = Annotated[int, Query(ge=1, le=1_000, description="The most rows of a page.")]
Contains = Annotated[str, Query(max_length=200, description="A part of the name, in any case.")]
State = Annotated[str, Query(max_length=40, description="Only those in this state.")]


def page_of(rows: Sequence[Any], limit: int, last: object = None) -> Json:
    """`last` is the place of the last row, where it is not its `seq`; a text, since JSON numbers hold 53 bits."""
    if not rows or len(rows) < limit:
        return Json({"rows": rows, "next": None})
    return Json({"rows": rows, "next": str(rows[-1]["seq"] if last is None else last)})


def register_status(kind: type[GraphvineError], status: int) -> None:
    """An error of a pipeline's own has this status."""
    STATUS.insert(0, (kind, status))


def status_of_error(error: GraphvineError) -> int:
    return next(status for kind, status in STATUS if isinstance(error, kind))


async def tell_error(request: Request, error: Exception) -> Response:
    """An error of ours: its sentence, its kind, and a status that fits."""
    assert isinstance(error, GraphvineError)
    if isinstance(error, BadRequest) and error.field:
        fields = [{"field": error.field if error.field == "body" else f"body.{error.field}", "message": error.reason}]
        return Json({**as_error("Invalid", str(error)), "fields": fields}, 422)
    status = status_of_error(error)
    headers = {"Retry-After": "1"} if status in (429, 503) else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Json(as_error(type(error).__name__, str(error)), status, headers)


async def tell_invalid(request: Request, error: Exception) -> Response:
    """Which field is wrong and why; what was sent is not sent back."""
    assert isinstance(error, RequestValidationError)
    return invalid(error.errors())


def invalid(errors: Sequence[Any]) -> Response:
    """The answer to a request whose fields do not fit, from pydantic's list."""
    fields = [{"field": ".".join(map(str, one["loc"])), "message": str(one["msg"])} for one in errors[:20]]
    first = f"{fields[0]['field']}: {fields[0]['message']}" if fields else "the request is not valid"
    return Json({**as_error("Invalid", first), "fields": fields}, 422)


async def tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return Json(as_error("Refused", str(error.detail)), error.status_code, dict(error.headers or {}))


def as_error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"type": kind, "message": redact(message.encode("utf-8", "replace").decode("utf-8")[:2_000])}}
