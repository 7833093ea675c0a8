"""What is wrong with the form of a query file is told in one sentence, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.queries import QueryFileError, load
from graphvine.queries.read import MAX_BYTES
from tests.unit.small_machine import TASKS, changed, line_of, loaded, refusal, write

# What is changed into what, where the error points, what it says.
REFUSED = {
    "unknown key of the file": ("// key: id", "// kee: id", "// kee", "unknown key 'kee', did you mean 'key'?"),
    "unknown key of a block": ("// move: -> w", "// mvoe: -> w", "// mvoe", "unknown key 'mvoe', did you mean 'move'?"),
    "unknown key, nothing near": ("// The tasks", "// xyzzy: a", "// xyzzy", "opens with a capital letter"),
    "unknown flag": ("// guard", "// gaurd", "// gaurd", "`// gaurd` means nothing here, did you mean 'guard'?"),
    "capital key": ("// move: -> w", "// Move: -> w", "// Move", "write `// move` in small letters"),
    "misspelt beyond": ("// beyond broken:", "// beyong broken:", "// beyong", "did you mean 'beyond'?"),
    "flag with a value": ("// guard", "// guard: yes", "// guard: yes", "`// guard` stands alone, without a value"),
    "key without a value": ("// role: claim", "// role:", "// role:", "`// role:` has no value"),
    "key said twice": ("// role: claim", "// role: claim\n// role: b", "// role: b", "'take' says `// role:` twice"),
    "header said twice": ("// key: id", "// key: id\n// key: b", "// key: b", "is there twice, first on line 4"),
    "reason said twice": (
        "\n// == Arr", "// beyond broken: more.\n// == Arr", "// beyond broken: more", "is there twice",
    ),
    "beyond without a state": ("// document: t", "// beyond: t", "// beyond: t", "names a state"),
    "seen without in": ("// document: t", "// seen: t", "// seen: t", "did you mean 'seen in'?"),
    "key inside a statement": (
        "WHERE t.lease IN $tokens", "// held: at\nWHERE t.lease IN $tokens", "// held: at",
        "`// held` stands outside a block's head: put it between `// name:` and the statement",
    ),
    "key after a statement": ("// ---- work ----", "// guard", "// guard", "`// guard` stands outside a block's head"),
    "text in the header": ("// == Arrival", "MATCH (a) RETURN a;\n// ==", "MATCH (a) RET", "'MATCH' stands outside"),
    "text after a section line": (
        "// ---- work ----", "// == Work ==\nMATCH (a) RETURN a;", "MATCH (a) RET",
        "'MATCH' stands outside a block: put `// name:` above it",
    ),
    "two blocks of one name": (
        "// name: beat(", "// name: take(", "// name: take(tok",
        "block 'take' is there already, on line 26: rename one of the two",
    ),
    "no name": ("// name: beat(tokens, at)", "// name: (tokens)", "// name: (tok", "names no block"),
    "parameters never closed": ("// name: beat(tokens, at)", "// name: beat(tokens", "// name: beat", "names no block"),
    "not a parameter": ("beat(tokens, at)", "beat(tokens, 1st)", "// name: beat", "declares '1st', which is no param"),
    "parameter twice": ("beat(tokens, at)", "beat(tokens, at, at)", "// name: beat", "block 'beat' declares $at twice"),
    "no statement": (
        "MATCH (t:Task)\nRETURN t.state AS state, count(*) AS count;", "", "// name: counts",
        "block 'counts' has no statement",
    ),
    "only a semicolon": (
        "MATCH (t:Task)\nRETURN t.state AS state, count(*) AS count;", ";", "// name: counts",
        "block 'counts' has no statement",
    ),
    "no semicolon at the end": (
        "AS count;", "AS count", "RETURN t.state AS state", "block 'counts' does not end in `;`",
    ),
    "no semicolon before the next block": (
        "SET t.claimed_at = $at\nRETURN t.seq AS seq;", "SET t.claimed_at = $at\nRETURN t.seq AS seq // ;\n",
        "RETURN t.seq AS seq // ;", "block 'beat' does not end in `;`",
    ),
    "no semicolon before a section line": (
        "RETURN t.seq AS seq;\n\n// ---- work ----", "RETURN t.seq AS seq\n\n// == Work ==", "RETURN t.seq AS seq\n",
        "block 'plant' does not end in `;`",
    ),
    "two statements": (
        "AS count;", "AS count;\nMATCH (b) RETURN b;", "MATCH (b)",
        "block 'counts' holds more than one statement: give the second a `// name:` of its own",
    ),
    "no purpose": ("// How many there are.\n", "", "// name: counts", "block 'counts' does not say its purpose"),
    "a ruler is no purpose": ("// How many there are.\n", "// ----\n", "// name: counts", "does not say its purpose"),
    "string never closed": ("= 'done'", '= "done', 't.state = "done', "a string opens here and is never closed"),
    "backtick never closed": ("SET t.state = 'done'", "SET t.`state = 'done'", "SET t.`state", "a name in backticks"),
    "comment never closed": ("SET t.state = 'done'", "/* SET t.state = 'done'", "/* SET", "a comment opens here"),
    "bracket never closed": ("count(*)", "count(*", "count(*", "`(` is never closed"),
    "bracket never opened": ("count(*)", "count *)", "count *)", "`)` closes nothing that is open"),
    "bracket of another kind": ("count(*)", "count(*]", "count(*]", "`]` closes nothing that is open"),
    "brackets too deep": ("count(*)", "(" * 60 + ")" * 60, "((((", "brackets go more than 50 deep here"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "marker", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_a_broken_file_is_refused(tmp_path: Path, old: str, new: str, marker: str, sentence: str) -> None:
    text = changed(old, new)
    error = refusal(tmp_path, text)
    assert sentence in error.message
    assert (error.file, error.line) == ("queries/task.cypher", line_of(text, marker))
    assert str(error) == f"queries/task.cypher:{error.line}: {error.message}"
    assert "\n" not in str(error)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "task.cypher").write_bytes(b"// a\n// \xff\n")
    with pytest.raises(QueryFileError, match=r"queries/task.cypher:2: the file is not UTF-8 text"):
        load(folder)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryFileError, match="larger than 1,000,000 bytes"):
        load(write(tmp_path, "//" + " " * MAX_BYTES))


def test_two_files_of_one_pipeline_are_refused(tmp_path: Path) -> None:
    write(tmp_path, TASKS, "other.cypher")
    with pytest.raises(QueryFileError, match=r"'task' has a file already: queries/other.cypher"):
        loaded(tmp_path)
