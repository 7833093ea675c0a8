"""The HTTP application: the guard in front, our own processes' routes, everybody's, and those of the pipelines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

import graphvine
from graphvine.errors import GraphvineError
from graphvine.workers import registry
from graphvine.workers.search import routes as search
from graphvine.workers.serve import engine_routes, openapi
from graphvine.workers.serve.api import (
    around,
    communities,
    cypher,
    health,
    job_list,
    login,
    machines,
    mcp,
    overview,
    page,
    queues,
    rows,
    status,
)
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.middleware import SecurityMiddleware
from graphvine.workers.serve.responses import ANY_ROUTE, Json, as_error, tell_error, tell_http, tell_invalid

_ABOUT = """\
Everything that a graph's pipelines have, by HTTP. Reading is free on loopback; all that writes needs the token, as
`Authorization: Bearer TOKEN`, and beyond loopback everything does. The token is in the file beside the graph that ends
in `.service`, which only its owner can read. Errors are `{"error": {"type", "message"}}`.
"""


def create_app(app_state: AppState, *, port: Callable[[], int], abort: Callable[[Any], None]) -> Any:
    """The whole application, guarded; `abort` ends the connection of a client."""
    app = FastAPI(
        title="Graphvine", version=graphvine.__version__, description=_ABOUT, docs_url=None, redoc_url=None,
        default_response_class=Json, separate_input_output_schemas=False, responses=ANY_ROUTE,
    )  # fmt: skip
    app.add_exception_handler(GraphvineError, tell_error)
    app.add_exception_handler(RequestValidationError, tell_invalid)
    app.add_exception_handler(HTTPException, tell_http)
    app.add_exception_handler(Exception, _tell_fault)
    app.router.routes.extend(engine_routes.routes(app_state))
    for core in (page, login, health, status, overview, queues, rows, machines, cypher, around, communities,
                 job_list, search):  # fmt: skip
        app.include_router(core.router(app_state))
    app.router.routes.append(mcp.route(app_state))
    pipelines = registry.pipelines().values()
    for pipeline in pipelines:
        if pipeline.routes is not None:
            app.include_router(pipeline.routes(app_state))
    app.openapi = partial(openapi.described, app)  # type: ignore[method-assign]
    app.state.app_state = app_state
    uploads = tuple(path for pipeline in pipelines for path in pipeline.upload_paths)
    return SecurityMiddleware(app, app_state, port=port, upload_paths=uploads, abort=abort)


async def _tell_fault(request: Request, error: Exception) -> Response:
    """A fault of ours: the log has it, whoever asked gets no part of it."""
    import logging

    logging.getLogger("graphvine.serve").error(
        "fault at %s %s", request.method, request.url.path, exc_info=(type(error), error, error.__traceback__)
    )
    return Json(as_error("Fault", "something went wrong here: the log of the service says what"), 500)
