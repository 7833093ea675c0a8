"""docs/python-api.md from signatures and docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import graphvine
from graphvine.requests import Request, sent_fields

_HEAD = """\
# The Python API

This page is made from signatures and docstrings; a test fails when it is out of date. Everything on it is imported \
from `graphvine`, and loaded when it is used.

    import graphvine

    with graphvine.open("wiki.kuzu") as graph:
        graph.grow(["Vine"], source="sample", depth=2)
        for hit in graph.search("how do vines climb"):
            print(hit.article, hit.snippet)

Each method makes a request and gives it to `graphvine.dispatch.dispatch`, which runs it here, or in the daemon that \
holds the graph. A request checks its fields when it is made and raises `BadRequest`, which is a `ValueError`, too."""
_FACES = {"Graph": "A graph", "HackerNews": "graph.hn", "News": "graph.news", "Uploads": "graph.uploads"}


def markdown() -> str:
    """The whole page."""
    public = {name: getattr(graphvine, name) for name in graphvine.__all__}
    kinds = {name: _kind(name, one) for name, one in public.items()}
    parts = [_HEAD, "## Functions"]
    parts += [_call(f"graphvine.{name}", one) for name, one in public.items() if kinds[name] == "function"]
    for name, title in _FACES.items():
        parts += [f"## {title}", _text(public[name]), *_methods(public[name])]
    for kind in ("Requests", "Results and records", "Other classes", "Errors"):
        parts.append(f"## {kind}")
        parts += [_described(name, one) for name, one in public.items() if kinds[name] == kind]
    return "\n\n".join(parts) + "\n"


def _kind(name: str, one: Any) -> str:
    if name in _FACES:
        return "face"
    if not isinstance(one, type):
        return "function"
    if issubclass(one, BaseException):
        return "Errors"
    if issubclass(one, Request) and one is not Request:
        return "Requests"
    return "Results and records" if is_dataclass(one) or hasattr(one, "__struct_fields__") else "Other classes"


def _methods(face: type) -> Iterator[str]:
    for name, one in inspect.getmembers(face):
        if name.startswith("_"):
            continue
        if isinstance(one, property):
            yield f"`{name}`\n: {_text(one)}"
        elif callable(one):
            yield _call(name, one)


def _call(name: str, one: Any) -> str:
    signature = inspect.signature(one)
    shown, starred = [], False
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        shown.append(f"{parameter.name}: {parameter.annotation}{default}")
    return f"`{name}({', '.join(shown)}) -> {signature.return_annotation}`\n: {_text(one)}"


def _described(name: str, one: Any) -> str:
    if issubclass(one, Request) and one is not Request:
        listed = [f"`{field.name}{_default(field.default)}`" for field in sent_fields(one)]
    elif is_dataclass(one):
        listed = [f"`{field.name}: {field.type}{_default(field.default)}`" for field in fields(one)]
    else:
        listed = [f"`{field}`" for field in getattr(one, "__struct_fields__", ())]
    return f"**{name}**: {_text(one)}" + (f" Fields: {', '.join(listed)}." if listed else "")


def _default(default: Any) -> str:
    return "" if default is MISSING else f" = {default!r}"


def _text(one: Any) -> str:
    return " ".join((inspect.getdoc(one) or "").split())
