"""Query files are read into blocks and machines, and a block knows its parameters."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path
from types import ModuleType

import pytest

import graphvine.queries
import graphvine.schema
from graphvine.queries import (
    Block,
    GraphvineError,
    Move,
    ParameterError,
    QueryFileError,
    Slot,
    UnknownBlock,
    library,
    load,
)
from graphvine.queries.proof import problems
from graphvine.schema.tables import tables
from tests.unit.small_machine import TASKS, changed, line_of, loaded, write


def test_a_block_carries_what_its_head_declares(tmp_path: Path) -> None:
    block = loaded(tmp_path).block("task.finish")
    assert (block.entity, block.name, block.full_name) == ("task", "finish", "task.finish")
    assert (block.file, block.line) == ("queries/task.cypher", line_of(TASKS, "// name: finish"))
    assert block.parameters == ("seqs", "token")
    assert block.purpose == "The tasks are done."
    assert block.moves == (Move(("taken",), ("done",)),)
    assert (block.role, block.transition, block.beyond) == ("complete", "reap", "")
    assert (block.processors, block.criteria) == (("Barn", "Scale"), ("Ripe",))
    assert block.manual
    assert block.guard
    assert block.writes
    assert not block.ready


def test_slots_and_defaults(tmp_path: Path) -> None:
    tasks = loaded(tmp_path)
    plant, note, counts = tasks.block("task.plant"), tasks.block("task.note"), tasks.block("task.counts")
    assert plant.number == (Slot("rows", "seq"),)
    assert plant.ready
    assert plant.moves == (Move((None,), ("waiting",)),)
    assert note.held == (Slot("rows", "claim"),)
    assert note.role == "note"
    assert counts.parameters == ()
    assert not counts.writes
    assert not counts.moves


def test_the_purpose_may_take_several_lines(tmp_path: Path) -> None:
    assert loaded(tmp_path).block("task.plant").purpose == "Put tasks in, where they are not there yet."


def test_the_text_is_the_statement_without_its_semicolon(tmp_path: Path) -> None:
    text = loaded(tmp_path).block("task.counts").text
    assert text == "MATCH (t:Task)\nRETURN t.state AS state, count(*) AS count"


def test_a_parameter_or_a_list_of_numbers_can_be_held(tmp_path: Path) -> None:
    text = changed("// held: rows.claim", "// held: rows.claim, rows")
    assert loaded(tmp_path, text).block("task.note").held == (Slot("rows", "claim"), Slot("rows"))


def test_the_machine_is_read_from_the_blocks(tmp_path: Path) -> None:
    machine = loaded(tmp_path).entities["task"].machine
    assert machine is not None
    assert (machine.entity, machine.label, machine.column, machine.key) == ("task", "Task", "state", "id")
    assert machine.document == "tasks.md"
    marks = {state.name: (state.initial, state.final, state.claimed) for state in machine.states}
    assert marks == {
        "waiting": (True, False, False),
        "taken": (False, False, True),
        "done": (False, True, False),
        "broken": (False, True, False),
    }
    steps = [(step.source, step.target, step.block, step.name) for step in machine.moves]
    assert steps == [
        (None, "waiting", "plant", "sow"),
        ("waiting", "taken", "take", "pick"),
        ("taken", "taken", "beat", ""),
        ("taken", "done", "finish", "reap"),
        ("taken", "broken", "abandon", ""),
        ("waiting", "broken", "abandon", ""),
    ]
    broken = machine.state("broken")
    assert broken is not None
    assert broken.beyond == "tasks break, whatever the document says."
    assert machine.state("lost") is None


def test_blocks_are_found_by_role_and_state(tmp_path: Path) -> None:
    tasks = loaded(tmp_path)
    machine = tasks.machines["task"]
    assert machine.by_role("claim", "waiting") is tasks.block("task.take")
    assert machine.by_role("abandon", "waiting") is machine.by_role("abandon", "taken")
    assert machine.by_role("plant", None) is tasks.block("task.plant")
    assert machine.by_role("claim", "taken") is None


def test_a_move_may_pass_through_a_state(tmp_path: Path) -> None:
    text = changed(
        "// move: taken -> done\n// transition: reap", "// move: waiting -> taken -> done\n// transition: pick, reap"
    )
    machine = loaded(tmp_path, text).machines["task"]
    finish = [(step.source, step.target, step.name) for step in machine.moves if step.block == "finish"]
    assert finish == [("waiting", "taken", "pick"), ("taken", "done", "reap")]


def test_one_name_belongs_to_the_last_step(tmp_path: Path) -> None:
    text = changed("// move: taken -> done", "// move: waiting -> taken -> done\n// move: taken -> done")
    machine = loaded(tmp_path, text).machines["task"]
    finish = [(step.source, step.target, step.name) for step in machine.moves if step.block == "finish"]
    assert finish == [("waiting", "taken", ""), ("taken", "done", "reap")]


def test_one_of_several_moves_may_have_a_reason_of_its_own(tmp_path: Path) -> None:
    text = changed("// beyond: some are never done.", "// beyond waiting -> broken: nobody came.")
    machine = loaded(tmp_path, text).machines["task"]
    reasons = {step.source: step.beyond for step in machine.moves if step.block == "abandon"}
    assert reasons == {"taken": "", "waiting": "nobody came."}


def test_a_file_without_a_machine_holds_plain_blocks(tmp_path: Path) -> None:
    text = "// Notes.\n\n// name: all_notes\n// Every note.\nMATCH (n:Note) RETURN n.text AS text;\n"
    entity = load(write(tmp_path, text, "notes.cypher")).entities["notes"]
    assert entity.machine is None
    assert list(entity.blocks) == ["all_notes"]
    assert entity.file == "queries/notes.cypher"


def test_the_file_names_the_pipeline_unless_its_head_does(tmp_path: Path) -> None:
    named = changed("// pipeline: task", "// pipeline: chores")
    assert list(loaded(tmp_path, named).entities) == ["chores"]
    assert list(loaded(tmp_path, changed("// pipeline: task\n", "")).entities) == ["task"]


def test_strings_and_comments_are_no_code(tmp_path: Path) -> None:
    statement = """\
