"""The dashboard: a page and its parts, as they stand in page/. It holds no data: it asks for them like anybody."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import Missing

# Nothing but our own files, nothing inline, no frame around it, and no text of the graph that could become markup.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FIRST, _ICON = "index.html", "icon.svg"


@dataclass(frozen=True)
class Part:
    body: bytes
    kind: str
    mark: str


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(include_in_schema=False)
    parts = load()

    @made.get("/")
    async def page(request: Request) -> Response:
        return _answer(request, parts[_FIRST])

    @made.get("/favicon.ico")
    async def icon(request: Request) -> Response:
        return _answer(request, parts[_ICON])

    @made.get("/static/{name}")
    async def part(request: Request, name: str) -> Response:
        if name not in parts:
            raise Missing("there is no such part of the page")
        return _answer(request, parts[name])

    return made


def load() -> dict[str, Part]:
    """Every part by its name. They are read once, so that no name that is asked for ever becomes a path."""
    found = {}
    for file in files("graphvine.workers.serve").joinpath("page").iterdir():
        ending = file.name[file.name.rfind(".") :]
        if ending in _KINDS:
            body = file.read_bytes()
            found[file.name] = Part(body, _KINDS[ending], f'"{hashlib.sha256(body).hexdigest()[:20]}"')
    return found


def _answer(request: Request, part: Part) -> Response:
    headers = {"ETag": part.mark, "Cache-Control": "no-cache", "Content-Security-Policy": POLICY}
    if request.headers.get("if-none-match") == part.mark:
        return Response(status_code=304, headers=headers)
    return Response(part.body, media_type=part.kind, headers=headers)
