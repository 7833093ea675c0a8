"""POST /cypher, in the shape of Neo4j's Query API. It reads; with the token, and asked to, it writes."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from graphvine.errors import GraphvineError, QueryTimeout, StoreError, WriteRefused
from graphvine.records import QueryResult
from graphvine.workers.serve.app_state import AppState, NotReady
from graphvine.workers.serve.responses import Busy, Json, as_error, status_of_error

_PATIENCE_SECONDS = 2.0


class Statement(BaseModel):
    """As the Query API has it; what else that API knows (bookmarks, counters) has no meaning here and is left aside."""

    model_config = ConfigDict(extra="ignore")

    statement: Annotated[str, Field(min_length=1, max_length=100_000)]
    parameters: dict[str, Any] = {}
    accessMode: Annotated[Literal["READ", "WRITE", "Read", "Write", "read", "write"], Field(
        description="READ is what counts where nothing is said; WRITE needs the token."
    )] = "READ"  # fmt: skip
    maxExecutionTime: Annotated[float | None, Field(gt=0, le=3600, description="Seconds.")] = None
    maxRows: Annotated[int | None, Field(ge=1, le=1_000_000)] = None


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["cypher"])
    # Threads of their own, as many as may run: however many ask, the other routes have theirs.
    at_once = asyncio.Semaphore(app_state.settings.cypher_at_once)
    threads = ThreadPoolExecutor(app_state.settings.cypher_at_once, thread_name_prefix="graphvine-cypher")

    @made.post(
        "/cypher", status_code=202, summary="Ask in Cypher, as Neo4j's Query API does", response_model=dict[str, Any]
    )
    async def cypher(request: Request, body: Statement) -> Json:
        scope: str | None = request.scope.get("graphvine_token")
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await at_once.acquire()
        except TimeoutError:
            return _failed(Busy(f"{app_state.settings.cypher_at_once} queries run already: try again in a moment"))
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, _answered, app_state, body, scope)
        finally:
            at_once.release()

    return made


def _answered(app_state: AppState, body: Statement, scope: str | None) -> Json:
    try:
        return _answer(run(app_state, body, scope))
    except GraphvineError as error:
        return _failed(error)


def run(app_state: AppState, body: Statement, scope: str | None) -> QueryResult:
    graph, settings = app_state.graph, app_state.settings
    writes = body.accessMode.upper() == "WRITE"
    if writes and scope != "admin":
        raise WriteRefused("accessMode WRITE needs a token of the scope admin, as 'Authorization: Bearer ...'")
    try:
        if writes:
            app_state.check_files(body.statement)
            return graph.execute(body.statement, body.parameters or None)
        rows = min(body.maxRows or settings.cypher_max_rows, settings.cypher_max_rows)
        seconds = min(body.maxExecutionTime or settings.cypher_seconds, settings.cypher_seconds)
        return graph.query(body.statement, body.parameters, max_rows=rows, timeout_seconds=seconds, isolated=True)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        # The engine's driver on a parameter of a kind that it does not know.
        raise GraphvineError(f"the query can't be run: {type(error).__name__}: {error}") from None


def _answer(result: QueryResult) -> Json:
    told: dict[str, Any] = {"data": {"fields": result.columns, "values": result.rows}, "bookmarks": []}
    if result.truncated:
        told["notifications"] = [{
            "code": "Graphvine.Truncated", "severity": "WARNING",
            "title": "there are more rows", "description": f"the first {len(result.rows)} are here",
        }]  # fmt: skip
    return Json(told, 202)


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
