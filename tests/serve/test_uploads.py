"""Files by HTTP: taken, processed, watched; a cunning or a cut one leaves nothing; and `graph.upload` over the line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

import graphvine
from graphvine.errors import GraphvineError
from tests.support.shared_graphs import Served
from tests.support.waiting import eventually

ITEMS = [{"id": n, "type": "story", "title": f"Vine {n}", "by": "ada", "time": 1_700_000_000 + n} for n in range(1, 51)]
BAD = {"id": 51, "type": "no such type", "title": "x"}


def lines(items: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(item) for item in items).encode()


def at_rest(owner: httpx.Client, id: str) -> dict[str, Any]:
    def look() -> dict[str, Any]:
        found: dict[str, Any] = owner.get(f"/uploads/{id}").json()
        assert found["state"] in ("completed", "partial_success", "failed"), found["state"]
        return found

    return eventually(look)


def test_a_file_is_taken_in_and_watched(owner: httpx.Client) -> None:
    made = owner.post("/uploads", files={"file": ("../../items.jsonl.gz", gzip.compress(lines(ITEMS)))})
    assert made.status_code == 202, made.text
    assert made.json()["filename"] == "items.jsonl.gz" and "path" not in made.json()
    done = at_rest(owner, made.json()["upload_id"])
    assert (done["state"], done["total_items"], done["processed_items"]) == ("completed", 50, 50)
    assert done["progress_percent"] == 100.0
    assert owner.get("/hn/items/50").json()["title"] == "Vine 50"
    assert [one["upload_id"] for one in owner.get("/uploads").json()["rows"]] == [done["upload_id"]]
    again = owner.post("/uploads", files={"file": ("same.gz", gzip.compress(lines(ITEMS), mtime=0))})
    assert again.status_code == 202


def test_what_is_wrong_with_items_is_told_and_retried(owner: httpx.Client) -> None:
    made = owner.post("/uploads", files={"file": ("mixed.jsonl", lines([*ITEMS, BAD]))}).json()
    done = at_rest(owner, made["upload_id"])
    assert (done["state"], done["failed_items"]) == ("partial_success", 1)
    (error,) = owner.get(f"/uploads/{done['upload_id']}/errors").json()["rows"]
    assert error["hnId"] == 51 and error["message"]
    assert owner.post(f"/uploads/{done['upload_id']}/start").status_code == 409
    assert owner.post(f"/uploads/{done['upload_id']}/retry").status_code == 202
    assert at_rest(owner, done["upload_id"])["failed_items"] == 1


def test_a_thread_as_algolia_has_it_is_taken_in_whole(owner: httpx.Client) -> None:
    comments = [{"id": n, "author": "ada", "type": "comment", "text": f"c{n}", "children": []} for n in (72, 73)]
    thread = {"id": 71, "author": "ada", "type": "story", "title": "t", "children": comments}
    made = owner.post("/uploads", files={"file": ("thread.json", json.dumps(thread))}).json()
    done = at_rest(owner, made["upload_id"])
    assert (done["state"], done["processed_items"], done["item_form"]) == ("completed", 3, "Algolia's trees")
    assert [item["id"] for item in owner.get("/hn/items/71/thread").json()["items"]] == [71, 72, 73]


def test_step_by_step(owner: httpx.Client) -> None:
    made = owner.post("/uploads", files={"file": ("a.json", json.dumps(ITEMS))}, data={"auto": "no"}).json()
    assert made["state"] == "uploaded"
    owner.post(f"/uploads/{made['upload_id']}/validate")
    eventually(lambda: _is(owner, made["upload_id"], "validated"))
    owner.post(f"/uploads/{made['upload_id']}/start")
    assert at_rest(owner, made["upload_id"])["state"] == "completed"


def _is(owner: httpx.Client, id: str, state: str) -> None:
    assert owner.get(f"/uploads/{id}").json()["state"] == state


def test_what_is_no_upload_leaves_nothing(served: Served, owner: httpx.Client) -> None:
    assert owner.post("/uploads", json={"file": "x"}).status_code == 400
    assert owner.post("/uploads", data={"auto": "yes"}, files={}).status_code == 400
    two = [("file", ("a", b"{}")), ("file", ("b", b"{}"))]
    assert owner.post("/uploads", files=two).status_code == 400
    assert owner.get("/uploads/000000000000").status_code == 404
    assert owner.get("/uploads/..%2f..%2fetc").status_code in (404, 422)
    assert owner.get("/uploads").json()["rows"] == []
    folder = Path(f"{served.graph.engine.where}.incoming")
    assert not folder.exists() or list(folder.iterdir()) == []


def test_a_client_of_a_served_graph_uploads(served: Served, tmp_path: Path) -> None:
    from graphvine.workers.registry import handler

    file = tmp_path / "items.json"
    file.write_text(json.dumps(ITEMS))
    told: list[dict[str, Any]] = []
    with graphvine.open(served.with_token) as graph:
        graph.store.subscribe(lambda event, facts: told.append(facts) if event == "upload" else None)
        upload = graph.upload(file)
        assert (upload.state, upload.processed_items) == ("completed", 50)
        with pytest.raises(GraphvineError, match="graphvine work upload"):
            handler(graph, "upload")
        with pytest.raises(GraphvineError, match="send it by HTTP"):
            graph.upload(io.BytesIO(b"{}"))
    assert any(facts["phase"] for facts in told)
