"""The description of the API: every route has a model, the token and an example that fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest

from graphvine.workers.serve.openapi import SCHEME, examples

# Their answers are no JSON: text for Prometheus, events, a picture.
OTHER_MEDIA = {"GET /metrics", "GET /events", "GET /jobs/{id}/events", "GET /map"}


@pytest.fixture(scope="module")
def description(visitor: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = visitor.get("/openapi.json").json()
    return found


def routes(description: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, ways in description["paths"].items():
        for method, operation in ways.items():
            yield f"{method.upper()} {path}", operation


def says_nothing(schema: dict[str, Any]) -> bool:
    if schema.get("type") == "array":
        return says_nothing(schema.get("items", {}))
    return not schema or (schema.get("type") == "object" and "properties" not in schema)


def test_every_route_has_a_model_of_its_answer(description: dict[str, Any]) -> None:
    untyped = []
    for route, operation in routes(description):
        (answer,) = [one for status, one in operation["responses"].items() if status.startswith("2")]
        if route not in OTHER_MEDIA and says_nothing(answer["content"]["application/json"]["schema"]):
            untyped.append(route)
    assert untyped == []


def test_every_route_says_whether_it_needs_the_token(description: dict[str, Any]) -> None:
    assert description["components"]["securitySchemes"][SCHEME]["scheme"] == "bearer"
    free = []
    for route, operation in routes(description):
        security = operation["security"]
        if not security:
            free.append(route)
        elif not route.startswith("GET "):
            assert security == [{SCHEME: []}], route
    assert sorted(free) == ["GET /healthz", "GET /readyz", "POST /login"]


# The best of many, where there is no page behind the first; of a search of items, by their number (`offset`).
RANKED = {"GET /search", "GET /ask", "GET /pipelines/{pipeline}/reasons", "GET /hn/search"}
# Parts of a picture, or of an overview, that say how much there is in all.
DRAWN = {"GET /neighbourhood", "GET /communities", "GET /communities/{community}", "GET /drawing", "GET /map",
         "GET /news/queue"}  # fmt: skip


def test_every_list_has_the_same_pages(description: dict[str, Any]) -> None:
    paged = set()
    for route, operation in routes(description):
        given = {one["name"] for one in operation.get("parameters", ())}
        if "limit" not in given or route in RANKED | DRAWN:
            continue
        name = operation["responses"]["200"]["content"]["application/json"]["schema"].get("$ref", "").rpartition("/")[2]
        assert set(description["components"]["schemas"][name]["properties"]) == {"rows", "next"}, route
        assert "after" in given, route
        paged.add(route)
    assert paged == {
        "GET /pipelines/{pipeline}/rows", "GET /pipelines/{pipeline}/failed", "GET /jobs", "GET /log", "GET /articles",
        "GET /news/articles", "GET /scrape/batches", "GET /scrape/batches/{name}/results", "GET /uploads",
        "GET /uploads/{id}/errors",
    }  # fmt: skip


def test_every_route_has_an_example_that_fits(description: dict[str, Any]) -> None:
    known, missing, wrong = examples(), [], []

    def fits(schema: dict[str, Any], value: Any) -> bool:
        whole = {**schema, "components": description["components"]}
        return bool(jsonschema.Draft202012Validator(whole).is_valid(value))

    for route, operation in routes(description):
        if route in OTHER_MEDIA:
            continue
        example = known.get(route)
        if example is None:
            missing.append(route)
            continue
        answer = operation["responses"][str(example["status"])]["content"]["application/json"]
        if not fits(answer["schema"], answer["example"]):
            wrong.append(f"{route}: the answer")
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if "body" in example and not fits(content["schema"], example["body"]):
                wrong.append(f"{route}: the body")
        for parameter in operation.get("parameters", ()):
            if parameter["required"] and not fits(parameter["schema"], parameter["example"]):
                wrong.append(f"{route}: {parameter['name']}")
    assert (missing, wrong) == ([], [])
    assert set(known) <= {route for route, _ in routes(description)}, "an example of a route that is gone"
