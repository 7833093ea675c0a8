"""The description of the HTTP API: what FastAPI knows, the token, and an example of every route.

The examples were recorded from a daemon (python -m tests.tools.api_examples); a test compares them with the models.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

SCHEME = "token"
_ABOUT = "A token of the service: from the file beside the graph that ends in .service, or `graphvine token create`."
# They hold no data, or are where a token comes from.
_OPEN = ("/healthz", "/readyz", "/login")


def described(app: FastAPI) -> dict[str, Any]:
    """The description, made when it is first asked for."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes,
            separate_input_output_schemas=app.separate_input_output_schemas,
        )  # fmt: skip
        schemes = made.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes[SCHEME] = {"type": "http", "scheme": "bearer", "description": _ABOUT}
        for path, ways in made["paths"].items():
            for method, operation in ways.items():
                operation["security"] = _security(method, path)
                _exemplify(operation, examples().get(f"{method.upper()} {path}", {}))
        app.openapi_schema = made
    return app.openapi_schema


@cache
def examples() -> dict[str, Any]:
    """By method and path: parameters, body, status and answer."""
    found: dict[str, Any] = json.loads(files("graphvine.workers.serve").joinpath("examples.json").read_text("utf-8"))
    return found


def _security(method: str, path: str) -> list[dict[str, list[str]]]:
    if path in _OPEN:
        return []
    # On loopback reading is free, unless the settings say otherwise.
    return [{SCHEME: []}, {}] if method == "get" else [{SCHEME: []}]


def _exemplify(operation: dict[str, Any], example: dict[str, Any]) -> None:
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in example.get("parameters", {}):
            parameter["example"] = example["parameters"][parameter["name"]]
    if "body" in example:
        for content in operation.get("requestBody", {}).get("content", {}).values():
            content["example"] = example["body"]
    if "answer" in example:
        for content in operation["responses"][str(example["status"])]["content"].values():
            content["example"] = example["answer"]
