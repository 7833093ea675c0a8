"""Several processes on one server, killed at random, the server stopped in the middle: nothing lost, nothing twice."""

from __future__ import annotations

import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import graphvine
from graphvine.graph import Graph
from tests.acceptance.cli_support import COMMAND, environment
from tests.lanes.neo4j import worker_processes
from tests.support import servers
from tests.support.articles import links, states
from tests.support.neo4j_server import Neo4jServer
from tests.support.processes import Child, prepare
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually

PROCESSES = 4


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    prepare("neo4j", "apscheduler.schedulers.background", "tests.lanes.neo4j.worker_processes")


@pytest.fixture
def watching(place: Place) -> Iterator[Graph]:
    """The graph as somebody sees it who does not work on it."""
    with graphvine.open(place.where, settings=worker_processes.SETTINGS) as graph:
        yield graph


def start(where: str) -> Child:
    child = Child(worker_processes.work, where)
    assert child.hear() == "at work"
    return child


def done(graph: Graph) -> int:
    return Counter(states(graph).values())["processed"]


def wait_until_done(graph: Graph, wanted: dict[str, int]) -> None:
    """Wait as long as there is progress: how fast it is says more of the machine than of us."""
    while (before := done(graph)) < len(wanted):
        eventually(lambda before=before: _at_least(graph, before + 1))  # type: ignore[misc]


def check(graph: Graph, expected: dict[str, int]) -> None:
    """The tree is whole, each article was worked on once, and the numbers say what the words say."""
    depths = dict(graph.query("MATCH (a:Article) RETURN a.title, a.expansion_depth", max_rows=100_000).rows)
    assert depths == expected
    assert set(states(graph).values()) == {"processed"}
    made = Counter(row[0] for row in graph.query("MATCH (s:Section) RETURN s.article", max_rows=100_000).rows)
    assert made == Counter(expected.keys()), "an article has the results of two claims, or of none"
    wanted = [(title.rpartition(".")[0], title) for title, depth in expected.items() if depth]
    assert links(graph) == sorted(wanted)
    assert not [finding for finding in graph.doctor() if not finding.ok]


def test_workers_killed_at_random_lose_nothing_and_do_nothing_twice(
    place: Place, watching: Graph, full: bool, request: pytest.FixtureRequest
) -> None:
    place.open().close()
    kills = request.config.getoption("--kills") or (100 if full else 8)
    draw = random.Random(4)
    watching.seed("article", worker_processes.roots())
    children = [start(place.where) for _ in range(PROCESSES)]
    try:
        for _ in range(kills):
            victim = children.pop(draw.randrange(PROCESSES))
            assert victim.says_nothing_for(draw.uniform(0.05, 0.6)), "a worker ended by itself"
            victim.kill()
            children.append(start(place.where))
        wait_until_done(watching, worker_processes.expected())
        assert all(child.says_nothing_for(0) for child in children)
    finally:
        for child in children:
            child.kill()
    check(watching, worker_processes.expected())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Neo4jServer]:
    """A server that a test may stop: this run's, or one of its own where the run uses somebody else's."""
    ours = servers.started()
    server = ours or Neo4jServer(tmp_path / "server").start()
    yield server
    if server.process is None:
        server.start()
    if ours is None:
        server.remove()


def test_a_server_that_goes_away_is_waited_for(place: Place, server: Neo4jServer) -> None:
    if servers.started() is not None:
        place.open().close()  # empties it
    with graphvine.open(server.where, settings=worker_processes.SETTINGS) as watching:
        watching.seed("article", worker_processes.roots(2))
        children = [start(server.where) for _ in range(2)]
        try:
            for end in (server.stop, server.kill):
                before = done(watching)
                eventually(lambda before=before: _at_least(watching, before + 20))  # type: ignore[misc]
                end()
                server.start()
            wait_until_done(watching, worker_processes.expected(2))
            assert all(child.says_nothing_for(0) for child in children), "a worker did not wait"
        finally:
            for child in children:
                child.kill()
        check(watching, worker_processes.expected(2))


def _at_least(graph: Graph, count: int) -> None:
    assert done(graph) >= count


def test_the_command_grows_the_same_graph_in_many_processes_as_in_one(place: Place, tmp_path: Path) -> None:
    place.open().close()
    variables = {
        "GRAPHVINE_WIKIPEDIA_SOURCE": "sample", "GRAPHVINE_WIKIPEDIA_EMBEDDER": "none", "GRAPHVINE_BATCH_SIZE": "5",
        "GRAPHVINE_TIMEOUT_SECONDS": "4", "GRAPHVINE_HEARTBEAT_SECONDS": "1", "GRAPHVINE_RECLAIM_SECONDS": "1",
        "GRAPHVINE_MAX_LOST_CLAIMS": "100",
    }  # fmt: skip

    def working(where: str, *more: str) -> subprocess.Popen[bytes]:
        command = (COMMAND, "--graph", where, "work", "article", *more)
        return subprocess.Popen(command, cwd=tmp_path, env=environment(**variables), stdout=subprocess.DEVNULL)

    alone = tmp_path / "alone.kuzu"
    with graphvine.open(alone) as graph:
        graph.seed("article", ["Vine"])
    assert working(str(alone), "--until-empty").wait(WAIT_LIMIT) == 0
    with graphvine.open(alone) as graph:
        wanted = _content(graph)

    with graphvine.open(place.where) as graph:
        graph.seed("article", ["Vine"])
        workers = [working(place.where) for _ in range(3)]
        try:
            eventually(lambda: _at_least(graph, 10))
            workers[0].kill()
            workers.append(working(place.where))
            eventually(lambda: _rests(graph))
            assert [worker.poll() for worker in workers[1:]] == [None] * 3, "a worker ended by itself"
            for worker in workers[1:]:
                worker.terminate()
            ends = [worker.wait(WAIT_LIMIT) for worker in workers[1:]]
            assert ends[:2] == [0, 0], "SIGTERM ends a worker in good order"
            assert ends[2] in (0, -signal.SIGTERM), "the last may not have come to where it listens"
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()
        for what, rows in _content(graph).items():
            assert [row for row in rows if row not in wanted[what]] == [], what
            assert [row for row in wanted[what] if row not in rows] == [], what


def _rests(graph: Graph) -> None:
    found = Counter(states(graph).values())
    assert set(found) <= {"processed", "skipped"}, found


def _content(graph: Graph) -> dict[str, list[Any]]:
    """What was learned: titles with their states and depths, sections, links, categories."""
    return {
        "articles": sorted(graph.query("MATCH (a:Article) RETURN a.title, a.expansion_state, a.words").rows, key=repr),
        "sections": sorted(graph.query("MATCH (s:Section) RETURN s.id, s.text", max_rows=100_000).rows),
        "links": links(graph),
        "categories": sorted(graph.query("MATCH (a:Article)-[:IN_CATEGORY]->(c:Category) RETURN a.title, c.name").rows),
    }
