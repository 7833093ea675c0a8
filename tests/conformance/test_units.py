"""A unit happens as a whole or not at all, for the claims that hold; after a failing one the store goes on."""

from __future__ import annotations

import pytest

from graphvine.clock import ManualClock, moment
from graphvine.errors import GraphvineError, ParameterError, QueryError, StoreClosed, UnitFailed, UnknownBlock
from graphvine.graph import Graph
from graphvine.outcomes import Done
from graphvine.records import Step, Unit
from graphvine.table import Table
from tests.support.articles import keys, linking, links, row, rows, states, take_one
from tests.support.stores import Place


def seeding(graph: Graph, *titles: str) -> Step:
    rows = [{"title": title, "seq": 0} for title in titles]
    return Step("article.seed", {"rows": rows, "now": graph.clock.now_ms()})


def failing(graph: Graph) -> Step:
    """Passes every check before the transaction begins, and fails inside it."""
    # A depth that is no number; where anything may be one, a key that is none.
    typed = graph.engine.capabilities.typed
    broken = {"claim": 0, "title": "broken" if typed else None, "depth": "very deep" if typed else 1, "seq": 0}
    return Step("article.discover", {"rows": [broken], "now": graph.clock.now_ms()})


def test_a_failing_unit_leaves_nothing_and_the_store_goes_on(graph: Graph) -> None:
    graph.seed("article", ["before"])
    with pytest.raises(UnitFailed, match=r"article\.discover failed"):
        graph.run(Unit.of([seeding(graph, "lost 1"), failing(graph), seeding(graph, "lost 2")]))
    assert states(graph) == {"before": "discovered"}
    graph.seed("article", ["after"])
    assert keys(graph.claims("article", "w").claim(5)) == ["before", "after"]


@pytest.mark.parametrize("count", [3, 100])
def test_rows_that_are_kept_by_column_are_written_like_any(graph: Graph, count: int) -> None:
    titles = [f"article {number}" for number in range(count)]
    rows = Table({"title": titles, "seq": [0] * count})
    graph.run(Unit.of([Step("article.seed", {"rows": rows, "now": graph.clock.now_ms()})]))
    assert states(graph) == dict.fromkeys(titles, "discovered")


