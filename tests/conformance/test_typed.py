"""Statements as somebody types them, and bulk loads: they work, or they harm nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.clock import ManualClock
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from tests.support.articles import keys, row, states, take_one
from tests.support.stores import Place


def ailments(graph: Graph) -> list[str]:
    return [finding.check for finding in graph.doctor() if not finding.ok]


@pytest.mark.parametrize(
    "text",
    [
        "BEGIN TRANSACTION", "  commit", "ROLLBACK",
        "MATCH (a:Article) SET a.expansion_state = 'failed'; COMMIT; MATCH (a:Article) SET a.due = 0",
        "MATCH (a:Article) SET a.expansion_state =", "not Cypher at all", "",
    ],
)  # fmt: skip
def test_what_can_not_be_run_is_told_and_changes_nothing(graph: Graph, text: str) -> None:
    graph.seed("article", ["a"])
    with pytest.raises(GraphvineError):
        graph.execute(text)
    assert states(graph) == {"a": "discovered"}
    graph.claims("article", "w").complete(take_one(graph.claims("article", "w")))


def test_a_statement_may_have_parameters_and_answers(graph: Graph) -> None:
    graph.seed("article", ["it's", "b"])
    found = graph.execute(
        "MATCH (a:Article {title: $title}) SET a.expansion_state = $state RETURN a.title AS title",
        {"title": "it's", "state": "excluded"},
    )
    assert (found.columns, found.rows) == (["title"], [["it's"]])
    assert keys(graph.claims("article", "w").claim(5)) == ["b"]


def test_several_statements_are_one_transaction(graph: Graph) -> None:
    if not graph.engine.capabilities.single_owner:
        pytest.skip("capability: several statements at once are for the embedded engines")
    graph.execute("CREATE (:Article {title: 'a'}); CREATE (:Article {title: 'b'})")
    with pytest.raises(GraphvineError):
        graph.execute("CREATE (:Article {title: 'c'}); CREATE (:Article {title: 'a'})")
    assert set(states(graph)) == {"a", "b"}


def test_a_typed_load_is_numbered_and_claimed(graph: Graph, tmp_path: Path) -> None:
    if not graph.engine.capabilities.file_backup:
        pytest.skip("capability: COPY is for the embedded engines")
    graph.seed("article", ["seeded"])
    assert keys(graph.claims("article", "w").claim(1)) == ["seeded"]
    file = tmp_path / "rows.csv"
    file.write_text("loaded 1\nloaded 2\n")
    graph.execute(f"COPY Article(title) FROM '{file}'")
    assert ailments(graph) == []
    assert set(keys(graph.claims("article", "w").claim(5))) == {"loaded 1", "loaded 2"}


def test_a_load_is_typed_alone(graph: Graph, tmp_path: Path) -> None:
    """Among others it would run inside their transaction, where a kill can break the store."""
    if not graph.engine.capabilities.file_backup:
        pytest.skip("capability: COPY is for the embedded engines")
    file = tmp_path / "rows.csv"
    file.write_text("loaded\n")
    for text in (f"COPY Article(title) FROM '{file}'", "CHECKPOINT"):
        with pytest.raises(GraphvineError, match="alone"):
            graph.execute(f"CREATE (:Article {{title: 'a'}}); {text}")
    assert states(graph) == {}
    graph.execute("CHECKPOINT;")


def test_a_load_of_columns(graph: Graph, place: Place, clock: ManualClock) -> None:
    if not graph.engine.capabilities.bulk_load:
        return
    graph.seed("article", ["seeded"])
    first = row(graph, "seeded")["seq"]
    columns = {"title": ["x", "y"], "seq": [first + 100, first + 101], "expansion_depth": [1, 0]}
    seen: list[int] = []
    assert graph.engine.bulk_load("Article", columns, progress=seen.append) == 2
    graph.store.forget()  # what was written past the query files, nobody above the engine knows
    assert seen[-1] == 2
    graph.seed("article", ["later"])
    assert keys(graph.claims("article", "w").claim(5)) == ["seeded", "y", "later", "x"]
    assert ailments(graph) == []


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("NoSuchTable", {"title": ["x"]}),
        ("Article", {"no_such_column": ["x"]}),
        ("Article", {"title": ["x", "x"], "seq": [10, 11]}),
        ("Article", {"title": ["seeded"], "seq": [10]}),
        ("Article", {"title": ["x"], "seq": ["no number"]}),
    ],
)
def test_a_failing_load_leaves_nothing_and_the_store_goes_on(
    graph: Graph, table: str, columns: dict[str, list[object]]
) -> None:
    if not graph.engine.capabilities.bulk_load:
        return
    graph.seed("article", ["seeded"])
    good = {"title": ["good"], "seq": [50]}
    with pytest.raises(GraphvineError):
        graph.engine.bulk_load(table, [good, columns] if table == "Article" else columns)
    assert states(graph) == {"seeded": "discovered"}
    assert ailments(graph) == []
    graph.seed("article", ["after"])
    assert keys(graph.claims("article", "w").claim(5)) == ["seeded", "after"]


def test_a_failing_typed_load_leaves_nothing(graph: Graph) -> None:
    graph.seed("article", ["a"])
    with pytest.raises(GraphvineError):
        graph.execute("COPY Article FROM 'no such file.csv'")
    assert states(graph) == {"a": "discovered"}
    assert keys(graph.claims("article", "w").claim(5)) == ["a"]
