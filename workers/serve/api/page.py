"""The dashboard: the bundle that `make ui` builds into static/. It holds no data: it asks for them like anybody."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import Missing

# Nothing but our own files, nothing inline, no frame around it, and no text of the graph that could become markup.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
    " trusted-types 'none'"
)
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FIRST, _ICON = "index.html", "icon.svg"
_WITHOUT_BUNDLE = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Graphvine</title></head><body>
<h1>Graphvine</h1>
<p>The service runs, but its dashboard has not been built: run <code>make ui</code> in the source folder (it needs
Node.js 20 and npm), then start the service again.</p>
<ul><li><a href="/docs">The HTTP API</a></li><li><a href="/status">Where every pipeline stands, as JSON</a></li>
<li><a href="/metrics">Metrics for Prometheus</a></li></ul>
</body></html>
"""


@dataclass(frozen=True)
class Part:
    body: bytes
    packed: bytes
    kind: str
    mark: str
    lasting: bool  # its name changes with its content


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(include_in_schema=False)

    @made.get("/")
    async def root() -> Response:
        return RedirectResponse("/ui/", 307)

    @made.get("/docs")
    async def docs() -> Response:
        return RedirectResponse("/ui/api", 307)

    @made.get("/ui")
    @made.get("/ui/{address:path}")
    async def page(request: Request, address: str = "") -> Response:
        return _answer(request, load()[_FIRST])

    @made.get("/favicon.ico")
    async def icon(request: Request) -> Response:
        return _answer(request, _named(_ICON))

    @made.get("/static/{name:path}")
    async def part(request: Request, name: str) -> Response:
        return _answer(request, _named(name))

    return made


@cache
def load() -> dict[str, Part]:
    """Every part by its name. They are read once, so that no name that is asked for ever becomes a path."""
    found: dict[str, Part] = {}
    folder = files("graphvine.workers.serve").joinpath("static")
    if folder.is_dir():
        _read(folder, "", found)
    if _FIRST not in found:
        found[_FIRST] = _part(_WITHOUT_BUNDLE, _KINDS[".html"])
    return found


def _named(name: str) -> Part:
    if name not in load():
        raise Missing("there is no such part of the page")
    return load()[name]


def _read(folder: Traversable, prefix: str, found: dict[str, Part]) -> None:
    for file in folder.iterdir():
        ending = file.name[file.name.rfind(".") :]
        if file.is_dir():
            _read(file, f"{prefix}{file.name}/", found)
        elif ending in _KINDS:
            found[prefix + file.name] = _part(file.read_bytes(), _KINDS[ending], lasting=prefix == "assets/")


def _part(body: bytes, kind: str, *, lasting: bool = False) -> Part:
    mark = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    return Part(body, gzip.compress(body, 9, mtime=0), kind, mark, lasting)


def _answer(request: Request, part: Part) -> Response:
    caching = "public, max-age=31536000, immutable" if part.lasting else "no-cache"
    headers = {
        "ETag": part.mark,
        "Cache-Control": caching,
        "Vary": "Accept-Encoding",
        "Content-Security-Policy": POLICY,
    }
    if request.headers.get("if-none-match") == part.mark:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(part.packed, media_type=part.kind, headers={**headers, "Content-Encoding": "gzip"})
    return Response(part.body, media_type=part.kind, headers=headers)
