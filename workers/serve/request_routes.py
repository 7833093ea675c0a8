"""Routes whose body is a typed request: read, checked, run or started as a job, and described in OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Any

import msgspec
from fastapi import APIRouter, Depends
from fastapi import Request as HttpRequest
from starlette.responses import Response

from graphvine.requests import BadRequest, Request, sent_fields, types_of
from graphvine.workers.serve.api.models import JobShown
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.file_access import check_request
from graphvine.workers.serve.responses import Json

Answer = Callable[[Any, Any], Any]
_JSON = "application/json"
# Eight megabytes of empty lists are 200 MB as objects, and seconds in which no other thread runs.
_MOST_VALUES = 500_000


def add_route(
    made: APIRouter, app_state: AppState, path: str, kind: type[Request[Any]], summary: str,
    answer: Answer | None = None, *, method: str = "POST", names: Mapping[str, str] | None = None,
    media_type: str = "", model: Any = None, status_code: int = 200,
) -> None:  # fmt: skip
    """A route whose fields come from the path and from the body (GET: the query), where `names` may rename them.

    `answer` makes the response of request and result; without it the request becomes a job, and the response says so.
    `model` is the type of what is answered; `media_type` is for a response that is not JSON.
    """
    types, renamed = types_of(kind), names or {}
    parsers = {one.name: one.metadata.get("parse") for one in sent_fields(kind)}
    in_path = [name for name in types if f"{{{name}}}" in made.prefix + path]

    async def received(http: HttpRequest) -> tuple[HttpRequest, bytes]:
        return http, b"" if method == "GET" else await http.body()

    def read(http: HttpRequest, body: bytes) -> Request[Any]:
        if method == "GET":
            asked = {renamed.get(name, name): http.query_params.getlist(name) for name in http.query_params}
            given = {
                name: _from_query(kind, name, texts, parsers[name]) for name, texts in asked.items() if name in parsers
            }
        else:
            fields = _fields(kind, http.headers.get("content-type", ""), body)
            given = {renamed.get(name, name): value for name, value in fields.items()}
        return kind.of(given | {name: _converted(kind, name, http.path_params[name]) for name in in_path})

    # In a thread, and so is the reading: megabytes of JSON in the event loop would keep everybody waiting.
    def endpoint(asked: Any = Depends(received)) -> Response:
        request = read(*asked)
        check_request(app_state, request, owner=asked[0].scope.get("graphvine_owner", False))
        if answer is None:
            return Json(app_state.jobs.start(request).shown(), 202)
        made = answer(request, app_state.run(request))
        return made if isinstance(made, Response) else Json(made)

    made.add_api_route(
        path, endpoint, methods=[method], summary=summary, description=kind.__doc__ or "",
        response_model=JobShown if answer is None else model,
        status_code=202 if answer is None else status_code, name=kind.verb,
        response_class=Response if media_type else Json,
        responses={200: {"content": {media_type: {"schema": {"type": "string"}}}}} if media_type else {},
        openapi_extra=_described(kind, in_path, {field: name for name, field in renamed.items()}, method),
    )  # fmt: skip


def _from_query(kind: type[Request[Any]], name: str, texts: list[str], parse: Callable[[str], Any] | None) -> Any:
    """As on the command line: a list is given several times or with commas, a time as a day or in seconds."""
    if msgspec.json.schema(types_of(kind)[name]).get("type") == "array":
        return _converted(kind, name, [part for text in texts for part in (parse(text) if parse else [text])])
    return _converted(kind, name, parse(texts[-1]) if parse else texts[-1])


def _converted(kind: type[Request[Any]], name: str, given: Any) -> Any:
    try:
        return msgspec.convert(given, types_of(kind)[name], strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(kind.verb, name, str(error).replace("`", "")) from None


def _fields(kind: type[Request[Any]], media_type: str, body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    if media_type.partition(";")[0].strip().lower() != _JSON:
        raise BadRequest(kind.verb, "body", f"it must be {_JSON}")
    if body.count(b",") + body.count(b"[") + body.count(b"{") > _MOST_VALUES:
        raise BadRequest(kind.verb, "body", f"it has more than {_MOST_VALUES:,} values: send it in parts")
    try:
        given = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(kind.verb, "body", f"it is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise BadRequest(kind.verb, "body", "it must be a JSON object")
    return given


def _described(
    kind: type[Request[Any]], in_path: list[str], shown_as: Mapping[str, str], method: str
) -> dict[str, Any]:
    fields = {one.name: one for one in sent_fields(kind)}
    schemas = {name: _schema(types_of(kind)[name], one.metadata.get("help", "")) for name, one in fields.items()}
    parameters = [{"name": name, "in": "path", "required": True, "schema": schemas.pop(name)} for name in in_path]
    required = [shown_as.get(name, name) for name in schemas if fields[name].default is MISSING]
    shown = {shown_as.get(name, name): one for name, one in schemas.items()}
    if method == "GET":
        parameters += [
            {"name": name, "in": "query", "required": name in required, "schema": one} for name, one in shown.items()
        ]
    described: dict[str, Any] = {"parameters": parameters} if parameters else {}
    if method != "GET" and shown:
        schema = {"type": "object", "additionalProperties": False, "required": required, "properties": shown}
        described["requestBody"] = {"required": bool(required), "content": {_JSON: {"schema": schema}}}
    return described


def _schema(kind: Any, help: str) -> dict[str, Any]:
    return {**_with_items(msgspec.json.schema(kind)), **({"description": help} if help else {})}


def _with_items(schema: dict[str, Any]) -> dict[str, Any]:
    """Lists of anything say so: makers of clients want to read it."""
    if schema.get("type") == "array":
        schema.setdefault("items", {})
    for part in schema.get("anyOf", ()):
        _with_items(part)
    return schema
