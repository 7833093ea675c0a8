"""Responses and errors as JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

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
from graphvine.records import Row
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


# Beyond this a number of JavaScript is no longer exact: such a number is sent as a text.
_EXACT = 1 << 53
_LONG_NUMBER = re.compile(rb"[0-9]{16}")


class Json(Response):
    """JSON by msgspec: quick, dataclasses as they are, numbers that JSON has no word for as null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        try:
            body = msgspec.json.encode(content, enc_hook=str)
        except (UnicodeEncodeError, OverflowError, TypeError):
            return msgspec.json.encode(_sound(content), enc_hook=str)
        if _LONG_NUMBER.search(body):
            return msgspec.json.encode(_sound(msgspec.to_builtins(content, enc_hook=str)), enc_hook=str)
        return body


STATUS: list[tuple[type[GraphvineError], int]] = [
    (Missing, 404), (UnknownPipeline, 404), (UnknownJob, 404), (UnknownBlock, 404), (TokenNeeded, 401),
    (WriteRefused, 403), (QueryTimeout, 408), (Busy, 429), (TooManyJobs, 429), (TooManyListeners, 429),
    (NotReady, 503), (StoreClosed, 503), (StoreAway, 503), (StoreError, 409), (GraphvineError, 400),
]  # fmt: skip


def following(rows: Sequence[Row], limit: int) -> str | None:
    """What to ask for as `after` to get the rows behind these; a text, since not every reader of JSON holds 64 bits."""
    return str(rows[-1]["seq"]) if len(rows) == limit else None


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
    fields = [
        {"field": ".".join(map(str, one["loc"])), "message": str(one["msg"])} for one in error.errors()[:20]
    ]  # fmt: skip
    first = f"{fields[0]['field']}: {fields[0]['message']}" if fields else "the request is not valid"
    return Json({**as_error("Invalid", first), "fields": fields}, 422)


async def tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return Json(as_error("Refused", str(error.detail)), error.status_code, dict(error.headers or {}))


def as_error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"type": kind, "message": message.encode("utf-8", "replace").decode("utf-8")[:2_000]}}


def _sound(value: Any) -> Any:
    """Without half characters, and without numbers that JSON readers can't hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if -_EXACT <= value <= _EXACT else str(value)
    if isinstance(value, dict):
        return {str(_sound(str(name))): _sound(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_sound(inner) for inner in value]
    return value
