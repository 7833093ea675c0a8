"""kill -9 of the daemon under load: workers and readers in other processes wait and go on, and nothing is lost."""

from __future__ import annotations

import random

import pytest

import graphvine
from tests.serve.remote_workers import CHILDREN, DEPTH, TREE, look, work_remotely
from tests.support.articles import links, rows
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.processes import Child, _Returned
from tests.support.stores import Place

pytestmark = pytest.mark.long("kills the daemon again and again while workers go on")

WORKERS = 3
NONE = ("--worker", "article=0", "--worker", "hn_item=0", "--worker", "scrape_item=0")


def test_a_killed_daemon_loses_nothing(place: Place, full: bool) -> None:
    kills, draw = (50 if full else 3), random.Random(11)
    folder, stop = place.folder, place.folder / "stop"
    (folder / "graphvine.toml").write_text(QUICK_DAEMON)
    daemon = DaemonProcess(folder, *NONE)
    children: list[Child] = []
    try:
        daemon.ready()
        children = [Child(work_remotely, daemon.where, f"w{n}", str(stop)) for n in range(WORKERS)]
        children.append(Child(look, daemon.where, str(stop)))
        assert [child.hear() for child in children] == ["begun"] * len(children)
        for _ in range(kills):
            for child in children:
                assert child.says_nothing_for(draw.uniform(0.02, 0.2)), child.hear()
            daemon.kill()
            daemon = DaemonProcess(folder, *NONE)
            daemon.ready()
        stop.touch()
        ends = [child.hear() for child in children]
        assert all(isinstance(end, _Returned) for end in ends)
    finally:
        for child in children:
            child.kill()
        daemon.kill()
    *worked, looks = [end.value for end in ends]
    _check(daemon.where, worked, looks)


def _check(where: str, worked: list[dict[str, int]], looks: int) -> None:
    roots, done = sum(one["roots"] for one in worked), sum(one["done"] for one in worked)
    with graphvine.open(where) as graph:
        found = rows(graph)
        assert len(found) == roots * TREE, "every row that was put in or discovered is there, once"
        assert {row["expansion_state"] for row in found.values()} == {"processed"}
        assert len(links(graph)) == roots * sum(CHILDREN ** (level + 1) for level in range(DEPTH))
        ailments = [finding for finding in graph.doctor() if not finding.ok]
        assert ailments == []
    assert done == roots * TREE, "each was finished once, by the one who was told so"
    assert sum(one["lost"] for one in worked) == 0
    assert looks > 0 and roots >= WORKERS
