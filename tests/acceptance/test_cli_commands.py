"""The commands on a graph, one after another: what they print, what they change, what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graphvine.workers.cli.status_output import Sample, rates_between
from tests.acceptance.cli_support import WILD, plant, run
from tests.support.small_pipeline import JOB
from tests.support.stores import Place, make_template


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = make_template("kuzu", tmp_path_factory.mktemp("planted") / "store")
    plant(place)
    return place


@pytest.fixture
def garden(planted: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A graph with something in it, for this test alone; nothing else is in the current folder."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return planted.copy_to(tmp_path / "store").where


def states(garden: str) -> dict[str, str]:
    said = run(
        "--graph", garden, "console", "--json", "-c", "MATCH (a:Article) RETURN a.title AS t, a.expansion_state AS s"
    )
    return {row["t"]: row["s"] for row in said.json}


def test_status_counts_every_state(garden: str) -> None:
    said = run("status", "--graph", garden, "--json")
    assert said.err == ""
    [article] = [one for one in said.json["pipelines"] if one["pipeline"] == "article"]
    assert article["states"] == {
        "discovered": 2, "claimed": 0, "loaded": 0, "processed": 1, "failed": 2, "skipped": 0, "excluded": 0,
    }  # fmt: skip
    assert (article["ready"], article["backing_off"], article["failed"], article["total"]) == (1, 1, 2, 5)
    assert article["progress_percent"] == 20
    shown = run("status", "--graph", garden).out
    for text in ("article", "discovered 2", "processed 1", "failed 2", "20.0 %"):
        assert text in shown


def test_watching_prints_samples_with_rates(garden: str) -> None:
    command = ("status", "--graph", garden, "--watch", "--every", "0.1", "--samples", "2")
    first, second = [json.loads(line) for line in run(*command, "--json").out.splitlines()]
    assert first["rates"] == {}
    assert second["rates"]["article"]["processed"] == 0
    assert run(*command).out.count("discovered 2") == 2
    assert "--watch" in run("status", "--graph", garden, "--samples", "2", status=2).err


def test_rates_are_rows_a_second(garden: str) -> None:
    import graphvine

    with graphvine.open(garden) as graph:
        before = Sample(10.0, graph.status())
        graph.seed("article", [f"Weed {number}" for number in range(6)])
        after = Sample(12.0, graph.status())
    assert rates_between(before, after)["article"]["discovered"] == 3
    assert rates_between(None, after) == {}
    assert rates_between(after, after) == {}


def test_failed_tells_why(garden: str) -> None:
    said = run("failed", "article", "--graph", garden, "--json")
    by_key = {row["key"]: row for row in said.json["failed"]}
    assert set(by_key) == {"Ivy", WILD}
    assert by_key["Ivy"]["reason"] == "no leaves at all"
    assert by_key["Ivy"]["failures"][0]["trace"].endswith("ValueError: no leaves")
    assert "no leaves at all" in run("failed", "--graph", garden).out
    assert "ValueError: no leaves" in run("failed", "--graph", garden, "--trace").out
    found = run("failed", "--graph", garden, "--contains", "no leaves").out
    assert "Ivy" in found
    assert "Wild" not in found
    assert "nothing failed" in run("failed", "--graph", garden, "--contains", "mildew").out
    few = run("failed", "--graph", garden, "--limit", "1", "--json")
    assert len(few.json["failed"]) == 1
    assert "--limit" in few.err


@pytest.mark.parametrize("option", ["--limit=50", "--trace"])
def test_what_is_in_the_graph_can_not_steer_the_terminal(garden: str, option: str) -> None:
    shown = run("failed", "--graph", garden, option).out
    assert "\x1b" not in shown
    assert r"[red]Wild\x1b[31m vine[/red]" in shown
    assert r"too [bold]wild[/bold]\x1b[2J" in shown


def test_requeue_by_key_by_part_and_all(garden: str) -> None:
    said = run("requeue", "--graph", garden, "article", "Ivy", "Vine")
    assert "1 row of article back in the queue" in said.out
    assert "1 row was left alone" in said.err
    assert states(garden)["Ivy"] == "discovered"
    assert states(garden)[WILD] == "failed"
    assert "1 row " in run("requeue", "--graph", garden, "article", "--contains", "too [bold]").out
    assert "0 rows " in run("requeue", "--graph", garden, "article", "--all").out
    assert set(states(garden).values()) == {"discovered", "processed"}


@pytest.mark.parametrize("given", [[], ["Ivy", "--all"], ["--all", "--contains", "x"], ["Ivy", "--contains", "x"]])
def test_requeue_wants_to_know_which(garden: str, given: list[str]) -> None:
    assert "say which rows" in run("requeue", "--graph", garden, "article", *given, status=2).err


def test_exclude_takes_out_what_waits_or_failed(garden: str) -> None:
    said = run("exclude", "--graph", garden, "article", "Fern", "Ivy", "Vine")
    assert "2 rows of article excluded" in said.out
    assert "1 row was left alone" in said.err
    assert states(garden)["Fern"] == states(garden)["Ivy"] == "excluded"
    said = run("exclude", "--graph", garden, "article", "Lichen", status=1)
    assert said.err == "error: not in the graph: 'Lichen'\n"


def test_pause_holds_until_resume(garden: str) -> None:
    run("pause", "--graph", garden, "article", "--reason", "[frost]\x1b[0m")
    article = run("status", "--graph", garden, "--json").json["pipelines"][0]
    assert article["pipeline"] == "article"
    assert (article["paused"], article["paused_reason"]) == (True, "[frost]\x1b[0m")
    assert r"yes: [frost]\x1b[0m" in run("status", "--graph", garden).out
    run("resume", "--graph", garden, "article")
    assert not run("status", "--graph", garden, "--json").json["pipelines"][0]["paused"]


def test_seed_takes_keys_a_file_or_standard_input(garden: str, tmp_path: Path) -> None:
    assert "1 row of article new, 1 known already" in run("seed", "--graph", garden, "article", "Oak", "Vine").out
    titles = tmp_path / "titles.txt"
    titles.write_text("\ufeffElm\n\n  Ash  \nOak\n", "utf-8")
    assert "2 rows of article new, 1 known" in run("seed", "--graph", garden, "article", "--from", str(titles)).out
    assert "1 row of article new" in run("seed", "--graph", garden, "article", "--from", "-", stdin="Bœuf\n").out
    assert {"Elm", "Ash", "Oak", "Bœuf"} <= set(states(garden))


def test_a_bad_line_is_named(garden: str, tmp_path: Path) -> None:
    titles = tmp_path / "titles.txt"
    titles.write_bytes(b"Elm\nB\xffuf\n")
    assert "line 2: not UTF-8" in run("seed", "--graph", garden, "article", "--from", str(titles), status=1).err
    titles.write_bytes(b"Elm\n" + b"x" * 20_000)
    assert "line 2: longer than" in run("seed", "--graph", garden, "article", "--from", str(titles), status=1).err
    assert "say what to add" in run("seed", "--graph", garden, "article", status=2).err


def test_the_machine_is_printed_in_three_ways(garden: str) -> None:
    assert "article" in run("machine").out
    assert "article" in {one["entity"] for one in run("machine", "--format", "json").json["machines"]}
    table = run("machine", "article").out
    assert "Article.expansion_state" in table
    assert "claim_work" in table
    assert run("machine", "article", "--format", "mermaid").out.startswith("stateDiagram-v2\n")
    assert run("machine", "article", "--format", "json").json["states"][0]["name"] == "discovered"
    assert "did you mean 'article'" in run("machine", "artcle", status=2).err
    assert "name it" in run("machine", "--format", "mermaid", status=2).err


def test_the_statements_of_a_pipeline_are_printed_as_they_run() -> None:
    whole = run("machine", "hn_item", "--statements").out
    assert "// hn_item.take_in(" in whole and "// queries/claimable.cypher:" in whole and "@" not in whole
    one = run("machine", "article", "--statements", "--block", "claim").out
    assert "a.seq >= $seqs_first" in one and "row numbers without a gap" in one
    locked = run("machine", "article", "--block", "claim", "--dialect", "neo4j", "--format", "json").json["statements"]
    assert [found["block"] for found in locked] == ["article.claim"] and "SET a.lock = 0" in locked[0]["text"]
    assert "did you mean 'article.claim'" in run("machine", "article", "--block", "clam", status=1).err
    assert "name it" in run("machine", "--statements", status=2).err


def test_query_files_are_proved(tmp_path: Path) -> None:
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "job.cypher").write_text(JOB)
    assert "hold, for Kuzu and for Neo4j" in run("lint", str(tmp_path)).out
    text = JOB.replace("// by: seq\n// It failed.", "// It failed.")
    (tmp_path / "queries" / "job.cypher").write_text(text)
    said = run("lint", str(tmp_path), status=1).out
    line = text[: text.index("// name: fail(")].count("\n") + 1
    assert f"queries/job.cypher:{line}: block 'fail' checks one row by its number: say `// by: seq`" in said
    (tmp_path / "queries" / "job.cypher").write_text(JOB.replace("SET a.state = 'done'", "SET a.state = 'failed'"))
    faults = run("lint", str(tmp_path / "queries"), "--json", status=1).json["faults"]
    assert "sets state to 'failed', but its moves end in: done" in faults[0]["message"]


def test_backup_and_restore(garden: str, tmp_path: Path) -> None:
    monday, copy = str(tmp_path / "monday"), str(tmp_path / "copy.kuzu")
    assert "monday" in run("backup", "--graph", garden, monday).out
    assert "there already" in run("backup", "--graph", garden, monday, status=1).err
    run("--graph", copy, "restore", monday)
    assert states(copy) == states(garden)
    run("seed", "--graph", copy, "article", "Oak")
    assert "--force" in run("--graph", copy, "restore", monday, status=1).err
    run("--graph", copy, "restore", monday, "--force")
    assert states(copy) == states(garden)


def test_the_doctor_finds_a_state_that_is_none(garden: str) -> None:
    assert run("doctor", "--graph", garden, "--json").json["ok"] is True
    assert "ok" in run("doctor", "--graph", garden).out
    sick = "MATCH (a:Article {title: 'Fern'}) SET a.expansion_state = 'wilted'"
    run("console", "--graph", garden, "--write", "-c", sick)
    said = run("doctor", "--graph", garden, "--json", status=1)
    assert [one["check"] for one in said.json["findings"] if not one["ok"]] == ["states article"]
    assert "FAILED" in run("doctor", "--graph", garden, status=1).out


def test_config_says_where_a_value_comes_from(garden: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("graphvine.toml").write_text("batch_size = 7\nmax_retries = 4\n")
    monkeypatch.setenv("GRAPHVINE_MAX_RETRIES", "9")
    monkeypatch.setenv("GRAPHVINE_GRAHP", "x")
    said = run("config", "--graph", garden, "--json")
    by_name = {row["name"]: (row["value"], row["source"]) for row in said.json["settings"]}
    assert by_name["graph"] == (garden, "--graph")
    assert by_name["batch_size"] == (7, "graphvine.toml")
    assert by_name["max_retries"] == (9, "GRAPHVINE_MAX_RETRIES")
    assert by_name["timeout_seconds"] == (300, "default")
    assert all(row["help"] for row in said.json["settings"])
    assert "did you mean 'GRAPHVINE_GRAPH'" in said.err
    assert "GRAPHVINE_MAX_RETRIES" in run("config").out


def test_a_setting_without_meaning_is_one_sentence(garden: str) -> None:
    Path("graphvine.toml").write_text("batch_sise = 7\n")
    said = run("status", "--graph", garden, status=2)
    assert said.err.startswith("error: graphvine.toml: there is no setting 'batch_sise', did you mean 'batch_size'?")


READING = [
    ["status"], ["failed"], ["requeue", "article", "--all"], ["exclude", "article", "Ivy"], ["pause", "article"],
    ["resume", "article"], ["backup", "monday"], ["doctor"], ["console", "-c", "RETURN 1"],
]  # fmt: skip


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_a_command_that_makes_nothing_makes_no_graph(command: list[str], garden: str) -> None:
    said = run(*command, status=1)
    assert said.err.startswith("error: there is no graph at graphvine.kuzu: ")
    assert list(Path().iterdir()) == []


def test_a_wrong_name_makes_no_graph(garden: str) -> None:
    assert "no pipeline 'artcle'" in run("seed", "artcle", "Vine", status=2).err
    assert "no pipeline 'artcle'" in run("work", "artcle", status=2).err
    assert "No such file" in run("seed", "article", "--from", "nowhere.txt", status=1).err
    assert list(Path().iterdir()) == []


def test_the_demo_grows_the_sample_searches_it_and_goes_on(garden: str) -> None:
    first = run("demo").out
    assert "growing from 'Vine'" in first
    assert "processed 78" in first and "skipped 3" in first
    assert "searching for 'how do vines climb'" in first
    assert " 1. Vine" in first
    second = run("demo").out
    assert "continuing" in second and "nothing to claim" in second
    assert Path("demo.kuzu").exists()
    assert run("failed", "--graph", "demo.kuzu", "--json").json["failed"] == []
    skipped = run("failed", "--skipped", "--graph", "demo.kuzu", "--json").json["skipped"]
    assert {row["key"] for row in skipped} == {"Arbor", "Creeper", "Ivy (disambiguation)"}


def test_the_map_is_a_picture_with_names_in_it(garden: str) -> None:
    run("--graph", "small.kuzu", "grow", "Vine", "--source", "sample", "--depth", "1")
    refused = run("--graph", "small.kuzu", "map", "-o", "x.svg", "--around", "No", status=1)
    assert "there is no article 'No'" in refused.err and not Path("x.svg").exists()
    said = run("--graph", "small.kuzu", "map", "--output", "vine.svg", "--around", "Vine", "--limit", "20")
    assert said.out.startswith("vine.svg: 20 articles, ")
    root = ElementTree.fromstring(Path("vine.svg").read_text())
    texts = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Around Vine" in texts and "Tendril" in texts and "depth 1" in texts
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) > 20
    assert run("--graph", "small.kuzu", "map", "-o", "-").out.startswith("<svg")
