"""Units that wait for the writing thread share one transaction, and each is answered for itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graphvine.engines.kuzu.session import Session
from graphvine.errors import ClaimLost, StoreReopened
from graphvine.graph import Graph
from graphvine.outcomes import Done, Outcome
from graphvine.queries.compile import Statement
from graphvine.records import Claim, Row, Step, Unit
from tests.support.articles import linking, row, states
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


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is sent for units that share a commit: blocks, in capitals where several units share one."""
    sent: list[str] = []
    real_rows, real_shared = Session.rows, Session.shared

    def rows(session: Session, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        sent.append(statement.name)
        return real_rows(session, statement, parameters)

    def shared(session: Session, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        sent.append(statement.name.upper())
        return real_shared(session, statement, parameters)

    monkeypatch.setattr(Session, "rows", rows)
    monkeypatch.setattr(Session, "shared", shared)
    return sent


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


WORKERS = [f"w{number}" for number in range(8)]


class Exchanging:
    """A worker that settles what it has and claims what comes next."""

    def __init__(self, graph: Graph, worker: str) -> None:
        self.claims = graph.claims("article", worker)
        self.held: list[Claim] = []
        self.lost: list[Claim] = []

    def claim(self) -> None:
        self.held = self.claims.claim(1)

    def exchange(self, *outcomes: Outcome) -> None:
        self.held, self.lost = self.claims.settle_and_claim(outcomes or [Done(claim) for claim in self.held], 1)


def workers_with_a_claim(graph: Graph, rows: int) -> list[Exchanging]:
    graph.seed("article", [f"a {number}" for number in range(rows)])
    workers = [Exchanging(graph, worker) for worker in WORKERS]
    assert share_a_commit(graph, [worker.claim for worker in workers]) == [None] * len(workers)
    return workers


def test_claims_of_several_workers_are_one_statement_and_each_has_its_own(
    tmp_path: Path, engine_name: str, statements: list[str]
) -> None:
    with Place(engine_name, tmp_path).open() as graph:
        workers = workers_with_a_claim(graph, 10)
        assert statements.count("ARTICLE.CLAIM") == 1 and "article.claim_one" not in statements
        assert sorted(claim.key for worker in workers for claim in worker.held) == [f"a {n}" for n in range(8)]
        for worker in workers:
            (claim,) = worker.held
            kept = row(graph, claim.key)
            assert (kept["claimed_by"], kept["lease"]) == (worker.claims.worker, claim.token)
            worker.claims.heartbeat(worker.held)


def test_what_is_done_and_what_comes_next_are_two_statements_for_all(
    tmp_path: Path, engine_name: str, statements: list[str], commits: list[str]
) -> None:
    with Place(engine_name, tmp_path).open() as graph:
        workers = workers_with_a_claim(graph, 16)
        statements.clear(), commits.clear()
        assert share_a_commit(graph, [worker.exchange for worker in workers]) == [None] * 8
        assert statements == ["ARTICLE.FINISH", "ARTICLE.CLAIM"] and len(commits) == 1
        assert sorted(claim.key for worker in workers for claim in worker.held) == sorted(
            f"a {n}" for n in range(8, 16)
        )
        assert not any(worker.lost for worker in workers)


def test_a_claim_that_was_lost_to_another_of_the_group_is_not_settled_by_its_token(
    tmp_path: Path, engine_name: str, statements: list[str]
) -> None:
    """The old holder of a row and the worker that has it now are in one group: the row is the new one's."""
    with Place(engine_name, tmp_path).open() as graph:
        workers = workers_with_a_claim(graph, 12)
        old, new = workers[0], workers[1]
        stale = old.held
        old.claims.release(stale)
        taken, beside = new.claims.claim(2)
        assert taken.key == stale[0].key and taken.token == beside.token
        statements.clear()
        writes = [partial(old.exchange, Done(stale[0])), partial(new.exchange, Done(beside))]
        assert share_a_commit(graph, [*writes, *(worker.exchange for worker in workers[2:])]) == [None] * 8
        assert "ARTICLE.FINISH" in statements
        assert old.lost == stale and not new.lost
        assert row(graph, stale[0].key)["expansion_state"] == "claimed"
        new.claims.complete(taken)


def test_results_are_written_for_those_whose_claims_held(tmp_path: Path, engine_name: str) -> None:
    with Place(engine_name, tmp_path).open() as graph:
        workers = workers_with_a_claim(graph, 8)
        for worker in workers[::2]:
            worker.claims.release(worker.held)
        writes = [
            partial(
                worker.exchange, *(Done(claim, linking(graph, claim, [f"of {claim.key}"])) for claim in worker.held)
            )
            for worker in workers
        ]
        given_back = {claim.key for worker in workers[::2] for claim in worker.held}
        done = {claim.key for worker in workers[1::2] for claim in worker.held}
        assert share_a_commit(graph, writes) == [None] * 8
        expected = dict.fromkeys(done, "processed") | {f"of {key}": "discovered" for key in done}
        assert states(graph) == expected | dict.fromkeys(given_back, "discovered")
        assert [bool(worker.lost) for worker in workers] == [True, False] * 4


def test_one_that_fails_leaves_the_shared_statements_of_the_others_to_be_run_again(
    tmp_path: Path, engine_name: str
) -> None:
    with Place(engine_name, tmp_path).open() as graph:
        workers = workers_with_a_claim(graph, 16)
        before = [worker.held[0].key for worker in workers]
        broken = {"claim": 0, "title": "broken", "depth": "very deep", "seq": 0}
        failing = Unit.of([Step("article.discover", {"rows": [broken], "now": 0})])
        writes = [worker.exchange for worker in workers[:4]]
        errors = share_a_commit(
            graph, [*writes, partial(graph.run, failing), *(worker.exchange for worker in workers[4:])]
        )
        assert [type(error) for error in errors] == [type(None)] * 4 + [StoreReopened] + [type(None)] * 4
        assert not any(worker.lost for worker in workers)
        found = states(graph)
        assert {found[key] for key in before} == {"processed"}
        assert {found[worker.held[0].key] for worker in workers} == {"claimed"}


def test_a_token_that_somebody_made_up_shares_nothing(tmp_path: Path, engine_name: str, statements: list[str]) -> None:
    """Sums of small numbers meet: only tokens that were drawn are told apart by them."""
    with Place(engine_name, tmp_path).open() as graph:
        graph.seed("article", ["a", "b"])
        graph.execute("MATCH (a:Article) SET a.expansion_state = 'claimed', a.lease = 5, a.due = 4503599627370496")
        seqs = {title: row(graph, title)["seq"] for title in ("a", "b")}
        statements.clear()
        units = []
        for title, token in (("a", 6), ("b", 5)):
            span = {"seqs": [seqs[title]], "lo": seqs[title], "hi": seqs[title], "token": token}
            units.append(Unit.of([Step("article.finish", {**span, "at": row(graph, "a")["claimed_at"]})]))
        share_a_commit(graph, [partial(graph.run, unit) for unit in units])
        assert states(graph) == {"a": "claimed", "b": "processed"}
        assert statements.count("article.finish") == 2
