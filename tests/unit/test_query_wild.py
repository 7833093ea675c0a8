"""Any text at all ends in a library or in one error with its place, and soon."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphvine.queries import Library, QueryFileError
from graphvine.queries.assemble import assemble
from graphvine.queries.parse import parse
from graphvine.queries.proof import prove
from graphvine.queries.tokens import tokenise, writes
from tests.support.work import calls_made
from tests.unit.small_machine import TASKS

LINES = """\
// name: a
// name: b(x, y)
// move: a -> b
// move: -> a
// machine: A.s
// key: k
// states: a* b!
// guard
// ready
// held: x
// number: x.seq
// transition: t
// beyond: w
// beyond a: w
// beyond a -> b: w
// == x ==
// Why.
MATCH (a:A {s: 'a'})
WHERE a.s = 'a'
WHERE NOT (a.s IN ['b'])
SET a.s = 'b',
SET a.s = CASE WHEN 1 THEN 'b' ELSE 'a' END
SET a = $x
SET a += {s: 'b'}
CREATE (:A {s: 'a'})
UNWIND $x AS r
MERGE (a:A {k: r.k})
ON CREATE SET
RETURN a.seq AS seq
REMOVE a.s
""".splitlines()
MARKS = (
    *(";", "SET", "CASE", "END", "THEN", "ELSE", "IN", "NOT", "AS", "{", "}", "(", ")", "[", "]", ",", ".", "="),
    *(":", "->", "'", '"', "`", "/*", "*/", "//", "$", "$x", "$y", "$token", "a", "s", "\\", "'w'", "|"),
)
PIECES = st.sampled_from([*LINES, *MARKS, "\n", " ", "\t", "\u2028"])
REPEATED = (
    "(", "({a:", "'", "\\'", "`", "/*", "//", "// name: a\n", "CASE ", "a.s = CASE WHEN ", "SET a.s = ", "a.s IN [",
    ",", "$a ", "NOT (", ";", "// a:", "// a b:", "// move: a", " -> a", "\n", "WITH r AS r ",
)  # fmt: skip
OPENED = """\
// machine: A.s
// key: k
// states: a*!
// name: a
// Why.
MATCH (a) WHERE a.s = 1 SET a.s = """
TEXTS = st.one_of(
    st.text(),
    st.lists(PIECES).map("\n".join),
    st.lists(PIECES).map(" ".join),
    st.tuples(st.integers(0, len(TASKS)), st.integers(0, 40), st.lists(PIECES, max_size=3).map(" ".join)).map(
        lambda cut: TASKS[: cut[0]] + cut[2] + TASKS[cut[0] + cut[1] :]
    ),
)


def outcome(text: str) -> Library | QueryFileError:
    try:
        library = Library("kuzu", {"task": assemble(parse(text, "task.cypher", "task"))})
        prove(library)
        return library
    except QueryFileError as error:
        return error


@given(TEXTS)
@example("// name: a\n// Why.\nSET a.")
@example("// machine: A.s\n// key: k\n// states: a*!\n// name: a\n// Why.\nSET a.s =;")
@example("// machine: A.s\n// key: k\n// states: a*!\n// name: a\n// Why.\nMATCH ({s:}) WHERE a.s IN [ SET ];")
def test_any_text_is_a_library_or_a_query_file_error(text: str) -> None:
    end = outcome(text)
    if isinstance(end, QueryFileError):
        assert 1 <= end.line <= text.count("\n") + 1
        assert len(end.message) < 600
    else:
        assert end.entities["task"].name


@pytest.mark.parametrize("part", REPEATED)
@pytest.mark.parametrize("lead", ["", OPENED], ids=["anywhere", "in a statement"])
def test_a_file_four_times_as_long_is_four_times_the_work_whatever_it_repeats(lead: str, part: str) -> None:
    short, long = (calls_made(outcome, lead + part * (size // len(part))) for size in (5_000, 20_000))
    assert long < 4.5 * short


@given(st.text())
def test_tokens_and_the_space_between_them_are_the_text(text: str) -> None:
    try:
        tokens = tokenise(text)
    except QueryFileError:
        return
    at = 0
    for token in tokens:
        assert text[at : token.start].strip() == ""
        assert text[token.start : token.end] == token.text
        assert token.line == text.count("\n", 0, token.start) + 1
        at = token.end
    assert text[at:].strip() == ""


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("MATCH (a) SET a.x = 1", True),
        ("match (a) detach delete a", True),
        ("MATCH (a) REMOVE a.x", True),
        ("MERGE (a:B)", True),
        ("COPY A FROM $rows", True),
        ("DROP TABLE A", True),
        ("ALTER TABLE A ADD b INT64", True),
        ("MATCH (a:Set)-[:CREATE]->(b {merge: 1}) WHERE a.delete = 1 RETURN a.set AS set", False),
        ("MATCH (a) WHERE a.b = 'SET' AND a.`DELETE` = $set RETURN a", False),
    ],
)
def test_a_write_is_told_from_its_look_alikes(text: str, does: bool) -> None:
    assert writes(tokenise(text)) is does
