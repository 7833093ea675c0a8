"""Typed queries in a process of their own: whatever a query does to it, the graph goes on, and answers are right."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from graphvine.engines.kuzu.engine import EmbeddedEngine
from graphvine.engines.kuzu.query_process import QueryProcesses
from graphvine.errors import QueryError, QueryTimeout, WriteRefused
from graphvine.graph import Graph
from graphvine.settings import Settings
from tests.support.stores import QUICK
from tests.support.waiting import WAIT_LIMIT

ENDLESS = "UNWIND range(1, 9000) AS x UNWIND range(1, 9000) AS y UNWIND range(1, 9000) AS z RETURN count(x + y + z)"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Graph]:
    with Graph(str(tmp_path / "graph.db"), Settings(**{**QUICK, "query_memory_mb": 128})) as graph:
        yield graph


def count(graph: Graph) -> int:
    return int(graph.query("MATCH (a:Article) RETURN count(*)", isolated=True).rows[0][0])


def test_what_is_acknowledged_is_seen_at_once(own: Graph) -> None:
    for n in range(1, 5):
        own.seed("article", [f"title {n}"])
        assert count(own) == n
        if n % 2:
            own.engine.checkpoint()  # type: ignore[attr-defined]


def test_queries_that_waited_while_others_wrote_share_an_opening(own: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening replays the log: a query asked before the files were last opened need not open them again."""
    opened: list[int] = []
    came = threading.Semaphore(0)
    opening, slot = QueryProcesses._open, QueryProcesses.slot

    def counted(self: QueryProcesses, child: Any, version: Any) -> None:
        opened.append(child.process.pid)
        opening(self, child, version)

    def noticed(self: QueryProcesses, seconds: float) -> AbstractContextManager[None]:
        came.release()
        return slot(self, seconds)

    monkeypatch.setattr(QueryProcesses, "_open", counted)
    own.seed("article", ["a"])
    engine = own.engine
    assert isinstance(engine, EmbeddedEngine)
    with ExitStack() as all_slots, ThreadPoolExecutor(6) as asking:
        for _ in range(own.settings.query_processes):
            all_slots.enter_context(engine._processes.slot(1))
        monkeypatch.setattr(QueryProcesses, "slot", noticed)
        waiting = [asking.submit(count, own) for _ in range(6)]
        for _ in waiting:
            assert came.acquire(timeout=WAIT_LIMIT)
        own.seed("article", ["b"])
        all_slots.close()
        assert [one.result() for one in waiting] == [2] * 6
    assert len(opened) == len(set(opened)) <= own.settings.query_processes
    assert count(own) == 2
    own.seed("article", ["c"])
    assert count(own) == 3


def test_answers_are_those_of_this_process(own: Graph) -> None:
    own.seed("article", ["a", "it's", "ü"])
    for text in ("MATCH (a:Article) RETURN a ORDER BY a.title", "RETURN date('2020-01-02'), [1, null], {a: 1.5}"):
        assert own.query(text, isolated=True) == own.query(text)
    given = own.query("MATCH (a:Article) WHERE a.title IN $titles RETURN a.title", {"titles": ["ü"]}, isolated=True)
    assert given.rows == [["ü"]]


@pytest.mark.parametrize(
    "text",
    ["RETURN range(1, 60000000)", "UNWIND range(1, 100000000) AS x RETURN collect(x)",
     "RETURN range(1, 10000 * 10000)", "RETURN repeat('abcdefgh', 100000000)"],
)  # fmt: skip
def test_a_query_that_fills_the_memory_ends_alone(own: Graph, text: str) -> None:
    own.seed("article", ["a"])
    with pytest.raises(QueryError, match="memory|larger|more than|MB"):
        own.query(text, isolated=True)
    assert count(own) == 1


