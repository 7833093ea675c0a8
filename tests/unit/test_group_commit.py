"""Units that wait for the writing thread share one transaction, and each is answered for itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from graphvine.engines.kuzu.session import Session
from graphvine.errors import ClaimLost, StoreReopened
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from tests.support.articles import states
from tests.support.group_commits import share_a_commit
from tests.support.stores import Place


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    counted: list[str] = []
    real = Session.commit

    def commit(session: Session) -> None:
        counted.append("commit")
        real(session)

    monkeypatch.setattr(Session, "commit", commit)
    return counted


def completing(graph: Graph, workers: int) -> list[partial[None]]:
    claims = [graph.claims("article", f"w{number}") for number in range(workers)]
    return [partial(one.complete, one.claim(1)) for one in claims]


def test_they_share_one_commit(tmp_path: Path, engine_name: str, commits: list[str]) -> None:
    with Place(engine_name, tmp_path).open() as graph:
        graph.seed("article", [f"a {number}" for number in range(8)])
        writes = completing(graph, 8)
        commits.clear()
        assert share_a_commit(graph, writes) == [None] * 8
        assert len(commits) == 1
        assert set(states(graph).values()) == {"processed"}


def test_each_guard_decides_for_itself(tmp_path: Path, engine_name: str) -> None:
    with Place(engine_name, tmp_path).open() as graph:
        graph.seed("article", ["a", "b", "c"])
        first, second, third = (graph.claims("article", f"w{number}") for number in range(3))
        held = [one.claim(1) for one in (first, second, third)]
        second.release(held[1])
        writes = [partial(one.complete, claim) for one, claim in zip((first, second, third), held, strict=True)]
        errors = share_a_commit(graph, writes)
        assert [type(error) for error in errors] == [type(None), ClaimLost, type(None)]
        assert states(graph) == {"a": "processed", "b": "discovered", "c": "processed"}


def test_one_that_fails_takes_no_other_with_it(tmp_path: Path, engine_name: str) -> None:
    with Place(engine_name, tmp_path).open() as graph:
        graph.seed("article", ["a", "b"])
        first, second = completing(graph, 2)
        broken = {"claim": 0, "title": "broken", "depth": "very deep", "seq": 0}
        failing = Unit.of([Step("article.discover", {"rows": [broken], "now": 0})])
        errors = share_a_commit(graph, [first, partial(graph.run, failing), second])
        assert [type(error) for error in errors] == [type(None), StoreReopened, type(None)]
        assert states(graph) == {"a": "processed", "b": "processed"}


def test_what_may_not_share_a_commit_keeps_its_place(tmp_path: Path, engine_name: str) -> None:
    with Place(engine_name, tmp_path).open() as graph:
        graph.seed("article", ["a", "b"])
        first, second = completing(graph, 2)
        folding = partial(graph.engine.checkpoint)  # type: ignore[attr-defined]  # embedded engines have it
        assert share_a_commit(graph, [first, folding, second]) == [None] * 3
        assert set(states(graph).values()) == {"processed"}
