"""Logs a browser in: a code that works once, in the link that `graphvine serve` prints, is exchanged for the token."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from graphvine.workers.serve.app_state import CODE_SECONDS, AppState
from graphvine.workers.serve.responses import Json, TokenNeeded


class Code(BaseModel):
    code: Annotated[str, Field(min_length=1, max_length=100, examples=["kq2Zr0..."])]


class Token(BaseModel):
    token: str


class Link(BaseModel):
    """A path to open in a browser; the code in it works once and for `seconds`."""

    path: str
    seconds: float


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/login", tags=["service"])

    @made.post("", summary="Exchange a one-time code for the token", response_model=Token)
    def login(body: Code) -> Json:
        if not app_state.use_login_code(body.code):
            raise TokenNeeded("this link was used already, or is too old: run `graphvine open` for another")
        return Json({"token": app_state.token})

    @made.post("/codes", summary="A new link that logs a browser in", response_model=Link)
    def code() -> Json:
        return Json({"path": login_path(app_state), "seconds": CODE_SECONDS})

    return made


def login_path(app_state: AppState) -> str:
    """The code stands behind the #, which browsers send to nobody."""
    return f"/ui/#code={app_state.new_login_code()}"
