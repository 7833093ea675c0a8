"""Typed queries: read-only at the server too, limited, interruptible; values as on every engine."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime

import pytest

from graphvine.clock import SystemClock, moment
from graphvine.engines.neo4j.engine import Neo4jEngine
from graphvine.errors import GraphvineError, QueryError, QueryTimeout, WriteRefused
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from tests.support import servers
from tests.support.articles import section
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually

SLOW = "UNWIND range(1, 40000) AS a UNWIND range(1, 40000) AS b RETURN sum(a * b)"


@pytest.mark.parametrize(
    "text", ["CREATE (:Article {title: 'x'})", "MATCH (n) SET n.x = 1", "CREATE INDEX oops FOR (a:Article) ON (a.oops)"]
)
def test_a_read_that_writes_is_refused_by_the_server_itself(engine: Neo4jEngine, text: str) -> None:
    with pytest.raises((WriteRefused, QueryError), match=r"would write|not allowed|read access"):
        engine.query(text, {}, max_rows=10, timeout_seconds=WAIT_LIMIT)
    assert engine.query("MATCH (a:Article) RETURN count(a)", {}, max_rows=1, timeout_seconds=WAIT_LIMIT).rows == [[0]]


def test_no_more_rows_come_than_were_asked_for(engine: Neo4jEngine) -> None:
    text = "UNWIND range(1, 5000) AS n RETURN n"
    cut = engine.query(text, {}, max_rows=10, timeout_seconds=WAIT_LIMIT)
    assert ([row[0] for row in cut.rows], cut.truncated) == (list(range(1, 11)), True)
    whole = engine.query(text, {}, max_rows=5000, timeout_seconds=WAIT_LIMIT)
    assert (len(whole.rows), whole.truncated) == (5000, False)


def test_a_query_that_takes_too_long_is_ended(engine: Neo4jEngine) -> None:
    with pytest.raises(QueryTimeout, match="took too long"):
        engine.query(SLOW, {}, max_rows=1, timeout_seconds=0.3)
    assert engine.query("RETURN 1 AS one", {}, max_rows=1, timeout_seconds=WAIT_LIMIT).as_dicts() == [{"one": 1}]


def test_a_query_can_be_interrupted(engine: Neo4jEngine) -> None:
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            engine.query(SLOW, {}, max_rows=1, timeout_seconds=WAIT_LIMIT)
        except GraphvineError as error:
            raised.append(error)

    asking = threading.Thread(target=ask)
    asking.start()

    def ended() -> None:
        engine.interrupt()
        assert raised

    eventually(ended)
    asking.join()
    assert isinstance(raised[0], QueryTimeout)


def test_a_mistake_is_told_in_the_server_s_words(graph: Graph) -> None:
    with pytest.raises(QueryError, match="Invalid input"):
        graph.query("MATCH (a:Article RETURN a")
    with pytest.raises(QueryError, match=r"[Pp]arameter"):
        graph.query("MATCH (a:Article) WHERE a.title = $title RETURN a")


@pytest.mark.parametrize("value", [1 << 70, "\ud800", object()])
def test_a_parameter_that_can_not_be_sent_is_told(graph: Graph, value: object) -> None:
    with pytest.raises(QueryError):
        graph.query("RETURN $value", {"value": value})


def test_values_are_those_of_every_engine(graph: Graph) -> None:
    at = datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)
    graph.run(Unit.of([Step("graph.pause", {"name": "article", "reason": "x", "at": at})]))
    graph.seed("article", ["a", "b"])
    graph.execute("MATCH (a:Article {title: 'a'}), (b:Article {title: 'b'}) CREATE (a)-[:LINKS_TO {gone: 0}]->(b)")
    (paused,) = [row for row in graph.read("graph.pipelines") if row["name"] == "article"]
    assert paused["changed_at"] == at and paused["changed_at"].tzinfo == UTC
    text = (
        "MATCH p = (a:Article)-[l:LINKS_TO]->(b:Article) RETURN a, l, p, [1.5, null] AS list, date('2026-05-01') AS day"
    )
    ((node, link, path, listed, day),) = graph.query(text).rows
    assert (node["_label"], node["title"], link["_label"], link["gone"]) == ("Article", "a", "LINKS_TO", 0)
    assert link["_src"] == node["_id"] and [one["title"] for one in path["_nodes"]] == ["a", "b"]
    assert (listed, day) == ([1.5, None], date(2026, 5, 1))


def test_typed_writes_may_bring_their_own_transactions(graph: Graph) -> None:
    graph.seed("article", map(str, range(30)))
    graph.execute(
        "MATCH (a:Article) CALL (a) { SET a.expansion_state = $word } IN TRANSACTIONS OF 10 ROWS", {"word": "excluded"}
    )
    assert graph.query("MATCH (a:Article) WHERE a.lease = 0 AND a.due > 1e15 RETURN count(a)").rows == [[30]]


@pytest.mark.parametrize("text", ["BEGIN", "commit", " ROLLBACK;"])
def test_transactions_are_not_typed(graph: Graph, text: str) -> None:
    with pytest.raises(QueryError, match="a transaction of its own"):
        graph.execute(text)


def test_tables_are_those_that_are_declared_and_what_else_is_there(graph: Graph) -> None:
    before = {table.name: table for table in graph.tables()}
    assert before["Article"].kind == "NODE" and ("expansion_depth", "INT64") in before["Article"].properties
    assert before["LINKS_TO"].kind == "REL"
    graph.execute("CREATE (:Visitor {name: 'somebody', `odd name`: 1.5})")
    graph.seed("article", ["a"])
    graph.execute("MATCH (a:Article) SET a.note = true")
    after = {table.name: dict(table.properties) for table in graph.tables()}
    assert after["Visitor"] == {"name": "STRING", "odd name": "FLOAT"}
    assert after["Article"]["note"] == "BOOLEAN" and "lock" not in after["Article"]
    assert "Lock" not in after
    graph.execute("MATCH (v:Visitor) DELETE v")


def test_the_server_s_clock_is_used_where_none_is_given(place: Place) -> None:
    import graphvine

    place.open().close()
    with graphvine.open(place.where) as graph:
        assert isinstance(graph.clock, SystemClock)
        assert graph.clock.offset_ms == graph.engine.clock_offset_ms  # type: ignore[attr-defined]
        with servers.session(place.where) as asking:
            there = asking.run("RETURN datetime.realtime().epochMillis").value()[0]
        assert abs(graph.clock.now_ms() - there) < 5_000


def test_full_text_and_vectors_are_found_by_the_server_s_indexes(graph: Graph) -> None:
    graph.seed("article", ["Vine"])
    (claim,) = graph.claims("article", "w").claim(1)
    rows = [
        section(claim.seq, f"Vine#{number}", vector, article="Vine", title=title, position=number, text=text)
        for number, (title, text, vector) in enumerate(
            [("Grapes", "Wine is made of grapes", [1.0, 0.0, 0.0]), ("Walls", "It climbs on walls", [0.0, 1.0, 0.0])]
        )
    ]
    step = Step("article.add_sections", {"rows": rows, "lo": claim.seq, "hi": claim.seq})
    graph.claims("article", "w").complete(claim, [step])
    told = moment(graph.clock.now_ms())
    model = {"name": "tiny", "dimension": 3, "embedder": "", "location": "", "at": told}
    graph.run(Unit.of([Step("article.use_model", model)]))

    def found_both() -> None:
        # Full text follows within moments of the commit.
        text = "CALL db.index.fulltext.queryNodes('section_words', $words) YIELD node RETURN node.id"
        assert graph.query(text, {"words": "climbs"}).rows == [["Vine#1"]]
        near = (
            "CALL db.index.vector.queryNodes('section_embedding', 1, $vector) YIELD node, score RETURN node.id, score"
        )
        assert graph.query(near, {"vector": [0.9, 0.1, 0.0]}).rows[0][0] == "Vine#0"

    eventually(found_both)
