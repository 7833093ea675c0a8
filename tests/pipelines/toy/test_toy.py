"""A pipeline that is no part of the package does all that the package's own do, on every engine."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.pipelines.toy.conftest import COMMAND, Toy
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually

pytestmark = pytest.mark.long("writes a pipeline, installs it, and runs suites and processes on it")
ROWS = 60
KILLS = 6


def test_it_has_a_handler_of_thirty_lines_and_a_file_of_moves(toy: Toy) -> None:
    handler = (toy.project / "toy" / "handler.py").read_text("utf-8")
    assert len([line for line in handler.splitlines() if line.strip()]) <= 30
    blocks = (toy.project / "toy" / "queries" / "toy.cypher").read_text("utf-8").split("// name: ")[1:]
    assert len([block for block in blocks if "// move:" in block]) >= len(blocks) - 2


def test_its_own_tests_pass(toy: Toy) -> None:
    """In its own folder, and not installed."""
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = subprocess.run(command, cwd=toy.project, capture_output=True, text=True, timeout=WAIT_LIMIT)
    assert "3 passed" in done.stdout, done.stdout + done.stderr


def test_the_machine_is_played_through(toy: Toy, engine_name: str) -> None:
    assert " passed" in toy.pytest("--full", "tests/machines/test_generated.py", "-k", "toy", engine=engine_name)


def test_it_conforms(toy: Toy, engine_name: str) -> None:
    assert " passed" in toy.pytest("tests/conformance/test_any_pipeline.py", "-k", "toy", engine=engine_name)


def test_commands_know_it_wherever_they_are_run(toy: Toy, place: Place, tmp_path: Path) -> None:
    where = ("--graph", seeded(toy, place))
    assert "toy: 61 claimed, 60 done, 1 failed" in toy.graphvine("work", "toy", "--until-empty", *where, cwd=tmp_path)
    pipelines = json.loads(toy.graphvine("status", "--json", *where, cwd=tmp_path))["pipelines"]
    status = next(one for one in pipelines if one["pipeline"] == "toy")
    assert status["states"]["done"] == ROWS and status["progress_percent"] == pytest.approx(100 * ROWS / (ROWS + 1))
    assert "'...' has no letters" in toy.graphvine("failed", "toy", *where, cwd=tmp_path)
    assert "waiting" in toy.graphvine("machine", "toy", cwd=tmp_path)
    assert "toy" in toy.graphvine("pipelines", cwd=tmp_path)


def test_nothing_is_lost_and_nothing_done_by_halves_when_workers_are_killed(
    toy: Toy, place: Place, tmp_path: Path
) -> None:
    where = seeded(toy, place)
    # A server can't tell that a worker is dead but by its silence.
    (tmp_path / "graphvine.toml").write_text(
        "timeout_seconds = 2\nheartbeat_seconds = 0.5\nreclaim_seconds = 0.5\nmax_lost_claims = 100\n"
    )
    chance = random.Random(7)
    for _ in range(KILLS):
        worker = subprocess.Popen(
            [COMMAND, "-v", "work", "toy", "--batch", "1", "--graph", where], cwd=tmp_path, env=toy.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert worker.stderr is not None
        for _ in range(chance.randint(1, 8)):  # a line when a claim is written, and when its result is
            while "write blocks=['toy." not in (line := worker.stderr.readline()):
                assert line, "it ended by itself"
        worker.send_signal(signal.SIGKILL)
        worker.communicate(timeout=WAIT_LIMIT)
        # The result and the state are one transaction.
        assert rows(toy, where, tmp_path, "(t.state = 'done') <> (t.result IS NOT NULL)") == []
    eventually(lambda: finished(toy, where, tmp_path))
    assert len(rows(toy, where, tmp_path, "t.result IS NOT NULL")) == ROWS


def test_the_daemon_works_on_it_and_answers_for_it(toy: Toy, place: Place, tmp_path: Path) -> None:
    where = seeded(toy, place)
    (tmp_path / "graphvine.toml").write_text('[serve]\nport = 0\n[wikipedia]\nsource = "sample"\nembedder = "none"\n')
    log = tmp_path / "daemon.log"
    with log.open("wb") as out:
        daemon = subprocess.Popen(
            [COMMAND, "serve", "--graph", where], cwd=tmp_path, env=toy.environment, stdout=out, stderr=out
        )
    try:
        with httpx.Client(base_url=eventually(lambda: address(log)), timeout=WAIT_LIMIT, verify=False) as client:

            def worked() -> None:
                card = next(one for one in client.get("/status").json()["pipelines"] if one["pipeline"] == "toy")
                assert card["states"]["done"] == ROWS and card["total"] == ROWS + 1

            eventually(worked)
            assert client.get("/toy/row 1").json() == {
                "id": "row 1", "state": "done", "result": "3 letters", "error": None
            }  # fmt: skip
            assert client.get("/toy/nobody").status_code == 404
            assert "/toy/{key}" in client.get("/openapi.json").json()["paths"]
            assert client.get("/pipelines/toy/failed").json()["rows"][0]["key"] == "..."
            assert 'pipeline="toy"' in client.get("/metrics").text
            assert [one["pipeline"] for one in client.get("/workers").json()["workers"]].count("toy") == 1
    finally:
        daemon.terminate()
        daemon.wait(WAIT_LIMIT)


def seeded(toy: Toy, place: Place) -> str:
    """A graph of this test's own with rows that can be worked on, and one that can't."""
    with place.open():
        """On a server: taken, and emptied."""
    keys = [f"row {number}" for number in range(ROWS)]
    toy.graphvine("seed", "toy", *keys, "...", "--graph", place.where, cwd=place.folder)
    return place.where


def rows(toy: Toy, where: str, cwd: Path, condition: str) -> list[object]:
    text = f"MATCH (t:Toy) WHERE {condition} RETURN t.id"
    found = toy.graphvine("console", "--graph", where, "--json", "-c", text, cwd=cwd)
    return list(json.loads(found))


def finished(toy: Toy, where: str, cwd: Path) -> None:
    toy.graphvine("work", "toy", "--until-empty", "--graph", where, cwd=cwd)
    assert rows(toy, where, cwd, "t.state IN ['waiting', 'running']") == []


def address(log: Path) -> str:
    said = [json.loads(line) for line in log.read_text("utf-8").splitlines() if line.startswith("{")]
    ready = [line for line in said if line.get("address")]
    assert ready and any("ready" in line.values() for line in said), log.read_text("utf-8")
    return str(ready[0]["address"])
