"""A dialect replaces the blocks that differ, and never what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.queries import QueryFileError, load
from tests.unit.small_machine import TASKS, write

REPLACED = """\
// name: counts()
// The same for another engine.
MATCH (t:Task) RETURN t.state AS state, size(collect(t)) AS count;
"""


def test_a_dialect_replaces_blocks_and_adds_its_own(tmp_path: Path) -> None:
    folder = write(tmp_path)
    own = "\n// name: lock(id)\n// Lock a task.\nMATCH (t:Task {id: $id}) SET t.lock = true;\n"
    write(tmp_path, REPLACED + own, "neo4j/task.cypher")
    base, other = load(folder, contract=False), load(folder, dialect="neo4j", contract=False)
    assert "collect" in other.block("task.counts").text
    assert other.block("task.counts").file == "queries/neo4j/task.cypher"
    assert other.block("task.lock").writes
    assert other.block("task.take") == base.block("task.take")
    assert "count(*)" in base.block("task.counts").text
    assert "lock" not in base.entities["task"].blocks
    assert (base.dialect, other.dialect) == ("kuzu", "neo4j")


def test_a_replaced_move_keeps_the_machine_as_it_is(tmp_path: Path) -> None:
    folder = write(tmp_path)
    start = TASKS.index("// name: take")
    take = TASKS[start : TASKS.index("// name: beat")].replace("// transition: pick\n", "")
    write(tmp_path, take.replace("MATCH (t:Task)\n", "MATCH (t:Task)\nWITH t\n"), "neo4j/task.cypher")
    base, other = (
        load(folder, contract=False).machines["task"],
        load(folder, dialect="neo4j", contract=False).machines["task"],
    )
    assert "WITH t\n" in load(folder, dialect="neo4j", contract=False).block("task.take").text
    assert base.fingerprint == other.fingerprint


def test_a_file_of_the_dialect_alone_is_a_file(tmp_path: Path) -> None:
    folder = write(tmp_path)
    write(tmp_path, "// name: servers()\n// Who is there.\nSHOW SERVERS;\n", "neo4j/cluster.cypher")
    assert "cluster" in load(folder, dialect="neo4j", contract=False).entities
    assert "cluster" not in load(folder, contract=False).entities


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (REPLACED.replace("counts()", "counts(n)").replace("size(", "$n + size("), "differs from it in: parameters"),
        (
            "// name: beat(tokens, at)\n// move: waiting -> taken\n// Other.\nMATCH (t:Task) WHERE t.lease IN $tokens\n"
            "SET t.state = 'taken', t.at = $at RETURN t.seq AS seq;",
            "differs from it in: moves",
        ),
        (
            "// name: note(rows)\n// Other.\nUNWIND $rows AS r CREATE (:Note {text: r.text});",
            "differs from it in: held",
        ),
        ("// machine: Task.mood\n// key: id\n// states: a*!\n" + REPLACED, "the machine differs from the one in"),
        ("// pipeline: chores\n" + REPLACED, "the pipeline is 'task' in queries/task.cypher"),
    ],
)
def test_a_replacement_that_means_something_else_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    folder = write(tmp_path)
    write(tmp_path, text, "neo4j/task.cypher")
    with pytest.raises(QueryFileError, match=r"^queries/neo4j/task.cypher:1: ") as caught:
        load(folder, dialect="neo4j", contract=False)
    assert sentence in caught.value.message
    load(folder, contract=False)