def test_a_query_that_does_not_end_is_ended(own: Graph) -> None:
    with pytest.raises(QueryTimeout, match=r"longer than 0\.2 s"):
        own.query(ENDLESS, timeout_seconds=0.2, isolated=True)
    assert count(own) == 0


def test_planning_counts_too(own: Graph) -> None:
    """The engine's own limit of time begins when it has made a plan: this one takes it half a minute."""
    engine = own.engine
    assert isinstance(engine, EmbeddedEngine)
    nested = "RETURN " + "CASE WHEN true THEN " * 24 + "1" + " END" * 24
    with pytest.raises(QueryError):
        engine.query_isolated(nested, {}, max_rows=1, timeout_seconds=0.2)
    assert count(own) == 0


def test_a_process_that_crashes_takes_nothing_with_it(own: Graph) -> None:
    engine = own.engine
    assert isinstance(engine, EmbeddedEngine)
    with pytest.raises(QueryError):
        engine.query_isolated("RETURN [1]" + "[1]" * 60_000, {}, max_rows=1, timeout_seconds=20)
    own.seed("article", ["a"])
    assert count(own) == 1


def test_it_can_not_write(own: Graph) -> None:
    with pytest.raises(WriteRefused):
        own.query("CREATE (:Article {title: 'x'})", isolated=True)
    with pytest.raises(QueryError):
        own.engine.query_isolated(  # type: ignore[attr-defined]
            "CREATE (:Article {title: 'x'})", {}, max_rows=1, timeout_seconds=5
        )
    assert count(own) == 0


def test_a_long_answer_is_cut_at_its_bytes(tmp_path: Path) -> None:
    with Graph(str(tmp_path / "graph.db"), Settings(**{**QUICK, "query_answer_mb": 1})) as graph:
        for isolated in (True, False):
            found = graph.query("UNWIND range(1, 5000) AS x RETURN repeat('x', 1000)", isolated=isolated)
            assert found.truncated and 900 < len(found.rows) < 1100
            with pytest.raises(QueryError, match="single row"):
                graph.query("RETURN repeat('x', 3000000)", isolated=isolated)


def test_other_processes_still_can_not_open_the_file(own: Graph) -> None:
    import subprocess
    import sys

    assert count(own) == 0
    code = "import kuzu, sys; kuzu.Database(sys.argv[1], read_only=len(sys.argv) > 2, max_db_size=1 << 30)"
    for mode in ([], ["read"]):
        ran = subprocess.run(
            [sys.executable, "-c", code, own.where, *mode], capture_output=True, text=True, check=False
        )
        assert ran.returncode and "lock" in ran.stderr


def test_a_failed_write_does_not_wait_for_a_query(own: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails reopens the files, and needs all readers out: a query without end must not hold it up."""
    monkeypatch.setattr("graphvine.engines.kuzu.engine._INTERRUPT_SECONDS", 0.1)
    own.seed("article", ["a"])
    errors: list[Exception] = []
    begun = threading.Event()

    def ask(isolated: bool) -> None:
        begun.set()
        try:
            own.query(ENDLESS, timeout_seconds=300, isolated=isolated)
        except Exception as error:
            errors.append(error)

    for isolated in (True, False):
        begun.clear()
        thread = threading.Thread(target=ask, args=(isolated,))
        thread.start()
        begun.wait()
        while not own.engine._gate._reading:  # type: ignore[attr-defined]
            os.sched_yield()
        with pytest.raises(Exception, match="reopened"):
            own.execute("CREATE (:Article {title: 'b'}); CREATE (:Article {title: 'a'})")
        thread.join()
    assert [type(error) for error in errors] == [QueryTimeout, QueryTimeout]
    assert count(own) == 1


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    with Graph(str(tmp_path / "graph.db"), Settings(**QUICK)) as graph:
        assert count(graph) == 0
        children = [one for one in psutil.Process().children() if "query_child" in " ".join(one.cmdline())]
        assert children
    for child in children:
        assert not child.is_running()
