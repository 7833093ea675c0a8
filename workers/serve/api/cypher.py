"""POST /cypher, in the shape of Neo4j's Query API. It reads; with the token, and asked to, it writes."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from graphvine.errors import GraphvineError, QueryTimeout, StoreError, WriteRefused
from graphvine.json_text import encode
from graphvine.records import EncodedResult
from graphvine.workers.serve.app_state import AppState, NotReady
from graphvine.workers.serve.responses import Busy, EncodedJson, ErrorShown, Json, as_error, invalid, status_of_error


class Statement(msgspec.Struct):
    """As the Query API has it; what else that API knows (bookmarks, counters) has no meaning here and is left aside."""

    statement: Annotated[str, msgspec.Meta(min_length=1, max_length=100_000)]
    # Left as they came: the process that runs the query reads them, within its own limit of memory.
    parameters: msgspec.Raw = msgspec.field(default_factory=lambda: msgspec.Raw(b"{}"))
    accessMode: Annotated[
        Literal["READ", "WRITE", "Read", "Write", "read", "write"],
        msgspec.Meta(description="READ is what counts where nothing is said; WRITE needs the token."),
    ] = "READ"
    maxExecutionTime: Annotated[float, msgspec.Meta(gt=0, le=3600, description="Seconds.")] | None = None
    maxRows: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None


class Data(BaseModel):
    fields: list[str]
    values: list[list[Any]]


class Notification(BaseModel):
    code: str
    severity: str
    title: str
    description: str


class QueryAnswer(BaseModel):
    """Columns and rows; a notification where there are more rows."""

    data: Data
    bookmarks: list[str]
    notifications: list[Notification] = []


class QueryProblem(BaseModel):
    code: str
    message: str


class Failed(BaseModel):
    """The query was not run, or not to its end: a code of Neo4j's, and a sentence."""

    errors: list[QueryProblem]


_decoder = msgspec.json.Decoder(Statement)
_SCHEMA = msgspec.json.schema(Statement)["$defs"]["Statement"]
_SCHEMA["properties"]["parameters"] = {"type": "object", "default": {}}
# The others are taken as well; of names that differ by their case alone no client can be made.
_SCHEMA["properties"]["accessMode"]["enum"] = ["READ", "WRITE"]


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["cypher"])
    # Threads of their own, as many as may run: however many ask, the other routes have theirs.
    at_once = asyncio.Semaphore(app_state.settings.cypher_at_once)
    threads = ThreadPoolExecutor(app_state.settings.cypher_at_once, thread_name_prefix="graphvine-cypher")

    @made.post(
        "/cypher", status_code=202, summary="Ask in Cypher, as Neo4j's Query API does", response_model=QueryAnswer,
        openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"schema": _SCHEMA}}}},
        responses={status: {"model": Failed | ErrorShown} for status in (400, 403, 408, 409, 429, 503)},
    )  # fmt: skip
    async def cypher(request: Request) -> Response:
        scope: str | None = request.scope.get("graphvine_token")
        body = await request.body()
        try:
            async with asyncio.timeout(app_state.settings.cypher_seconds):
                await at_once.acquire()
        except TimeoutError:
            return _failed(Busy(f"{app_state.settings.cypher_at_once} queries are taken already: try again later"))
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, _answered, app_state, body, scope)
        finally:
            at_once.release()

    return made


def _answered(app_state: AppState, body: bytes, scope: str | None) -> Response:
    """Runs in a thread, with the reading of the body: megabytes of parameters take their time."""
    try:
        statement = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return invalid([{"loc": ("body",), "msg": str(error).replace("`", "")}])
    if bytes(statement.parameters)[:1] != b"{":
        return invalid([{"loc": ("body", "parameters"), "msg": "it must be a JSON object"}])
    try:
        return _answer(run(app_state, statement, scope))
    except GraphvineError as error:
        return _failed(error)


def run(app_state: AppState, body: Statement, scope: str | None) -> EncodedResult:
    graph, settings = app_state.graph, app_state.settings
    writes = body.accessMode.upper() == "WRITE"
    if writes and scope != "admin":
        raise WriteRefused("accessMode WRITE needs a token of the scope admin, as 'Authorization: Bearer ...'")
    try:
        if writes:
            app_state.check_files(body.statement)
            return EncodedResult.of(graph.execute(body.statement, msgspec.json.decode(body.parameters) or None))
        rows = min(body.maxRows or settings.cypher_max_rows, settings.cypher_max_rows)
        seconds = min(body.maxExecutionTime or settings.cypher_seconds, settings.cypher_seconds)
        return graph.query_encoded(body.statement, bytes(body.parameters), max_rows=rows, timeout_seconds=seconds)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        # The engine's driver on a parameter of a kind that it does not know.
        raise GraphvineError(f"the query can't be run: {type(error).__name__}: {error}") from None


def _answer(result: EncodedResult) -> Response:
    summary: dict[str, Any] = {"bookmarks": []}
    if result.truncated:
        summary["notifications"] = [{
            "code": "Graphvine.Truncated", "severity": "WARNING",
            "title": "there are more rows", "description": f"the first {result.count} are here",
        }]  # fmt: skip
    parts = (b'{"data":{"fields":', result.columns, b',"values":', result.rows, b"},", encode(summary)[1:])
    return EncodedJson(b"".join(parts), 202)


def _failed(error: GraphvineError) -> Json:
    code = next(code for kind, code in _CODES if isinstance(error, kind))
    message = as_error("", str(error))["error"]["message"]
    status = status_of_error(error)
    return Json({"errors": [{"code": code, "message": message}]}, status)


_CODES: list[tuple[type[GraphvineError], str]] = [
    (WriteRefused, "Neo.ClientError.Statement.AccessMode"),
    (QueryTimeout, "Neo.ClientError.Transaction.TransactionTimedOut"),
    (Busy, "Neo.TransientError.General.TransactionMemoryLimit"),
    (NotReady, "Neo.TransientError.General.DatabaseUnavailable"),
    (StoreError, "Neo.ClientError.Statement.ExecutionFailed"),
    (GraphvineError, "Neo.ClientError.Statement.SyntaxError"),
]
