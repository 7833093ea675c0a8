"""What was on its way when the daemon was killed, or told to end: the next one goes on with it, where it was."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import httpx
import pytest

from graphvine.errors import StoreClosed
from graphvine.workers.requests import WorkRequest
from graphvine.workers.serve import jobs as serve_jobs
from tests.pipelines.hn.server import HANGS, HackerNewsServer, serving
from tests.support.daemons import COMMAND, QUICK_DAEMON, DaemonProcess, environment
from tests.support.shared_graphs import Served
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually
from tests.support.web_server import Request, WebServer

# No worker takes an upload or an item up: what goes on is the job.
NONE = ("--worker", "article=0", "--worker", "hn_item=0", "--worker", "upload=0")
SETTINGS = """
[hn]
base_url = "{hn}"
pull_chunk = 2
since_last_seconds = 0
updates_seconds = 0
[upload]
items_at_once = 20
[scrape]
allowed_private_hosts = "127.0.0.1"
summarizer = "words"
manager_seconds = 5
"""
PAGE = "<html><head><title>Vines</title></head><body><article>" + "<p>A vine climbs up a wall. It grips.</p>" * 20
ITEMS = 1_200


@pytest.fixture
def hn() -> Iterator[HackerNewsServer]:
    with serving() as server:
        server.items = {id: story(id) for id in range(1, 18)}
        yield server


@pytest.fixture
def folder(place: Place, hn: HackerNewsServer) -> Path:
    (place.folder / "graphvine.toml").write_text(QUICK_DAEMON + SETTINGS.format(hn=hn.url))
    return place.folder


def story(id: int) -> dict[str, Any]:
    return {"id": id, "type": "story", "title": f"Vine {id}", "by": "ada", "time": 1_700_000_000 + id}


def owner(daemon: DaemonProcess) -> httpx.Client:
    service = daemon.ready()
    headers = {"Authorization": f"Bearer {service.token}"}
    return httpx.Client(base_url=service.address, headers=headers, timeout=WAIT_LIMIT, verify=False, trust_env=False)


@pytest.mark.long("three daemons after one another")
def test_what_is_on_its_way_outlives_its_daemon(folder: Path, hn: HackerNewsServer) -> None:
    """A pull, an upload and a batch that came by HTTP, and a worker that a command keeps: killed, ended, and gone on."""
    free = threading.Event()

    async def page(request: Request) -> None:
        if request.path == "/slow":
            await request.wait_for(free)
        await request.answer(PAGE.encode(), media_type="text/html")

    hn.fail("item/7", HANGS)
    hn.fail("item/15", HANGS, HANGS)
    with WebServer(page) as site, ExitStack() as stack:
        first = stack.enter_context(DaemonProcess(folder, *NONE))
        first.ready()
        working = stack.enter_context(Working(folder))
        with owner(first) as client:
            pull = client.post("/hn/pull", json={"first": 1, "last": 12}).json()["id"]
            urls = [f"{site.url}/slow", f"{site.url}/quick"]
            assert client.post("/scrape/batches", json={"urls": urls, "name": "two"}).status_code == 202
            eventually(lambda: _asked(hn, site, "item/7"))
            seed(client, 13)
            lines = "\n".join(json.dumps(story(1_000 + n)) for n in range(ITEMS))
            upload = client.post("/uploads", files={"file": ("items.jsonl", lines.encode())}).json()["upload_id"]
            eventually(lambda: _begun(client, upload))
        first.kill()
        assert sorted(one["verb"] for one in _left(folder)) == ["hn pull", "upload"]

        second = stack.enter_context(DaemonProcess(folder, *NONE))
        with owner(second) as client:
            free.set()
            seed(client, 14)
            for path in (f"/jobs/{pull}", f"/uploads/{upload}", "/hn/items/14"):
                eventually(lambda path=path: _is(client, path, "done", "completed"))
            eventually(lambda: _scraped(client))
            assert client.get(f"/uploads/{upload}").json()["processed_items"] == ITEMS
            assert client.get("/hn/items/12").status_code == 200
            assert hn.asked.count("item/1") == 1, "the walk went on where it was"
            eventually(lambda: _left_are(folder, []))
            last = client.post("/hn/pull", json={"first": 15, "last": 16}).json()
            eventually(lambda: _counted(hn, "item/15", 1))
        assert second.end() == 0

        third = stack.enter_context(DaemonProcess(folder, *NONE))
        with owner(third) as client:
            eventually(lambda: _counted(hn, "item/15", 2))
            found = client.get(f"/jobs/{last['id']}").json()
            assert (found["state"], found["started_at"]) == ("running", last["started_at"])
            client.delete(f"/jobs/{last['id']}")
            _left_are(folder, [])
            eventually(lambda: _is(client, f"/jobs/{last['id']}", "stopped"))
            seed(client, 17)
            eventually(lambda: _is(client, "/hn/items/17", "completed"))
            assert working.end() == "hn_item: 3 claimed, 3 done\n", "counted over all daemons"


class Working:
    """`graphvine work hn_item` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [COMMAND, "work", "hn_item", "--graph", "graph.db"], cwd=folder, env=environment(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.kill()
        self._process.communicate()

    def end(self) -> str:
        self._process.send_signal(signal.SIGTERM)
        out, err = self._process.communicate(timeout=WAIT_LIMIT)
        assert self._process.returncode == 0, err
        return out


def seed(client: httpx.Client, id: int) -> None:
    assert client.post("/pipelines/hn_item/seeds", json={"keys": [str(id)]}).json() == {"new": 1}


def test_a_worker_that_nobody_watches_any_more_ends(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_jobs, "_UNWATCHED_SECONDS", 0.1)
    job = served.http_server.app_state.jobs.start(WorkRequest(pipeline="upload"), keep=False)
    eventually(lambda: _stopped(job))
    served.http_server.app_state.jobs.tell_to_stop()
    with pytest.raises(StoreClosed):
        served.http_server.app_state.jobs.start(WorkRequest(pipeline="upload"))


def _stopped(job: serve_jobs.Job) -> None:
    assert job.state == "stopped"


def _left(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "graph.db.jobs").read_text())
    return found


def _left_are(folder: Path, jobs: list[Any]) -> None:
    assert _left(folder) == jobs


def _asked(hn: HackerNewsServer, site: WebServer, path: str) -> None:
    assert path in hn.asked and "/slow" in site.traffic.asked


def _counted(hn: HackerNewsServer, path: str, count: int) -> None:
    assert hn.asked.count(path) == count


def _begun(client: httpx.Client, id: str) -> None:
    assert client.get(f"/uploads/{id}").json()["processed_items"] > 0


def _is(client: httpx.Client, path: str, *states: str) -> None:
    assert client.get(path).json().get("state") in states


def _scraped(client: httpx.Client) -> None:
    assert client.get("/scrape/batches/two").json()["states"] == {"completed": 2}