MATCH (t:Task) /* SET t.state = $gone;
// name: not_a_block
*/
WHERE t.title <> 'it''s; $so // CREATE' AND t.`$col; SET` = "a \\" ; $b" // DELETE $c ;
  AND t.other = 'two
// name: nor_this
lines'
RETURN t.state AS state, count(*) AS count;"""
    text = changed("MATCH (t:Task)\nRETURN t.state AS state, count(*) AS count;", statement)
    block = loaded(tmp_path, text).block("task.counts")
    assert block.text == statement[:-1]
    assert not block.writes


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    folder = write(tmp_path)
    path = folder / "task.cypher"
    path.write_bytes(b"\xef\xbb\xbf" + TASKS.replace("\n", "\r\n").encode())
    assert load(folder, contract=False).block("task.finish").line == line_of(TASKS, "// name: finish")


def test_an_empty_folder_is_an_empty_library(tmp_path: Path) -> None:
    assert load(tmp_path).entities == {}
    assert load(tmp_path / "nowhere").entities == {}


def test_a_block_can_not_be_changed(tmp_path: Path) -> None:
    block = loaded(tmp_path).block("task.take")
    with pytest.raises(FrozenInstanceError):
        block.text = ""  # type: ignore[misc]
    assert not hasattr(block, "__dict__")


def test_the_declared_parameters_are_taken(tmp_path: Path) -> None:
    loaded(tmp_path).block("task.take").check({"token": 1, "seqs": [None]})


def test_a_missing_and_an_unknown_parameter_are_named(tmp_path: Path) -> None:
    block = loaded(tmp_path).block("task.take")
    with pytest.raises(ParameterError) as caught:
        block.check({"seqs": [], "tokn": 1})
    error = caught.value
    assert (error.block, error.file, error.line) == ("task.take", block.file, block.line)
    assert (error.missing, error.unknown) == (("token",), ("tokn",))
    assert str(error) == (
        f"{block.file}:{block.line}: task.take needs $token and does not know $tokn, did you mean 'token'?"
    )


@pytest.mark.parametrize(
    ("given_", "missing", "unknown"),
    [({}, ("seqs", "token"), ()), ({"seqs": 1, "token": 2, "x": 3}, (), ("x",))],
)
def test_one_side_alone_is_named_too(
    tmp_path: Path, given_: dict[str, int], missing: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    with pytest.raises(ParameterError) as caught:
        loaded(tmp_path).block("task.take").check(given_)
    assert (caught.value.missing, caught.value.unknown) == (missing, unknown)


def test_an_unknown_block_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownBlock, match=r"there is no block 'task.tak', did you mean 'task.take'\?"):
        loaded(tmp_path).block("task.tak")


@pytest.mark.parametrize(
    "error",
    [
        QueryFileError("a.cypher", 3, "no"),
        ParameterError("a.b", "a.cypher", 3, "no", ("x",), ("y",)),
        UnknownBlock("a.b", "?"),
    ],
)
def test_errors_survive_a_trip_to_another_process(error: GraphvineError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


@pytest.mark.parametrize("dialect", ["kuzu", "ladybug", "neo4j"])
def test_the_package_s_own_files_are_proved(dialect: str) -> None:
    own = library(dialect)
    assert {"article", "graph"} <= set(own.entities)
    assert own is library(dialect)
    assert all(isinstance(block, Block) for entity in own.entities.values() for block in entity.blocks.values())
    assert not problems(own, {table.name: table.columns for table in tables().values()})


def test_importing_costs_next_to_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import graphvine.queries, graphvine.schema;"
        "print(' '.join(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded_too = set(done.stdout.split()) & {"dataclasses", "inspect", "difflib", "json", "hashlib", "kuzu", "pyarrow"}
    assert not loaded_too


@pytest.mark.parametrize("module", [graphvine.queries, graphvine.schema])
def test_a_name_that_is_not_there_is_an_attribute_error(module: ModuleType) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Blok'"):
        _ = module.Blok
