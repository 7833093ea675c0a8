"""A connection that was handed large tables is renewed: the engine keeps them as long as the connection lives."""

from __future__ import annotations

from dataclasses import replace

from graphvine.engines.kuzu.engine import EmbeddedEngine
from graphvine.graph import Graph
from graphvine.queries import library
from graphvine.queries.compile import compile_kuzu

TEXT = "UNWIND $rows AS r WITH r.text AS text WITH count(*) AS rows, max(size(text)) AS longest RETURN rows, longest"
COUNT = compile_kuzu(replace(library().block("article.counts"), text=TEXT, table="rows"))


def test_many_small_tables_or_a_few_large_ones_wear_a_connection_out(graph: Graph) -> None:
    assert isinstance(graph.engine, EmbeddedEngine)
    with graph.engine._database.reader() as session:
        assert session.rows(COUNT, {"rows": [{"text": "small"}] * 40}) == [{"rows": 40, "longest": 5}]
        assert not session.worn
        session.rows(COUNT, {"rows": [{"text": "x" * 1_000_000}] * 40})
        assert session.worn
    with graph.engine._database.reader() as session:
        assert not session.worn, "the worn one was closed"