def test_a_failing_unit_costs_no_claim(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    a, b = claims.claim(2)
    before = rows(graph)
    with pytest.raises(UnitFailed):
        claims.complete(a, [*linking(graph, a, ["x"]), failing(graph)])
    assert rows(graph) == before
    claims.heartbeat([a, b])
    claims.complete([a, b])


def test_many_failing_units_in_a_row(graph: Graph) -> None:
    claims = graph.claims("article", "w")
    for number in range(5):
        graph.seed("article", [f"{number}"])
        claim = take_one(claims)
        with pytest.raises(UnitFailed):
            claims.complete(claim, [failing(graph)])
        claims.complete(claim)
    assert set(states(graph).values()) == {"processed"}


def test_a_wrong_parameter_is_told_before_anything_is_written(graph: Graph) -> None:
    wrong = Step("article.seed", {"row": [], "now": 0})
    with pytest.raises(ParameterError, match=r"article\.cypher:\d+.*needs \$rows.*\$row") as raised:
        graph.run(Unit.of([seeding(graph, "a"), wrong]))
    assert (raised.value.missing, raised.value.unknown) == (("rows",), ("row",))
    with pytest.raises(UnknownBlock, match="article.seeds"):
        graph.run(Unit.of([seeding(graph, "a"), Step("article.seeds", {})]))
    assert states(graph) == {}


def test_only_what_belongs_to_a_held_claim_is_written(graph: Graph) -> None:
    graph.seed("article", ["mine", "not mine"])
    claims = graph.claims("article", "w")
    mine = take_one(claims)
    given = {"seqs": [mine.seq, mine.seq + 1], "lo": mine.seq, "hi": mine.seq + 1, "token": mine.token}
    found = [
        {"claim": claim, "title": title, "depth": 1, "seq": 0}
        for claim, title in ((mine.seq, "of mine"), (mine.seq + 1, "of another"), (0, "of nobody"))
    ]
    steps = [
        Step("article.finish", {**given, "at": moment(graph.clock.now_ms())}),
        Step("article.discover", {"rows": found, "now": graph.clock.now_ms()}),
    ]
    result = graph.run(Unit.of(steps))
    assert result.held == {mine.seq}
    assert [row["seq"] for row in result.rows[0]] == [mine.seq]
    assert states(graph) == {
        "mine": "processed", "not mine": "discovered", "of mine": "discovered", "of nobody": "discovered",
    }  # fmt: skip


def test_a_step_with_nothing_left_to_do_is_left_out(graph: Graph) -> None:
    found = [{"claim": 77, "title": "x", "depth": 1, "seq": 0}]
    note = {"seq": 77, "key": "x", "id": "x", "at": moment(0), "attempt": 1, "kind": "", "message": "", "trace": ""}
    steps = [
        Step("article.discover", {"rows": found, "now": 0}),
        Step("article.discover", {"rows": [], "now": 0}),
        Step("article.note_failure", note),
    ]
    assert graph.run(Unit.of(steps)).rows == ([], [], [])
    assert states(graph) == {}


def test_rows_get_numbers_that_no_other_has(graph: Graph, place: Place, clock: ManualClock) -> None:
    graph.run(Unit.of([seeding(graph, "a", "b"), seeding(graph, "c", "a"), seeding(graph, "d")]))
    with pytest.raises(UnitFailed):
        graph.run(Unit.of([seeding(graph, "x", "y"), failing(graph)]))
    graph.seed("article", ["e"])
    graph.close()
    with place.open(clock) as again:
        again.seed("article", ["f", "g"])
        numbers = [row["seq"] for row in rows(again).values()]
        assert len(set(numbers)) == 7 and min(numbers) > 0
        assert keys(again.claims("article", "w").claim(9)) == ["a", "b", "c", "d", "e", "f", "g"]


def test_two_results_of_one_unit_may_name_the_same_article(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    a, b = claims.claim(2)
    claims.complete(a, [*linking(graph, a, ["shared", "own"]), *linking(graph, b, ["shared"])])
    assert set(states(graph)) == {"a", "b", "shared", "own"}
    assert links(graph) == [("a", "own"), ("a", "shared")]
    claims.complete(b, linking(graph, b, ["shared", "a"]))
    assert links(graph) == [("a", "own"), ("a", "shared"), ("b", "a"), ("b", "shared")]


def test_results_that_can_not_be_one_statement_keep_their_order(graph: Graph, clock: ManualClock) -> None:
    """Links are written in one statement, and what they lead to in several: it has to be there by then."""
    graph.seed("article", ["a", "b", "c"])
    claims = graph.claims("article", "w")
    outcomes = []
    for claim in claims.claim(3):
        clock.forward(0.001)  # the moment is a parameter: these discoveries differ in it
        outcomes.append(Done(claim, linking(graph, claim, [f"of {claim.key}"])))
    claims.settle(outcomes)
    assert links(graph) == [("a", "of a"), ("b", "of b"), ("c", "of c")]


def test_a_statement_that_the_engine_refuses_is_told_and_harms_nothing(graph: Graph) -> None:
    graph.seed("article", ["a"])
    with pytest.raises(GraphvineError):
        graph.execute("MATCH (a:Article) SET a.due =")
    with pytest.raises(QueryError):
        graph.query("MATCH (a:Article RETURN a")
    with pytest.raises(QueryError):
        graph.query("MATCH (a:Article) RETURN no_such_function(a)")
    found = graph.query("MATCH (a:Article) WHERE a.seq = $seq RETURN a.title", {"seq": row(graph, "a")["seq"]})
    assert found.rows == [["a"]]
    graph.claims("article", "w").complete(take_one(graph.claims("article", "w")))


def test_what_is_not_declared_is_refused_where_columns_have_types(graph: Graph) -> None:
    if not graph.engine.capabilities.typed:
        pytest.skip("capability: typed")
    graph.seed("article", ["a"])
    with pytest.raises(GraphvineError):
        graph.execute("MATCH (a:Article) SET a.no_such_column = 1")
    with pytest.raises(QueryError):
        graph.query("MATCH (a:NoSuchTable) RETURN a")
    with pytest.raises(QueryError):
        graph.query("MATCH (a:Article) WHERE a.seq = $seq RETURN a.title", {"seq": "a word"})
    graph.claims("article", "w").complete(take_one(graph.claims("article", "w")))


def test_a_closed_graph_says_so(graph: Graph) -> None:
    graph.seed("article", ["a"])
    graph.close()
    graph.close()
    for use in (
        lambda: graph.seed("article", ["b"]),
        lambda: graph.read("article.counts"),
        lambda: graph.query("MATCH (a:Article) RETURN count(*)"),
        lambda: graph.execute("MATCH (a:Article) SET a.due = 0"),
    ):
        with pytest.raises(StoreClosed):
            use()
