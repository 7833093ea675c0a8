"""A pipeline gets the shared blocks of the claim contract, and what it lacks is named when it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.queries import Library, QueryFileError, library, load
from graphvine.queries.contract import BLOCKS, NEEDED_WHILE_HELD, ORDERED, ROLES, SHARED_STORE, UNORDERED
from graphvine.queries.parse import BLOCK_KEYS, FILE_KEYS
from graphvine.queries.proof import problems
from tests.support.small_pipeline import JOB, MOVES
from tests.unit.small_machine import line_of, write


def loaded(folder: Path, text: str = JOB, dialect: str = "kuzu") -> Library:
    return load(write(folder, text, "job.cypher"), dialect=dialect)


def refusal(folder: Path, text: str) -> QueryFileError:
    with pytest.raises(QueryFileError) as caught:
        loaded(folder, text)
    return caught.value


@pytest.mark.parametrize("dialect", ["kuzu", "neo4j"])
def test_a_pipeline_of_moves_is_whole(tmp_path: Path, dialect: str) -> None:
    found = library(dialect, write(tmp_path, JOB, "job.cypher"))
    assert not problems(found)
    own = [name for name, block in found.entities["job"].blocks.items() if block.file.endswith("queries/job.cypher")]
    assert own == list(found.entities["job"].blocks)[: len(MOVES)], "its own blocks come first"
    assert found.block("job.ready").file.endswith("claimable.cypher")
    assert set(BLOCKS) <= set(found.entities["job"].blocks)
    for role in NEEDED_WHILE_HELD:
        assert found.machines["job"].by_role(role, "running") is not None


def test_shared_blocks_are_filled_in_from_the_head(tmp_path: Path) -> None:
    ready = loaded(tmp_path).block("job.ready").text
    assert "MATCH (a:Job)" in ready and "a.id AS key, 0 AS depth" in ready and "ORDER BY a.seq LIMIT" in ready
    ordered = loaded(tmp_path, JOB.replace("// key: id", "// key: id\n// order: rank\n// retry_count: tries"))
    ready = ordered.block("job.ready").text
    assert "a.rank AS depth" in ready and "a.tries AS retry_count" in ready and "ORDER BY a.rank, a.seq" in ready
    assert "ready_between" not in ordered.entities["job"].blocks
    assert "a.tries IS NULL" in ordered.block("job.misaligned").text


def test_own_blocks_may_be_filled_in_too(tmp_path: Path) -> None:
    assert "a.id AS key, 0 AS depth, a.due AS due" in loaded(tmp_path).block("job.release").text
    error = refusal(tmp_path, JOB.replace("RETURN @row", "RETURN @rwo"))
    assert "has @rwo, which nothing is filled in for, did you mean 'row'?" in error.message
    mail = "\n// name: mail()\n// An address is none.\nMATCH (a:Job) WHERE a.by = 'me@row.example' RETURN a.id AS id;\n"
    assert "me@row.example" in loaded(tmp_path, JOB + mail).block("job.mail").text


def test_a_block_of_its_own_replaces_a_shared_one(tmp_path: Path) -> None:
    own = "\n// name: counts()\n// Of its own.\nMATCH (a:Job) RETURN a.state AS state, count(*) AS count;\n"
    found = loaded(tmp_path, JOB + own).block("job.counts")
    assert (found.purpose, found.file) == ("Of its own.", "queries/job.cypher")


def test_an_alignment_without_a_condition_is_refused(tmp_path: Path) -> None:
    own = "\n// name: align_all(now)\n// All.\nMATCH (a:Job) SET a.due = $now RETURN a.seq AS seq;\n"
    assert "has no condition to ask for" in refusal(tmp_path, JOB + own).message


def test_an_alignment_of_its_own_is_asked_for_too(tmp_path: Path) -> None:
    own = (
        "\n// name: align_slot(never)\n// No slot at rest.\nMATCH (a:Job)\nWHERE a.state = 'done' AND a.slot > 0\n"
        "SET a.slot = 0, a.due = $never\nRETURN a.seq AS seq;\n"
    )
    assert "(a.state = 'done' AND a.slot > 0)" in loaded(tmp_path, JOB + own).block("job.misaligned").text


@pytest.mark.parametrize("name", [name for name in MOVES if not name.startswith("complete")])
def test_a_missing_part_is_named(tmp_path: Path, name: str) -> None:
    error = refusal(tmp_path, JOB.replace(f"\n// name: {name}{MOVES[name]}", ""))
    block = name.split("(")[0]
    assert (error.file, error.line) == ("queries/job.cypher", 2)
    assert "the claim contract of pipeline 'job' has no block" in error.message
    assert repr(block) in error.message and f"with ({name.split('(')[1]}" in error.message


@pytest.mark.parametrize("name", MOVES)
def test_other_parameters_are_named(tmp_path: Path, name: str) -> None:
    block, _, inside = name.rstrip(")").partition("(")
    text = JOB.replace(f"// name: {name}", f"// name: {block}({inside}, mood)")
    at = text.index(f"// name: {block}(")
    text = text[:at] + text[at:].replace("RETURN ", "RETURN $mood AS mood, ", 1)
    error = refusal(tmp_path, text)
    assert error.line == line_of(text, f"// name: {block}(")
    assert f"block {block!r} is a part of the claim contract and takes ({inside}), not (" in error.message


def test_a_shared_block_replaced_with_other_parameters_is_refused(tmp_path: Path) -> None:
    own = "\n// name: frontier(now)\n// Of its own.\nMATCH (a:Job) WHERE a.due <= $now RETURN count(*) AS ready;\n"
    error = refusal(tmp_path, JOB + own)
    assert error.line == line_of(JOB + own, "// name: frontier")
    assert "differs from it in: parameters" in error.message and "queries/claimable.cypher:" in error.message


def test_a_role_is_needed_for_every_state_that_is_held(tmp_path: Path) -> None:
    more = JOB.replace("running done!", "running paused done!").replace(
        "// move: running -> done", "// move: running -> paused"
    )
    more = more.replace("SET a.state = 'done'", "SET a.state = 'paused'")
    again = MOVES["claim(seqs, lo, hi, worker, token, now, at, never)"].replace(
        "waiting -> running", "paused -> paused"
    )
    again = again.replace("\n// move", "\n// role: claim\n// move").replace("a.lease = 0", "a.lease = -1")
    more += f"\n// name: resume(seqs, lo, hi, worker, token, now, at, never){again.replace(chr(39) + 'running', chr(39) + 'paused')}"
    error = refusal(tmp_path, more)
    assert "has no block of the role 'release' for rows in 'paused', with (seqs, lo, hi, token, due)" in error.message


def test_conditions_are_for_shared_blocks_alone(tmp_path: Path) -> None:
    text = JOB.replace("// Out for good.", "// if: ordered\n// Out for good.")
    assert "only the blocks of claimable.cypher have conditions" in refusal(tmp_path, text).message


def test_further_folders_add_their_pipelines(tmp_path: Path) -> None:
    folder = write(tmp_path, JOB, "job.cypher")
    both = library("kuzu", folder)
    assert set(both.entities) == {*library().entities, "job"}
    assert both is library("kuzu", folder)
    (folder / "article.cypher").write_text(JOB.replace("// key", "// pipeline: article\n// key"))
    with pytest.raises(QueryFileError, match="'article' has a file already"):
        load(Path(__file__).parents[2] / "queries", folder)


def test_every_pipeline_of_the_package_plays_every_role() -> None:
    for machine in library().machines.values():
        for state in machine.states:
            if state.claimed:
                assert all(machine.by_role(role, state.name) for role in NEEDED_WHILE_HELD)
    assert set(NEEDED_WHILE_HELD) <= set(ROLES)


def test_the_whole_contract_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "query-files.md").read_text(encoding="utf-8")
    everything = {**ROLES, **BLOCKS, **ORDERED, **UNORDERED, **SHARED_STORE}
    missing = [name for name, parameters in everything.items() if f"`{name}({', '.join(parameters)})`" not in page]
    assert not missing
    lines = {key for key in (*FILE_KEYS, *BLOCK_KEYS) if key not in ("seen", "processors", "criteria", "if", "unless")}
    assert not [key for key in lines if f"// {key}" not in page]
