"""A disk that fills up: one sentence, no abort, and the work goes on by itself when there is room."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from graphvine.errors import StoreFull
from graphvine.graph import Graph
from graphvine.outcomes import Done, Outcome
from graphvine.records import Claim, Step
from graphvine.settings import Settings
from graphvine.workers.loop import Loop
from graphvine.workers.pipeline import Context
from tests.support.articles import take_one
from tests.support.small_disk import leave, small_disk
from tests.support.stores import QUICK
from tests.support.waiting import eventually


class Room:
    """How much there is, as the test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = 1 << 40
        monkeypatch.setattr("graphvine.disk_space.DiskSpace.free", lambda _: self.free)


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    return Room(monkeypatch)


@pytest.fixture
def own(tmp_path: Path, room: Room) -> Iterator[Graph]:
    with Graph(str(tmp_path / "graph.db"), Settings(**QUICK)) as graph:
        yield graph


def test_no_new_work_is_taken_and_what_was_begun_is_finished(own: Graph, room: Room) -> None:
    own.seed("article", ["a", "b"])
    claims = own.claims("article", "w")
    begun = take_one(claims)
    room.free = 300 << 20
    assert claims.claim(5) == []
    with pytest.raises(StoreFull, match="300 MB free and needs 512 MB"):
        own.seed("article", ["c"])
    with pytest.raises(StoreFull):
        own.execute("CREATE (:Article {title: 'd'})")
    status = own.status()[0]
    assert (
        status.paused
        and "nearly full" in str(status.paused_reason)
        and "goes on by itself" in str(status.paused_reason)
    )
    claims.complete(begun)
    assert own.query("MATCH (a:Article) RETURN count(*)").rows == [[2]]
    room.free = 1 << 40
    assert own.seed("article", ["c"]) == 1
    assert [claim.key for claim in claims.claim(5)] == ["b", "c"]
    assert not own.status()[0].paused


def test_a_graph_on_a_full_disk_is_opened(tmp_path: Path, room: Room) -> None:
    where = str(tmp_path / "graph.db")
    with Graph(where, Settings(**QUICK)) as graph:
        graph.seed("article", ["a"])
        graph.claims("article", "a worker that is gone").claim(1)
    room.free = 0
    with Graph(where, Settings(**QUICK)) as graph:
        assert graph.status()[0].total == 1 and "nearly full" in str(graph.status()[0].paused_reason)


def test_at_the_very_end_nothing_is_written(own: Graph, room: Room) -> None:
    own.seed("article", ["a"])
    claim = take_one(own.claims("article", "w"))
    room.free = 10 << 20
    with pytest.raises(StoreFull):
        own.claims("article", "w").complete(claim)
    with pytest.raises(StoreFull):
        own.engine.checkpoint()  # type: ignore[attr-defined]
    room.free = 1 << 40
    own.claims("article", "w").complete(claim)
    own.engine.checkpoint()  # type: ignore[attr-defined]


def test_a_unit_that_needs_more_than_there_is_costs_its_row_nothing(own: Graph, room: Room) -> None:
    """In the middle of a transaction the engine would end the process: so what it needs is asked for before."""
    own.seed("article", ["a"])

    class Writes:
        def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
            room.free = 65 << 20  # one megabyte more than what is kept in reserve
            rows = [{"title": f"{n}{'x' * 1_000}", "depth": 1} for n in range(1_000)]
            yield from (Done(claim, [Step("article.discover", {"rows": rows, "now": 0})]) for claim in claims)

        def close(self) -> None:
            """Nothing is open."""

    with pytest.raises(StoreFull, match="65 MB free and needs 67 MB"):
        Loop(own, "article", Writes()).run(once=True)
    room.free = 1 << 40
    assert own.query("MATCH (a:Article) RETURN a.title, a.expansion_state, a.retry_count, a.lease").rows == [
        ["a", "discovered", 0, 0]
    ]


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """A small file system of its own: filled in the middle of the work, emptied again, and nothing is lost."""
    settings = Settings(**{**QUICK, "min_free_mb": 16, "checkpoint_log_mb": 1})
    with small_disk(tmp_path / "disk") as disk:
        with Graph(str(disk / "graph.db"), settings) as graph:
            known: list[str] = []
            refused = ""
            for batch in range(2_000):
                keys = [f"{batch}/{n}/{'x' * 200}" for n in range(200)]
                try:
                    graph.seed("article", keys)
                except StoreFull as error:
                    refused = str(error)
                    break
                known += keys
                if batch == 2:
                    leave(disk, 17 << 20)
            assert "nearly full" in refused
            (disk / "ballast").unlink()
            graph.seed("article", keys)
            assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[len(known) + len(keys)]]
        with Graph(str(disk / "graph.db"), settings) as graph:
            assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[len(known) + len(keys)]]
            assert all(finding.ok for finding in graph.doctor())


def test_a_small_disk_is_gone_with_its_process(tmp_path: Path) -> None:
    """A test that is killed leaves no file system behind."""
    script = (
        "import os, pathlib, signal\nfrom tests.support.small_disk import small_disk\n"
        f"with small_disk(pathlib.Path({str(tmp_path / 'disk')!r})):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    if "Skipped" in ended.stderr:
        pytest.skip("capability: mounting a file system needs root")
    assert ended.returncode == -signal.SIGKILL, ended
    eventually(lambda: _assert_unmounted(tmp_path / "disk"))


def _assert_unmounted(folder: Path) -> None:
    assert folder.is_dir() and not os.path.ismount(folder)
