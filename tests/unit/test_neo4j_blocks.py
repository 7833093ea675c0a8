"""What stands in queries/neo4j/ and schema/neo4j/: only what differs, each with its reason, and nothing unguarded."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from graphvine.engines.neo4j.steps import ported
from graphvine.queries import Block, QueryFileError, library
from graphvine.queries.compile_neo4j import compile_neo4j, needs_lock, read_before_deleted, returned, without_casts
from graphvine.schema import migrations
from graphvine.schema.tables import tables

BASE, NEO4J = library(), library("neo4j")
DIFFERENT = {
    block.full_name: block
    for entity in NEO4J.entities.values()
    for block in entity.blocks.values()
    if block.file.startswith("queries/neo4j/")
}


@pytest.mark.parametrize(
    "name", sorted(name for name in DIFFERENT if name.split(".")[1] in BASE.entities[name.split(".")[0]].blocks)
)
def test_a_replaced_block_differs_and_says_why(name: str) -> None:
    assert "Differs" in DIFFERENT[name].purpose
    assert DIFFERENT[name].text.split() != BASE.block(name).text.split()


def test_every_entity_is_there_and_has_its_constraints() -> None:
    assert set(BASE.entities) == set(ported().entities)
    for entity, steps in migrations("neo4j").items():
        assert steps[0].file == f"schema/neo4j/{entity}.cypher"


def test_migrations_can_be_run_again() -> None:
    """A change of the schema and its record can't share a transaction there, so a kill may come between."""
    for entity in ported().entities:
        for migration in migrations("neo4j")[entity]:
            for statement in migration.statements:
                again = any(sign in statement for sign in ("IF NOT EXISTS", "IF EXISTS", "IS NULL\nSET"))
                assert again, f"{migration.file}:{migration.line}"


@pytest.mark.parametrize("pipeline", sorted(ported().machines))
def test_the_machine_is_the_same_on_every_engine(pipeline: str) -> None:
    here, there = BASE.machines[pipeline], NEO4J.machines[pipeline]
    assert here.states == there.states
    assert {(m.source, m.target, m.block) for m in here.moves} <= {(m.source, m.target, m.block) for m in there.moves}
    assert {m.target for m in there.moves if m.source is None} == {m.target for m in here.moves if m.source is None}


GUARDED = [
    pytest.param(block, id=block.full_name)
    for entity in ported().entities.values()
    for block in entity.blocks.values()
    if needs_lock(block)
]


@pytest.mark.parametrize("block", GUARDED)
def test_a_guard_is_read_behind_the_lock(block: Block) -> None:
    statement = compile_neo4j(block, ported()).text
    before_the_lock, _, behind = statement.partition(".lock = 0")
    assert behind, "it does not lock"
    if "elementId" in behind:  # it is searched for, held, and looked at again by the whole text
        assert block.text in behind
    else:
        assert "lease" not in before_the_lock and "due" not in before_the_lock
        assert "_state" not in before_the_lock


_LOOKS = re.compile(r"\bWHERE\b(.*?)(?=\b(?:MATCH|WITH|SET|MERGE|DELETE|RETURN|UNWIND|CREATE)\b|$)", re.DOTALL)


def looks_at(block: Block) -> set[str]:
    """The columns that its conditions name, keys and numbers aside, which never change."""
    keys = {table.key for table in tables().values()} | {"seq"}
    return {column for found in _LOOKS.findall(block.text) for column in re.findall(r"\b\w+\.(\w+)", found)} - keys


@pytest.mark.parametrize("entity", sorted(ported().entities))
def test_what_writes_where_something_is_so_locks_first(entity: str) -> None:
    writing = [block for block in ported().entities[entity].blocks.values() if block.writes and looks_at(block)]
    found = {block.full_name for block in writing if ".lock = 0" not in compile_neo4j(block, ported()).text}
    said = {block.full_name for block in ported().entities[entity].blocks.values() if block.unlocked}
    assert found == said, "lock it in queries/neo4j/, or say in its head why it needs no lock: `// unlocked: why`"


def test_the_list_of_guarded_blocks_is_not_empty() -> None:
    names = {str(case.id) for case in GUARDED}
    assert {"article.claim", "article.finish", "article.heartbeat", "article.reclaim", "article.retry"} <= names
    assert "article.seed" not in names and "article.ready" not in names


