"""Record the examples of the HTTP API's description from a daemon: python -m tests.tools.api_examples"""

from __future__ import annotations

import json
import re
import socket
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.lanes.browser.house import House, open_house
from tests.support.waiting import eventually
from tests.tools.package_tree import REPOSITORY

KEPT = REPOSITORY / "workers" / "serve" / "examples.json"
_MOST_ELEMENTS, _MOST_LETTERS = 2, 200
_QUEUE = {"pipeline": "article"}
_ITEM = {"id": 4, "type": "story", "title": "Grafting a vine", "by": "ada", "time": 1_700_000_300, "score": 3}
# In this order: parameters, body. What needs an id that only the daemon knows has it filled in.
ASKED: dict[str, tuple[dict[str, Any], Any]] = {
    "POST /login": ({}, {"code": "(code)"}),
    "POST /login/codes": ({}, None),
    **{f"GET {path}": ({}, None) for path in (
        "/healthz", "/readyz", "/status", "/workers", "/settings", "/tables", "/pipelines", "/overview", "/samples",
        "/machines", "/communities/kinds", "/jobs", "/log", "/edges", "/scrape/batches", "/uploads",
    )},
    "GET /pipelines/{pipeline}": (_QUEUE, None),
    "GET /pipelines/{pipeline}/failed": ({**_QUEUE, "contains": "page", "limit": 10}, None),
    "GET /pipelines/{pipeline}/rows": ({**_QUEUE, "state": ["failed", "skipped"], "limit": 100}, None),
    "GET /pipelines/{pipeline}/rows/count": ({**_QUEUE, "standing": "at rest", "max_depth": 1}, None),
    "GET /pipelines/{pipeline}/reasons": ({**_QUEUE, "state": "skipped"}, None),
    "GET /pipelines/{pipeline}/row": ({**_QUEUE, "key": "Nor this one"}, None),
    "POST /pipelines/{pipeline}/seeds": (_QUEUE, {"keys": ["Trellis work", "Vineyard"]}),
    "POST /pipelines/{pipeline}/prioritise": (_QUEUE, {"keys": ["Vineyard"]}),
    "POST /pipelines/{pipeline}/release": (_QUEUE, {"keys": ["Vineyard"]}),
    "POST /pipelines/{pipeline}/exclude": (_QUEUE, {"keys": ["Trellis work"]}),
    "POST /pipelines/{pipeline}/requeue": (_QUEUE, {"contains": "no page"}),
    "POST /pipelines/{pipeline}/pause": (_QUEUE, {"reason": "the wiki is down"}),
    "POST /pipelines/{pipeline}/resume": (_QUEUE, {}),
    "GET /machines/{pipeline}": (_QUEUE, None),
    "POST /cypher": ({}, {
        "statement": "MATCH (a:Article) WHERE a.title = $title RETURN a.title, a.words", "parameters": {"title": "Vine"},
    }),
    "GET /neighbourhood": ({"label": "Article", "key": "Vine", "limit": 2}, None),
    "GET /path": ({"label": "Article", "key": "Ivy", "to": "Beer"}, None),
    "GET /communities": ({"label": "Article"}, None),
    "GET /communities/{community}": ({"label": "Article", "community": "(community)"}, None),
    "GET /drawing": ({"label": "Article"}, None),
    "GET /search": ({"q": "plants that climb", "limit": 2}, None),
    "GET /search/facets": ({"q": "vines", "facets": ["type", "by", "year"]}, None),
    "GET /ask": ({"q": "How do vines climb?", "limit": 2}, None),
    "POST /edges": ({}, {}),
    "POST /reindex": ({}, {}),
    "POST /hn/items": ({}, [_ITEM]),
    **{f"GET /hn/items/{{id}}{rest}": ({"id": id}, None) for rest, id in {
        "": 1, "/thread": 1, "/ancestors": 3, "/descendants": 1, "/siblings": 2, "/story": 3, "/transitions": 4,
    }.items()},
    "POST /hn/items/{id}/mark-failed": ({"id": 4}, {"reason": "a duplicate"}),
    "POST /hn/retry": ({}, {"ids": [3]}),
    "POST /hn/items/{id}/transitions/{transition}": ({"id": 4, "transition": "retry_processing"}, {}),
    "GET /hn/search": ({"q": "vines", "type": "story"}, None),
    "POST /hn/reindex": ({}, {}),
    "POST /hn/pull": ({}, {"top": 30}),
    "GET /news/articles": ({"sentiment": "positive", "limit": 20}, None),
    "GET /news/articles/{id}": ({"id": "https://example.org/1"}, None),
    "GET /news/sentiment": ({"days": 7}, None),
    "GET /news/queue": ({"limit": 20}, None),
    "POST /news/update": ({}, {}),
    "POST /news/process": ({}, {"until_empty": True}),
    "POST /news/retry": ({}, {"ids": ["https://example.org/1"]}),
    "POST /scrape/batches": ({}, {"urls": ["http://127.0.0.1:9/"], "name": "reading"}),
    "GET /scrape/batches/{name}": ({"name": "reading"}, None),
    "GET /scrape/batches/{name}/results": ({"name": "reading"}, None),
    "GET /uploads/{id}": ({"id": "(upload)"}, None),
    "GET /uploads/{id}/errors": ({"id": "(upload)"}, None),
    "POST /uploads/{upload_id}/{step}": ({"upload_id": "(upload)", "step": "remove"}, {}),
    "GET /articles": ({"state": "processed", "limit": 2}, None),
    "GET /article": ({"title": "Vine"}, None),
    "POST /seeds": ({}, {"titles": ["Wine", "Must"]}),
    "POST /grow": ({}, {"titles": ["Vine"], "depth": 1}),
    "POST /refresh": ({}, {}),
    "GET /jobs/{id}": ({"id": "(job)"}, None),
    "DELETE /jobs/{id}": ({"id": "(job)"}, None),
}  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, open_house(Path(folder), graph="wiki.kuzu") as house:
        found = record(house)
        text = json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True).replace(folder, "/srv")
    text = re.sub(rf"{re.escape(socket.gethostname())}:\d+:", "host:4711:", text)
    KEPT.write_text(text + "\n", "utf-8")
    print(f"{KEPT} ({len(found)} routes)")


