"""Those who listen to a job: counted with all other listeners, and none of them takes a thread."""

from __future__ import annotations

import threading

import httpx
import pytest

from tests.pipelines.hn.server import serving
from tests.serve.conftest import AUTHORISED, Serve, asking
from tests.support.waiting import eventually

LISTENERS = 40  # more than the threads that a process keeps for such work


def test_many_listen_to_a_job_and_others_are_served(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    with serving() as hacker_news:
        hacker_news.items = {1: {"id": 1, "type": "story", "title": "A story", "time": 1}}
        hacker_news.hold(1, go_on)
        monkeypatch.setenv("GRAPHVINE_HN_BASE_URL", hacker_news.url)
        served = serve(listeners=LISTENERS)
        with asking(served, AUTHORISED) as owner:
            job = owner.post("/hn/pull", json={"ids": [1]}).json()["id"]
            lines = [_listen(served.address, job) for _ in range(LISTENERS)]
            try:
                for path in (f"/jobs/{job}/events", "/events"):
                    refused = owner.get(path)
                    assert refused.status_code == 429 and "listen already" in refused.text
                item = {"id": 2, "type": "story", "title": "Another", "time": 2}
                assert owner.post("/hn/items", json=item).status_code == 200
                go_on.set()
                for line in lines:
                    told = line.read().decode()
                    assert '"state": "done"' in told.splitlines()[-2], "each hears of the end"
            finally:
                go_on.set()
                for line in lines:
                    line.close()
            eventually(lambda: _again(owner, job))


def _listen(address: str, job: str) -> httpx.Response:
    client = httpx.Client(base_url=address, timeout=None, trust_env=False)
    answer = client.send(client.build_request("GET", f"/jobs/{job}/events"), stream=True)
    assert answer.status_code == 200
    return answer


def _again(owner: httpx.Client, job: str) -> None:
    assert owner.get(f"/jobs/{job}/events").status_code == 200