def test_a_guarded_block_that_nothing_can_lock_is_refused() -> None:
    text = "UNWIND $rows AS r MATCH (a:Article) SET a.lease = 0"
    block = replace(BASE.block("article.claim"), text=text, parameters=(), by=())
    with pytest.raises(QueryFileError, match=r"article\.cypher:\d+: block 'claim' does not begin with what it sets"):
        compile_neo4j(block, ported())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("MATCH (a) RETURN a.x AS x, a.y AS y", ["x", "y"]),
        ("MATCH (a) RETURN DISTINCT a.x AS x ORDER BY a.x LIMIT $n", ["x"]),
        ("MATCH (a) WITH a.x AS x, count(*) AS n RETURN x, n", ["x", "n"]),
        ("MATCH (a) RETURN f(a, b) AS one, [a, b] AS two, {k: a.v} AS three", ["one", "two", "three"]),
        ("MATCH (a) RETURN CASE WHEN a.x = 1 THEN 'y, AS z' ELSE 'n' END AS case_", ["case_"]),
        ("MATCH (a) RETURN a.x AS x UNION ALL MATCH (b) RETURN b.x AS x", ["x"]),
        ("MATCH (a) WHERE EXISTS { MATCH (b) RETURN b.y AS y } RETURN a.x AS x", ["x"]),
        ("MATCH (a) SET a.x = 1", []),
        ("MATCH (a) RETURN a.`index` AS `index`, a", ["index", "a"]),
        ("MATCH (a) RETURN a.x", []),
        ("MATCH (a) RETURN *", []),
    ],
)
def test_the_columns_of_a_statement(text: str, names: list[str]) -> None:
    assert returned(text) == names


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("WITH CAST(r.at AS TIMESTAMP) AS at", "WITH (r.at) AS at"),
        ("WITH CAST(r.v AS FLOAT[]) AS v, CAST(r.w AS FLOAT[384]) AS w", "WITH (r.v) AS v, (r.w) AS w"),
        ("WHERE a.id = CAST($key AS INT64)", "WHERE a.id = toInteger($key)"),
        ("RETURN CAST(coalesce(a.x, 0) AS STRING) AS x", "RETURN toString(coalesce(a.x, 0)) AS x"),
        ("RETURN a.broadcast AS CAST", "RETURN a.broadcast AS CAST"),
    ],
)
def test_casts_are_written_as_neo4j_does(text: str, there: str) -> None:
    assert without_casts(text) == there


def test_a_floor_is_left_out() -> None:
    known = ported().block("hn_item.known")
    assert "first_id" in known.text and "first_id" not in compile_neo4j(known, ported()).text
    text = "MATCH (a:HNItem) WHERE a.hnId >= $first_id AND a.hnId <= $last RETURN a.seq AS seq"
    with pytest.raises(QueryFileError, match=r"block 'known' has \$first_id for a floor, but nothing like"):
        compile_neo4j(replace(known, text=text), ported())


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("MATCH (x:X) DELETE x RETURN x.y AS id", "MATCH (x:X) WITH x, x.y AS id\nDELETE x\nRETURN id"),
        ("MATCH (x:X) DETACH DELETE x", "MATCH (x:X) DETACH DELETE x"),
        ("MATCH (x:X), (z:Z) DELETE x RETURN z.y AS id", "MATCH (x:X), (z:Z) DELETE x RETURN z.y AS id"),
    ],
)
def test_what_is_deleted_is_read_before(text: str, there: str) -> None:
    assert read_before_deleted(text) == there


def test_every_lock_that_a_block_s_parameters_ask_for_is_put_before_it() -> None:
    """The batch first, then its pages; and the whole of the text behind both."""
    block = ported().block("scrape_item.start_summaries")
    statement = compile_neo4j(block, ported()).text
    assert statement.index("SET b.lock = 0") < statement.index("SET a.lock = 0") < statement.index(block.text)


def test_every_block_that_returns_rows_tells_their_names() -> None:
    for entity in ported().entities.values():
        for block in entity.blocks.values():
            assert bool(returned(block.text)) == ("RETURN" in block.text.upper()), block.full_name
