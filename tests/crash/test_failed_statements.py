"""A statement that fails leaves results of the engine behind; letting them go later must not take the process down."""

from __future__ import annotations

import gc

from graphvine.errors import GraphvineError
from tests.support.articles import states
from tests.support.processes import Send, run
from tests.support.stores import Place

FAILING = [
    "CREATE (:Article {title: 'c'}); MATCH (a:Article) RETURN a; CREATE (:Article {title: 'a'})",
    "MATCH (a:Article) RETURN a.title, a.seq; MATCH (a:Article) SET a.no_such_column = 1",
    "MATCH (a:Article) RETURN a; not Cypher at all",
]


def fail_often(send: Send, place: Place) -> dict[str, str]:
    kept = []
    for number in range(5):
        with place.open() as graph:
            graph.seed("article", ["a", "b", *(f"{number} {other}" for other in range(300))])
            for text in FAILING:
                try:
                    graph.execute(text)
                except GraphvineError as error:
                    kept.append(error)  # as a log, a debugger or a test would keep it
    assert len(kept) == 15
    kept.clear()
    gc.collect()
    with place.open() as graph:
        return states(graph)


def test_what_a_failed_statement_left_can_go(place: Place) -> None:
    assert len(run(fail_often, place)) == 1_502
