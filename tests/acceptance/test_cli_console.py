"""The console: statements in, rows out, nothing written unless asked for."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from graphvine.errors import QueryError, QueryFileError
from graphvine.graph import Graph
from graphvine.queries.tokens import tokenise
from graphvine.records import QueryResult
from graphvine.workers.cli.console.formats import cell, print_json, print_table, shares
from graphvine.workers.cli.console.prompt import CypherCompleter, history_file
from graphvine.workers.cli.console.session import LONGEST, Session, from_lines, is_complete, split
from tests.acceptance.cli_support import run
from tests.support.stores import Place

ARTICLES = "MATCH (a:Article) RETURN a.title AS title, a.seq AS seq ORDER BY a.seq"


@pytest.fixture
def where(place: Place) -> str:
    with place.open() as graph:
        graph.seed("article", ["Vine", "Ivy; 'quoted'"])
    return place.where


def test_rows_go_out_and_the_count_goes_to_standard_error(where: str) -> None:
    said = run("console", "--graph", where, "-c", ARTICLES)
    assert "Vine" in said.out
    assert said.err.startswith("2 rows, ")
    assert "rows" not in said.out


def test_json_and_csv(where: str) -> None:
    said = run("console", "--graph", where, "--json", "-c", ARTICLES)
    assert said.json == [{"title": "Vine", "seq": 1}, {"title": "Ivy; 'quoted'", "seq": 2}]
    rows = list(csv.reader(io.StringIO(run("console", "--graph", where, "--csv", "-c", ARTICLES).out)))
    assert rows == [["title", "seq"], ["Vine", "1"], ["Ivy; 'quoted'", "2"]]
    nothing = "MATCH (a:Article {title: 'Moss'}) RETURN a.title"
    assert run("console", "--graph", where, "--json", "-c", nothing).json == []
    assert "choose one of" in run("console", "--graph", where, "--json", "--csv", status=2).err


def test_several_statements_from_options_and_from_standard_input(where: str) -> None:
    said = run("console", "--graph", where, "--json", "-c", "RETURN 1 AS a; RETURN ';' AS b", "-c", "RETURN 3 AS c;")
    assert [json.loads(line) for line in said.out.splitlines()] == [[{"a": 1}], [{"b": ";"}], [{"c": 3}]]
    script = "// a comment; with a mark\nRETURN\n  1 AS a;\n:format csv\nRETURN 2 AS b\n"
    assert run("console", "--graph", where, "--json", stdin=script).out == '[{"a": 1}]\nb\n2\n'


def test_parameters_are_json(where: str) -> None:
    query = "MATCH (a:Article) WHERE a.title IN $titles RETURN a.seq AS seq"
    said = run("console", "--graph", where, "--json", "--param", 'titles=["Vine"]', "-c", query)
    assert said.json == [{"seq": 1}]
    assert 'titles="Vine"' in run("console", "--graph", where, "--param", "titles=Vine", status=2).err
    assert "name=value" in run("console", "--graph", where, "--param", "titles", status=2).err


@pytest.mark.parametrize(
    "statement", ["MATCH (a:Article) DETACH DELETE a", "COPY Article FROM 'x.csv'", "RETURN 1; MATCH (a) DELETE a"]
)
def test_a_write_is_refused_without_the_option(where: str, statement: str) -> None:
    said = run("console", "--graph", where, "--json", "-c", statement, "-c", "RETURN 'not reached'", status=1)
    assert "--write" in said.err
    assert "not reached" not in said.out
    assert len(run("console", "--graph", where, "--json", "-c", ARTICLES).json) == 2


def test_with_the_option_words_change_and_numbers_follow(where: str) -> None:
    change = "MATCH (a:Article {title: 'Vine'}) SET a.expansion_state = 'failed' RETURN a.title AS title"
    assert run("console", "--graph", where, "--write", "--json", "-c", change).json == [{"title": "Vine"}]
    assert run("requeue", "--graph", where, "article", "Vine").out.startswith("1 row ")


def test_an_error_of_the_engine_is_told_and_ends_it(where: str) -> None:
    said = run("console", "--graph", where, "-c", "MATCH (a:Artikel) RETURN a", "-c", "RETURN 'not reached'", status=1)
    assert said.err.startswith("error: ")
    assert "Artikel" in said.err
    assert said.out == ""


def test_more_rows_than_allowed_are_told_of(where: str) -> None:
    said = run("console", "--graph", where, "--json", "--max-rows", "1", "-c", ARTICLES)
    assert len(said.json) == 1
    assert "there are more" in said.err


def test_the_console_understands_words_of_its_own(where: str) -> None:
    said = run("console", "--graph", where, stdin=":tables\n:schema Article\n:machine article\n:help\n:quit\nRETURN 1;")
    for text in ("LINKS_TO", "expansion_state", "claim_work", ":format table|vertical|csv|json|jsonl"):
        assert text in said.out
    assert "1 row" not in said.err
    for bad, hint in (
        (":tabels", ":tables"),
        (":schema Artcle", "Article"),
        (":format xml", "csv"),
        (":schema", "which"),
    ):
        assert hint in run("console", "--graph", where, "-c", bad, status=1).err
    listed = run("console", "--graph", where, "--json", stdin=":param t=[1]\n:param\nRETURN $t AS t;").out
    assert "$t" in listed
    assert listed.endswith('[{"t": [1]}]\n')


STATEMENTS = st.lists(
    st.sampled_from(["RETURN 1", "RETURN ';'", 'RETURN "a;\'b"', "MATCH (a)\nRETURN a.`x;y`", "RETURN /* ; */ 2"]),
    min_size=1,
)


@given(STATEMENTS, st.booleans())
def test_statements_come_apart_where_they_were_joined(statements: list[str], last_is_ended: bool) -> None:
    text = ";\n".join(statements) + (";" if last_is_ended else "")
    assert list(from_lines(text.splitlines(keepends=True))) == statements
    found, rest = split(text)
    assert ([*found, rest] if rest else found) == statements
    assert is_complete(text) == last_is_ended


@given(st.text(alphabet="ab;'\"`/*\n\\ :", max_size=40))
def test_wild_text_is_split_without_loss(text: str) -> None:
    found, rest = split(text)
    try:
        expected = words(text)
    except QueryFileError:  # something is open still: it waits for the rest
        assert (found, rest) == ([], text)
    else:
        assert [word for part in (*found, rest) for word in words(part)] == expected


def words(text: str) -> list[str]:
    return [token.text for token in tokenise(text) if token.kind != "comment" and token.text != ";"]


def test_a_statement_that_never_ends_is_told_of() -> None:
    with pytest.raises(QueryError, match="quote missing"):
        list(from_lines("RETURN 'x\n" for _ in range(LONGEST)))


@pytest.mark.parametrize(
    ("text", "done"),
    [("", True), (":help", True), ("exit", True), ("RETURN 1", False), ("RETURN 1;", True), ("RETURN ';", False),
     ("RETURN 1; // done", True), ("RETURN 1; RETURN", False), (";", False), ("/* ;", False)],
)  # fmt: skip
def test_enter_ends_what_is_complete(text: str, done: bool) -> None:
    assert is_complete(text) is done


def offered(graph: Graph, text: str, *, write: bool = False) -> list[str]:
    session = Session(graph, write=write, parameters={"title": "Vine"})
    return [one.text for one in CypherCompleter(session).get_completions(Document(text), CompleteEvent())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mat", "MATCH"), ("MATCH (a:Art", "Article"), ("MATCH ()-[l:LINK", "LINKS_TO"), (":sch", "schema"),
        ("MATCH (a:Article) WHERE a.expansion_s", "expansion_state"), ("RETURN $ti", "title"), (":format j", "json"),
        (":schema Arti", "Article"), (":machine art", "article"), ("MATCH (vine:Article) RETURN vi", "vine"),
    ],
)  # fmt: skip
def test_completion_offers_what_fits(graph: Graph, text: str, expected: str) -> None:
    assert expected in offered(graph, text)


def test_completion_offers_nothing_that_does_not_fit(graph: Graph) -> None:
    assert "LINKS_TO" not in offered(graph, "MATCH (a:")
    assert "Article" not in offered(graph, "MATCH ()-[l:")
    assert "paused" not in offered(graph, "MATCH (a:Article) WHERE a.")
    assert "paused" in offered(graph, "MATCH (a) WHERE a.")
    assert "MERGE" not in offered(graph, "mer")
    assert "MERGE" in offered(graph, "mer", write=True)


def test_nodes_relationships_and_paths_are_drawn() -> None:
    a = {"_id": {"offset": 0, "table": 1}, "_label": "Article", "title": 'V"ine', "seq": None}
    b = {"_id": {"offset": 1, "table": 1}, "_label": "Article", "title": "Ivy"}
    link = {"_src": b["_id"], "_dst": a["_id"], "_label": "LINKS_TO", "_id": {"offset": 0, "table": 2}}
    assert cell(a) == '(:Article {title: "V\\"ine"})'
    assert cell({"_nodes": [a, b], "_rels": [link]}) == f'{cell(a)}<-[:LINKS_TO]-(:Article {{title: "Ivy"}})'
    assert cell([None, True, {"x": 1.5}]) == "[NULL, true, {x: 1.5}]"
    assert cell(datetime(2025, 6, 1, tzinfo=UTC)) == "2025-06-01 00:00:00+00:00"


def test_what_json_has_no_word_for_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(QueryResult(["a", "b"], [[float("nan"), float("inf")], [b"\x01", {1}]]))
    assert json.loads(capsys.readouterr().out) == [{"a": None, "b": None}, {"a": "01", "b": [1]}]


def test_a_cell_can_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(QueryResult(["[b]x"], [["a\x1b[2Jb\nc" + "x" * 1000]]))
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert r"a\x1b[2Jb c" in shown
    assert "[b]x" in shown
    assert "…" in shown


@given(st.lists(st.integers(1, 500), min_size=1, max_size=12), st.integers(20, 300))
def test_no_column_pays_for_another(wanted: list[int], available: int) -> None:
    given_ = shares(wanted, available)
    assert sum(given_) <= max(available, len(wanted))
    fair = available // len(wanted)
    assert all(got == want for got, want in zip(given_, wanted, strict=True) if want <= fair)


def test_the_history_has_its_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_file() == tmp_path / "graphvine" / "history"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert history_file() == Path.home() / ".local" / "state" / "graphvine" / "history"
