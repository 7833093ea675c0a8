"""A worker whose row was taken back: whatever it does then changes nothing, and it is told so.

Each race is run in both orders: the worker comes after the row went to another, or after it was merely freed; and
the reaper comes after the worker has finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphvine.claims import Claims
from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.records import Claim
from tests.support.articles import linking, links, rows, take_one
from tests.support.stores import Place

Act = Callable[[Graph, Claims, Claim], None]


def _complete(graph: Graph, claims: Claims, claim: Claim) -> None:
    claims.complete(claim, linking(graph, claim, [f"result of {claim.key}"]))


def _retry(graph: Graph, claims: Claims, claim: Claim) -> None:
    claims.fail(claim, "busy", trace="trace")


def _give_up(graph: Graph, claims: Claims, claim: Claim) -> None:
    claims.fail(claim, "404", permanent=True)


def _heartbeat(graph: Graph, claims: Claims, claim: Claim) -> None:
    claims.heartbeat([claim])


def _release(graph: Graph, claims: Claims, claim: Claim) -> None:
    claims.release([claim])


ACTS = [_complete, _retry, _give_up, _heartbeat, _release]
START = ["discovered", "loaded"]


@pytest.fixture(scope="module")
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(scope="module")
def shared(template: Place, clock: ManualClock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """One graph for all these cases: each has rows of its own, and there are many."""
    folder: Path = tmp_path_factory.mktemp("lost") / "store"
    with template.copy_to(folder).open(clock) as opened:
        yield opened


@pytest.fixture
def graph(shared: Graph) -> Graph:
    shared.execute("MATCH (a:Article) SET a.expansion_state = 'excluded'")  # what earlier cases left
    return shared


@pytest.fixture(params=START)
def slow(graph: Graph, request: pytest.FixtureRequest) -> tuple[Claims, Claim]:
    """A worker with one claim, on an article that is to be loaded or to be linked."""
    title = request.node.name
    graph.seed("article", [title])
    set_word(graph, title, request.param)
    claims = graph.claims("article", "slow")
    return claims, take_one(claims)


def set_word(graph: Graph, title: str, word: str) -> None:
    graph.execute(f"MATCH (a:Article {{title: '{title}'}}) SET a.expansion_state = '{word}'")


def everything(graph: Graph) -> object:
    failures = graph.query("MATCH (f:Failure) RETURN f.id").rows
    return rows(graph), links(graph), failures


@pytest.mark.parametrize("act", ACTS)
def test_after_the_row_was_freed(graph: Graph, clock: ManualClock, slow: tuple[Claims, Claim], act: Act) -> None:
    clock.forward(301)
    assert graph.reap("article").reclaimed == 1
    before = everything(graph)
    clock.forward(1)
    with pytest.raises(ClaimLost) as raised:
        act(graph, *slow)
    assert raised.value.claims == (slow[1],)
    assert everything(graph) == before


@pytest.mark.parametrize("act", ACTS)
def test_after_the_row_went_to_another(graph: Graph, clock: ManualClock, slow: tuple[Claims, Claim], act: Act) -> None:
    clock.forward(301)
    graph.reap("article")
    quick = graph.claims("article", "quick")
    claim = take_one(quick)
    before = everything(graph)
    clock.forward(1)
    with pytest.raises(ClaimLost):
        act(graph, *slow)
    assert everything(graph) == before
    quick.complete(claim)


@pytest.mark.parametrize("act", ACTS)
def test_after_another_has_finished_the_row(
    graph: Graph, clock: ManualClock, slow: tuple[Claims, Claim], act: Act
) -> None:
    clock.forward(301)
    graph.reap("article")
    quick = graph.claims("article", "quick")
    quick.complete(take_one(quick))
    before = everything(graph)
    with pytest.raises(ClaimLost):
        act(graph, *slow)
    assert everything(graph) == before


@pytest.mark.parametrize("act", ACTS)
def test_the_worker_was_first_and_the_reaper_finds_nothing(
    graph: Graph, clock: ManualClock, slow: tuple[Claims, Claim], act: Act
) -> None:
    clock.forward(301)
    act(graph, *slow)
    before = everything(graph)
    reaped = graph.reap("article")
    assert (reaped.reclaimed, reaped.given_up, reaped.aligned) == (0, 0, 0)
    assert everything(graph) == before


@pytest.mark.parametrize(
    ("act", "word"),
    [*((act, "discovered") for act in ACTS), *((_complete, word) for word in ("failed", "excluded", "processed"))],
)
def test_after_somebody_set_the_state_by_hand(graph: Graph, slow: tuple[Claims, Claim], act: Act, word: str) -> None:
    set_word(graph, slow[1].key, word)
    before = everything(graph)
    with pytest.raises(ClaimLost):
        act(graph, *slow)
    assert everything(graph) == before


@pytest.mark.parametrize("first", [_complete, _retry, _give_up, _release])
@pytest.mark.parametrize("second", [_complete, _retry])
def test_a_claim_ends_once(graph: Graph, slow: tuple[Claims, Claim], first: Act, second: Act) -> None:
    first(graph, *slow)
    before = everything(graph)
    with pytest.raises(ClaimLost):
        second(graph, *slow)
    assert everything(graph) == before
