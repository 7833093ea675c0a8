"""Passwords and keys in every output: settings, errors, jobs and their events, the log, the lists of processes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.serve.conftest import AUTHORISED, Serve, asking
from tests.support.daemons import COMMAND, QUICK_DAEMON, DaemonProcess, environment
from tests.support.waiting import WAIT_LIMIT, eventually

# Parts of one password, which holds what ends a host, a path and a query.
PARTS = ("s3cr", "etw0rd", "k3yk3y")
FEED = "https://reader:s3cr/et@etw0rd@127.0.0.1:9/rss?api_key=k3yk3y"
ODD = "odd+scheme://reader:s3cr/etw0rd@host/db?token=k3yk3y"


def shows_none(*texts: str) -> None:
    for text in texts:
        assert not [part for part in PARTS if part in text], text


def test_what_a_service_shows(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHVINE_NEWS_FEEDS", FEED)
    monkeypatch.setenv("GRAPHVINE_SERVE_WEBHOOKS", FEED)
    served = serve()
    with asking(served, AUTHORISED) as client:
        asked = {"/news/update": {"feeds": [FEED]}, "/scrape/batches": {"urls": [ODD]}, "/grow": {"source": ODD}}
        said = [client.post(path, json=body).text for path, body in asked.items()]
        said += [client.get(f"/pipelines/{FEED.replace('/', '%2F')}").text, client.get("/settings").text]
        said += [client.post("/cypher", json={"statement": f"RETURN {FEED}"}).text]
        eventually(lambda: _ended(client))
        jobs = client.get("/jobs").json()["rows"]
        assert {job["verb"] for job in jobs} >= {"news update", "grow"}
        said += [json.dumps(jobs), *(client.get(f"/jobs/{job['id']}/events").text for job in jobs)]
        shows_none(*said)


def _ended(client: httpx.Client) -> None:
    assert all(job["state"] != "running" for job in client.get("/jobs").json()["rows"])


def test_what_commands_and_the_daemon_s_log_show(tmp_path: Path) -> None:
    (tmp_path / "graphvine.toml").write_text(QUICK_DAEMON)

    def run(*words: str, **variables: str) -> str:
        ended = subprocess.run(
            [COMMAND, *words], cwd=tmp_path, env=environment(**variables), capture_output=True, text=True, check=False,
            timeout=WAIT_LIMIT,
        )  # fmt: skip
        return ended.stdout + ended.stderr

    shows_none(
        run("config", GRAPHVINE_NEWS_FEEDS=FEED), run("config", "--json", GRAPHVINE_NEWS_FEEDS=FEED),
        run("--graph", ODD, "status"), run("--graph", "neo4j://u:s3cr/etw0rd@127.0.0.1:9/a/b", "status"),
        run("config", GRAPHVINE_GRAPH=ODD),
        run("-v", "--graph", ODD, "doctor"),
    )  # fmt: skip
    with DaemonProcess(tmp_path) as daemon:
        service = daemon.ready()
        headers = {"Authorization": f"Bearer {service.token}"}
        with httpx.Client(base_url=service.address, headers=headers, timeout=WAIT_LIMIT, trust_env=False) as client:
            client.post("/news/update", json={"feeds": [FEED]})
            client.get(f"/status?token={service.token}&api_key=k3yk3y")
            eventually(lambda: _ended(client))
        assert daemon.end() == 0
        shows_none(daemon.log())
        assert service.token not in daemon.log()
        kept = [path for path in tmp_path.iterdir() if path.suffix in (".history", ".lock", ".log")]
        shows_none(*(path.read_bytes().decode("latin-1") for path in kept))
