"""What was on its way when the daemon was killed, or told to end: the next one goes on with it, where it was."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphvine.workers.serve import jobs as serve_jobs
from graphvine.workers.serve.hiring import HIRED, run_hired
from tests.acceptance.cli_support import process
from tests.hn.server import HANGS, HackerNewsServer, serving
from tests.support.daemons import COMMAND, QUICK_DAEMON, DaemonProcess, environment
from tests.support.doors import Served
from tests.support.stores import Place
from tests.support.waiting import eventually
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
manager_seconds = 1
"""
PAGE = "<html><head><title>Vines</title></head><body><article>" + "<p>A vine climbs up a wall. It grips.</p>" * 20
ITEMS = 1_000


@pytest.fixture
def hn() -> Iterator[HackerNewsServer]:
    with serving() as server:
        server.items = {id: story(id) for id in range(1, 13)}
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
    return httpx.Client(base_url=service.address, headers=headers, timeout=20, verify=False, trust_env=False)


def test_a_pull_an_upload_and_a_batch_outlive_their_daemon(folder: Path, hn: HackerNewsServer) -> None:
    free = threading.Event()

    async def page(request: Request) -> None:
        if request.path == "/slow":
            await request.wait_for(free)
        await request.answer(PAGE.encode(), media_type="text/html")

    hn.fail("item/7", HANGS)
    with WebServer(page) as site:
        with DaemonProcess(folder, *NONE) as killed, owner(killed) as client:
            pull = client.post("/hn/pull", json={"first": 1, "last": 12}).json()["id"]
            urls = [f"{site.url}/slow", f"{site.url}/quick"]
            assert client.post("/scrape/batches", json={"urls": urls, "name": "two"}).status_code == 202
            eventually(lambda: _asked(hn, site, "item/7"))
            lines = "\n".join(json.dumps(story(1_000 + n)) for n in range(ITEMS))
            upload = client.post("/uploads", files={"file": ("items.jsonl", lines.encode())}).json()["upload_id"]
            eventually(lambda: _begun(client, upload))
            killed.kill()
        done = _left(folder)
        assert sorted(one["verb"] for one in done) == ["hn pull", "upload"]
        with DaemonProcess(folder, *NONE) as again, owner(again) as client:
            free.set()
            eventually(lambda: _is(client, f"/jobs/{pull}", "done"), 30)
            eventually(lambda: _is(client, f"/uploads/{upload}", "completed"), 30)
            eventually(lambda: _scraped(client), 40)
            assert client.get(f"/uploads/{upload}").json()["processed_items"] == ITEMS
            assert client.get("/hn/items/12").status_code == 200
            assert hn.asked.count("item/1") == 1, "the walk went on where it was"
            eventually(lambda: _none_left(folder))


def test_a_job_goes_on_after_an_ordered_end_too_unless_it_was_stopped(folder: Path, hn: HackerNewsServer) -> None:
    hn.fail("item/3", HANGS, HANGS)
    with DaemonProcess(folder, *NONE) as first, owner(first) as client:
        job = client.post("/hn/pull", json={"first": 1, "last": 4}).json()
        eventually(lambda: _counted(hn, "item/3", 1))
        assert first.end() < 10
    with DaemonProcess(folder, *NONE) as second, owner(second) as client:
        eventually(lambda: _counted(hn, "item/3", 2))
        found = client.get(f"/jobs/{job['id']}").json()
        assert (found["state"], found["started_at"]) == ("running", job["started_at"])
        client.delete(f"/jobs/{job['id']}")
        assert _left(folder) == []
        eventually(lambda: _is(client, f"/jobs/{job['id']}", "stopped"))
        assert hn.asked.count("item/1") == 1
        second.kill()
    with DaemonProcess(folder, *NONE) as third, owner(third) as client:
        assert client.get("/jobs").json() == []


def test_a_worker_in_the_daemon_outlives_it_and_ends_with_its_command(folder: Path, hn: HackerNewsServer) -> None:
    first = DaemonProcess(folder, *NONE)
    with first:
        first.ready()
        working = subprocess.Popen(
            [COMMAND, "work", "hn_item", "--graph", "graph.db"], cwd=folder, env=environment(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            process("seed", "hn_item", "1", "--graph", "graph.db", cwd=folder)
            with owner(first) as client:
                eventually(lambda: _is(client, "/hn/items/1", "completed"))
            first.kill()
            with DaemonProcess(folder, *NONE) as again, owner(again) as client:
                process("seed", "hn_item", "2", "--graph", "graph.db", cwd=folder)
                eventually(lambda: _is(client, "/hn/items/2", "completed"))
                working.send_signal(signal.SIGTERM)
                out, err = working.communicate(timeout=20)
                assert working.returncode == 0, err
                assert "hn_item: 2 claimed, 2 done" in out
                eventually(lambda: _all_ended(client))
        finally:
            working.kill()
            working.wait()


def test_a_worker_that_nobody_watches_any_more_ends(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_jobs, "_UNWATCHED_SECONDS", 0.1)
    asked = {"pipeline": "upload", "batch": None, "once": False, "until_empty": False}
    job = served.doorway.room.jobs.start(HIRED, asked, run_hired, keep=False, while_watched=True)
    eventually(lambda: _stopped(job))


def _stopped(job: serve_jobs.Job) -> None:
    assert job.state == "stopped"


def _left(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "graph.db.jobs").read_text())
    return found


def _none_left(folder: Path) -> None:
    assert _left(folder) == []


def _asked(hn: HackerNewsServer, site: WebServer, path: str) -> None:
    assert path in hn.asked and "/slow" in site.traffic.asked


def _counted(hn: HackerNewsServer, path: str, count: int) -> None:
    assert hn.asked.count(path) == count


def _begun(client: httpx.Client, id: str) -> None:
    assert client.get(f"/uploads/{id}").json()["processed_items"] > 0


def _is(client: httpx.Client, path: str, state: str) -> None:
    assert client.get(path).json().get("state") == state


def _scraped(client: httpx.Client) -> None:
    assert client.get("/scrape/batches/two").json()["states"] == {"completed": 2}


def _all_ended(client: httpx.Client) -> None:
    assert {job["state"] for job in client.get("/jobs").json()} == {"stopped"}
