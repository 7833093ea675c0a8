"""POST /cypher: it reads, in Neo4j's shape; a write in disguise, a file, a long wait, too many rows get nowhere."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.serve.conftest import AUTHORISED, asking
from tests.support.shared_graphs import Served


def ask(served: Served, statement: str, *, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
    with asking(served, headers) as client:
        return client.post("/cypher", json={"statement": statement, **more})


def test_rows_in_the_shape_of_the_query_api(full_house: Served) -> None:
    answer = ask(
        full_house, "MATCH (a:Article {title: $t}) RETURN a.title AS title, a.expansion_depth", parameters={"t": "Vine"}
    )
    assert answer.status_code == 202
    assert answer.json() == {
        "data": {"fields": ["title", "a.expansion_depth"], "values": [["Vine", 0]]},
        "bookmarks": [],
    }


def test_nodes_relationships_and_odd_values_are_json(full_house: Served) -> None:
    answer = ask(full_house, "MATCH (a:HNItem)-[p:PARENT_OF]->(b:HNItem) RETURN a, p, b, 0.0/0.0 AS nan, {x: 1} AS map")
    assert answer.status_code == 202, answer.text
    values = answer.json()["data"]["values"]
    assert len(values) == 2 and values[0][3] is None and values[0][4] == {"x": 1}


DISGUISES = [
    "CREATE (:Article {title: 'x'})",
    "MATCH (a:Article) SET a.due = 0",
    "MATCH (a:Article) DETACH DELETE a",
    "match (a:Article) /* harmless */ sEt a.due = 0",
    "MATCH (a:Article) WITH a REMOVE a.title RETURN a",
    "RETURN 1; CREATE (:Article {title: 'x'})",
    "// MATCH\nMERGE (:Article {title: 'x'})",
    "EXPLAIN CREATE (:Article {title: 'x'})",
    "PROFILE MATCH (a:Article) SET a.due = 0",
    "CALL { CREATE (:Article {title: 'x'}) } RETURN 1",
    "UNWIND [1] AS x CALL (x) { MERGE (:Article {title: 'x'}) } RETURN x",
    "LOAD FROM '/etc/passwd' RETURN *",
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "COPY Article FROM '/etc/passwd'",
    "COPY (MATCH (a:Article) RETURN a.title) TO '/tmp/stolen.csv'",
    "EXPORT DATABASE '/tmp/stolen'",
    "IMPORT DATABASE '/tmp/evil'",
    "ATTACH '/etc/passwd' AS x (dbtype duckdb)",
    "INSTALL httpfs",
    "LOAD EXTENSION '/tmp/evil.so'",
    "CALL apoc.load.json('http://127.0.0.1/') YIELD value RETURN value",
    "CALL dbms.security.createUser('x', 'y')",
    "CALL db.createLabel('x')",
    "DROP TABLE Article",
    "ALTER TABLE Article ADD x STRING",
    "BEGIN TRANSACTION",
    "CHECKPOINT",
    "CALL debug_enable_multi_writes=true",
    "CALL timeout=0",
    "USE other MATCH (n) RETURN n",
    "CREATE MACRO f(x) AS x",
    "FOREACH (x IN [1] | CREATE (:Article {title: 'x'}))",
    "\u200bCREATE (:Article {title: 'x'})",
    "MATCH (a:Article) RETURN a.title // \u2028 CREATE\nCREATE (:Article {title: 'x'})",
    "",
]


@pytest.mark.parametrize("statement", DISGUISES)
def test_what_could_write_or_reach_outside_is_refused(full_house: Served, statement: str) -> None:
    before = full_house.graph.status()
    for headers in ({}, AUTHORISED):
        answer = ask(full_house, statement, headers=headers)
        assert answer.status_code in (400, 403, 422), (statement, answer.text)
        assert "root:" not in answer.text
    assert full_house.graph.status() == before


def test_a_query_that_only_speaks_of_writing_is_answered(full_house: Served) -> None:
    answer = ask(full_house, "MATCH (a:Article) WHERE a.title = 'CREATE (x) SET' RETURN count(*) AS created")
    assert answer.json()["data"] == {"fields": ["created"], "values": [[0]]}


def test_writing_needs_the_token_and_to_be_asked_for(served: Served) -> None:
    write = "CREATE (:Article {title: 'by hand'})"
    assert ask(served, write, accessMode="WRITE").status_code == 403
    assert ask(served, write, accessMode="WRITE", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert ask(served, write, headers=AUTHORISED).status_code == 403, "the token alone does not make it a write"
    assert served.graph.status()[0].total == 0
    assert ask(served, write, accessMode="WRITE", headers=AUTHORISED).status_code == 202
    claims = served.graph.claims("article", "w")
    assert [claim.key for claim in claims.claim(5)] == ["by hand"], "its numbers follow the word"


def test_rows_are_limited_and_the_cut_is_told(full_house: Served) -> None:
    answer = ask(full_house, "UNWIND range(1, 20000) AS x RETURN x").json()
    assert len(answer["data"]["values"]) == 10_000
    assert answer["notifications"][0]["code"] == "Graphvine.Truncated"
    assert len(ask(full_house, "UNWIND range(1, 100) AS x RETURN x", maxRows=3).json()["data"]["values"]) == 3


def test_time_is_limited(full_house: Served) -> None:
    endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b % 7 = 3 RETURN count(*)"
    answer = ask(full_house, endless, maxExecutionTime=0.2)
    assert answer.status_code == 408
    assert answer.json()["errors"][0]["code"].endswith("TransactionTimedOut")


@pytest.mark.parametrize(
    ("statement", "parameters"),
    [
        ("MATCH (a:NoSuchTable) RETURN a", {}), ("RETURN", {}), ("MATCH (a:Article) RETURN a.title + $x", {"x": {"a": [1, "b"]}}),
        ("RETURN $x", {}), ("RETURN $x", {"x": 10**40}), ("RETURN $x", {"x": [[], {}, None, "a"]}), ("RETURN 1", {"y": 1}),
    ],
)  # fmt: skip
def test_what_the_engine_does_not_like_is_told_in_its_words(
    full_house: Served, statement: str, parameters: dict[str, Any]
) -> None:
    answer = ask(full_house, statement, parameters=parameters)
    assert answer.status_code in (202, 400), answer.text
    if answer.status_code == 400:
        assert answer.json()["errors"][0]["message"]
