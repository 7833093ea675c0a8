"""The daemon as a process: it starts quickly, is found, shares its graph, ends in time, and leaves no secret behind."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import graphvine
from graphvine.service_file import file_of, find
from tests.acceptance.cli_support import process
from tests.support.articles import states
from tests.support.daemons import COMMAND, QUICK_DAEMON, DaemonProcess, environment
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually


@pytest.fixture
def folder(place: Place) -> Path:
    """A folder with an empty graph and settings for it."""
    (place.folder / "graphvine.toml").write_text(QUICK_DAEMON)
    return place.folder


@pytest.fixture
def daemon(folder: Path) -> Iterator[DaemonProcess]:
    with DaemonProcess(folder) as running:
        running.ready()
        yield running


def get(address: str, path: str) -> tuple[int, str]:
    answer = httpx.get(address + path, verify=False, trust_env=False, timeout=WAIT_LIMIT)
    return answer.status_code, answer.text


def test_its_file_is_its_owner_s_alone_and_its_log_knows_no_secret(folder: Path, daemon: DaemonProcess) -> None:
    file, service = file_of(daemon.where), daemon.ready()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(service.token) >= 32
    get(service.address, f"/status?token={service.token}")
    get(service.address, "/no/such/place")
    second = process("serve", "--graph", "graph.db", cwd=folder, status=1)
    assert f"process {daemon.process.pid}" in second.err and "served already" in second.err
    assert daemon.end() == 0
    assert json.loads(file.read_text()) == {"token": service.token}, "nobody serves it, and the token stays"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    lines = daemon.lines()
    assert {"listening", "ready", "ended"} <= {line["message"] for line in lines}
    assert all({"at", "level", "logger", "message"} <= line.keys() for line in lines)
    assert service.token not in daemon.log()


def test_it_says_that_it_lives_and_that_it_is_ready_and_has_loaded_no_model(daemon: DaemonProcess) -> None:
    address = daemon.ready().address
    assert get(address, "/healthz")[0] == 200
    eventually(lambda: _is_ready(address))
    loaded = Path(f"/proc/{daemon.process.pid}/maps").read_text()
    assert "onnxruntime" not in loaded, "models are loaded when there is something to embed"


def _is_ready(address: str) -> None:
    assert get(address, "/readyz")[0] == 200


def test_commands_find_it_and_go_through_it(folder: Path, daemon: DaemonProcess) -> None:
    grown = process("grow", "Vine", "--depth", "3", "--json", "--graph", "graph.db", cwd=folder).json
    assert grown["states"]["processed"] > 60 and grown["stopped"] is False
    said = process("status", "--json", "--graph", "graph.db", cwd=folder).json
    article = next(one for one in said["pipelines"] if one["pipeline"] == "article")
    assert article["states"]["processed"] > 60 and article["ready"] == article["claimed"] == 0
    said = process(
        "console", "--graph", "graph.db", "--csv", "-c", "MATCH (a:Article) RETURN count(*) AS n", cwd=folder
    )
    assert said.out.split()[0] == "n" and int(said.out.split()[1]) > 60
    refused = process("console", "--graph", "graph.db", "-c", "CREATE (:Article {title: 'x'})", cwd=folder, status=1)
    assert "--write" in refused.err
    written = "MATCH (a:Article {title: 'Vine'}) SET a.expansion_state = 'excluded' RETURN a.title"
    process("console", "--graph", "graph.db", "--write", "-c", written, cwd=folder)
    found = process("search", "vine", "--mode", "text", "--graph", "graph.db", cwd=folder)
    assert "Vine" in found.out
    process("backup", "kept", "--graph", "graph.db", cwd=folder)
    assert (folder / "kept" / "backup.json").exists()
    with graphvine.open(daemon.where) as graph:
        assert graph.engine.name == "http" and states(graph)["Vine"] == "excluded"
    assert daemon.end() == 0
    with graphvine.open(daemon.where) as graph:
        assert graph.engine.name == "kuzu" and states(graph)["Vine"] == "excluded"


def test_a_file_that_a_kill_left_behind_is_recognised(folder: Path, daemon: DaemonProcess) -> None:
    daemon.kill()
    left = json.loads(file_of(daemon.where).read_text())
    assert left["address"] and find(daemon.where) is None
    said = process("status", "--json", "--graph", "graph.db", cwd=folder).json
    assert said["pipelines"]
    # Another process that has the number of the dead one by now is not taken for it.
    left["pid"] = os.getpid()
    file_of(daemon.where).write_text(json.dumps(left))
    assert find(daemon.where) is None
    with DaemonProcess(folder) as again:
        assert again.ready().token == left["token"]


def test_what_is_not_its_file_is_not_believed(folder: Path) -> None:
    for content in ("", "no json", "[]", '{"token": 5}', '{"address": "http://127.0.0.1:1"}'):
        file_of(str(folder / "graph.db")).write_text(content)
        assert find(str(folder / "graph.db")) is None
    with graphvine.open(folder / "graph.db") as graph:
        assert graph.engine.name == "kuzu"


def test_it_ends_and_gives_back_what_it_holds(folder: Path) -> None:
    with DaemonProcess(folder) as running:
        running.ready()
        process("seed", "article", "Vine", "--graph", "graph.db", cwd=folder)
        eventually(lambda: _working(running))
        assert running.end() == 0
    with graphvine.open(running.where) as graph:
        held = graph.query("MATCH (a:Article) WHERE a.lease > 0 RETURN count(*)").rows
        assert held == [[0]]


def _working(running: DaemonProcess) -> None:
    assert any(line["message"] == "batch" for line in running.lines())


def test_a_long_command_shares_its_store(folder: Path) -> None:
    """Beside `work`, which holds the file, others look, ask and write; then the file is free again."""
    working = subprocess.Popen(
        [COMMAND, "work", "article", "--graph", "graph.db"], cwd=folder, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        where = str(folder / "graph.db")

        def served() -> None:
            service = find(where)
            assert service is not None and service.pid == working.pid
            assert service.what == "graphvine work"

        eventually(served)
        process("seed", "article", "Vine", "--graph", "graph.db", cwd=folder)
        with graphvine.open(where) as graph:
            assert graph.engine.name == "http"
            eventually(lambda: _processed(graph))
        said = process(
            "status", "--watch", "--samples", "2", "--every", "0.1", "--json", "--graph", "graph.db", cwd=folder
        )
        assert len(said.out.splitlines()) == 2
        written = "MATCH (a:Article {title: 'Vine'}) SET a.expansion_state = 'excluded'"
        process("console", "--graph", "graph.db", "--write", "-c", written, cwd=folder)
        working.terminate()
        _, err = working.communicate(timeout=WAIT_LIMIT)
        assert working.returncode == 0, err
        assert find(where) is None
        with graphvine.open(where) as graph:
            assert graph.engine.name == "kuzu" and states(graph)["Vine"] == "excluded"
    finally:
        working.kill()
        working.wait()


def _processed(graph: graphvine.graph.Graph) -> None:
    found = list(states(graph).values())
    assert found.count("processed") > 60 and "claimed" not in found


def test_a_port_that_is_taken_is_told(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = process("serve", "--graph", "graph.db", "--port", str(taken.getsockname()[1]), cwd=folder, status=1)
    assert "choose another with --port" in said.err
    wrong = process("serve", "--graph", "graph.db", "--worker", "articles=1", cwd=folder, status=2)
    assert "did you mean 'article'" in wrong.err