def record(house: House) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with house.client() as client:
        lines = b'{"id": 9, "type": "story", "title": "A vine", "by": "eve", "time": 1700000400}\n{"id": 10, "type": "bad"}\n'
        upload = client.post("/uploads", files={"file": ("items.jsonl", lines)}).raise_for_status()
        id = upload.json()["upload_id"]
        eventually(lambda: _ended(client.get(f"/uploads/{id}").json()["state"]))
        found["POST /uploads"] = {"status": upload.status_code, "answer": _short(upload.json())}
        client.post("/hn/items/3/mark-failed", json={"reason": "a duplicate"}).raise_for_status()
        known = {
            "(code)": client.post("/login/codes").json()["path"].partition("code=")[2], "(upload)": id,
            "(community)": client.get("/communities", params={"label": "Article"}).json()["communities"][0]["id"],
            "(job)": client.get("/jobs").json()["rows"][0]["id"],
        }  # fmt: skip
        for route, (parameters, body) in ASKED.items():
            method, path = route.split()
            given, sent = (_filled(one, known) if isinstance(one, dict) else one for one in (parameters, body))
            query = {name: value for name, value in given.items() if f"{{{name}}}" not in path}
            filled = path.format(**{name: quote(str(value), safe="") for name, value in given.items()})
            answer = client.request(method, filled, params=query, json=sent)
            if not answer.is_success:
                print(f"{route}: {answer.status_code} {answer.text}")
                continue
            found[route] = {"status": answer.status_code, "answer": _short(answer.json())}
            if given:
                found[route]["parameters"] = given
            if body is not None:
                found[route]["body"] = sent
        found["POST /login"]["answer"] = {"token": "(a token)"}
    return found


def _filled(given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    return {name: known.get(value, value) if isinstance(value, str) else value for name, value in given.items()}


def _ended(state: str) -> None:
    assert state.startswith("completed") or state in ("partial_success", "failed"), state


def _short(value: Any) -> Any:
    """A few elements of each list tell the form of all, and a part of a text is enough."""
    if isinstance(value, list):
        return [_short(one) for one in value[:_MOST_ELEMENTS]]
    if isinstance(value, dict):
        return {name: _short(one) for name, one in list(value.items())[:60]}
    return value[:_MOST_LETTERS] if isinstance(value, str) else value


if __name__ == "__main__":
    main()
