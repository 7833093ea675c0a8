"""What the documentation promises to newcomers, by the installed command: pictures, refusals, sources, exit codes."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graphvine.workers import wikipedia
from graphvine.workers.search.commands import piece
from tests.acceptance.cli_support import process, run, terminal

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of the sample wiki, found by words alone."""
    folder = tmp_path_factory.mktemp("grown")
    process("grow", "Vine", "--source", "sample", "--depth", "1", "--embed", "never", "--graph", "g.kuzu", cwd=folder)
    return folder / "g.kuzu"


def test_a_map_is_written_as_its_name_says(grown: Path, tmp_path: Path) -> None:
    for ending in ("svg", "html", "png"):
        said = process("--graph", str(grown), "map", "-o", f"vine.{ending}", "--around", "Vine", cwd=tmp_path).out
        assert said.startswith(f"vine.{ending}: ") and "articles" in said
    page = (tmp_path / "vine.html").read_text("utf-8")
    assert page.startswith("<!doctype html>") and "<svg" in page and "wheel" in page and "https://" not in page
    assert (tmp_path / "vine.png").read_bytes().startswith(b"\x89PNG\r\n")
    told = process("--graph", str(grown), "map", "-o", "vine.jpg", "--around", "Vine", cwd=tmp_path, status=2).err
    assert ".svg, .html, .png" in told and not (tmp_path / "vine.jpg").exists()
    for option, name in (("--png", "map.png"), ("--html", "map.html")):
        process("--graph", str(grown), "map", option, cwd=tmp_path)
        assert (tmp_path / name).exists()
    assert "choose one" in process("--graph", str(grown), "map", "--png", "--html", cwd=tmp_path, status=2).err
    assert "say where to" in process("--graph", str(grown), "map", cwd=tmp_path, status=2).err


def test_a_map_shows_in_renderers_that_know_no_variables(grown: Path, tmp_path: Path) -> None:
    run("--graph", str(grown), "map", "-o", str(tmp_path / "v.svg"), "--around", "Vine")
    drawing = ElementTree.parse(tmp_path / "v.svg")
    for kind in ("circle", "text", "rect", "path"):
        found = list(drawing.iter(f"{SVG}{kind}"))
        assert found and all("fill" in one.attrib and "var(" not in one.attrib["fill"] for one in found), kind
    assert "@supports" in (drawing.find(f"{SVG}style").text or "")  # type: ignore[union-attr]


def test_a_file_that_is_no_graph_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for command in (["status"], ["grow", "Vine", "--source", "sample"], ["serve", "--port", "0"]):
        assert "notes.txt is no graph" in process("--graph", "notes.txt", *command, cwd=tmp_path, status=1).err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_unknown_scheme_is_no_path(tmp_path: Path) -> None:
    told = process("--graph", "ftp://example.org/g", "status", cwd=tmp_path, status=2).err
    assert "ftp:// leads to no graph" in told and "neo4j://HOST" in told
    assert list(tmp_path.iterdir()) == []


def test_values_that_can_not_be_are_refused_with_those_that_can(grown: Path, tmp_path: Path) -> None:
    for command, known in (
        (["search", " "], "it is empty"), (["hn", "search", "vine", "--type", "foo"], "comment"),
        (["news", "list", "--sentiment", "angry"], "positive"), (["grow", "Vine", "--embed", "none"], "never"),
    ):  # fmt: skip
        assert known in process("--graph", str(grown), *command, cwd=tmp_path, status=2).err, command


def test_a_piece_of_a_text_is_cut_between_words_and_says_so() -> None:
    assert piece("It climbs.") == "It climbs."
    assert piece("of all; it climbs\nby roots") == "… of all; it climbs by roots"
    assert piece("A vine that climbs over walls", 12) == "A vine that …"
    assert len(piece("x" * 500)) < 170


def test_the_graph_remembers_its_source(grown: Path, tmp_path: Path) -> None:
    said = process(
        "--graph", str(grown), "grow", "Tree", "--depth", "2", "--limit", "3", "--embed", "never", cwd=tmp_path
    )
    assert "done" in said.out
    told = process(
        "--graph", str(grown), "grow", "Oak", "--source", "wiki", cwd=tmp_path, status=1,
        GRAPHVINE_WIKIPEDIA_CONTACT="ada@example.org",
    ).err  # fmt: skip
    assert "sample" in told and "--other-source" in told


def test_workers_and_refresh_ask_the_source_that_the_graph_came_from(grown: Path, tmp_path: Path) -> None:
    process("--graph", str(grown), "seed", "article", "Wisteria", cwd=tmp_path)
    worked = process("--graph", str(grown), "work", "article", "--until-empty", "--json", cwd=tmp_path).json
    assert worked["counts"]["done"] > 0 and worked["counts"]["failed"] == 0
    refreshed = process("--graph", str(grown), "refresh", "--json", cwd=tmp_path).json
    assert refreshed["checked"] > 27 and refreshed["changed"] == 0


def test_nothing_to_do_has_a_status_of_its_own(grown: Path, tmp_path: Path) -> None:
    process("--graph", str(grown), "news", "retry", "--all", cwd=tmp_path, status=3)


SAMPLE = Path(wikipedia.__file__).parent / "sample" / "garden.xml"
WRITTEN = {"xml": bytes, "xml.gz": gzip.compress, "xml.bz2": bz2.compress}


@pytest.mark.parametrize("ending", WRITTEN)
def test_a_cut_dump_is_not_taken_as_whole_and_a_whole_one_goes_on(tmp_path: Path, ending: str) -> None:
    dump, whole = tmp_path / f"wiki.{ending}", WRITTEN[ending](SAMPLE.read_bytes())
    # bzip2 has one block here: the first page comes after the whole of it, or not at all.
    dump.write_bytes(whole[: len(whole) // 2])
    grow = ("grow", "Vine", "--source", dump.name, "--depth", "1", "--embed", "never", "--graph", "g.kuzu")
    said = process(*grow, cwd=tmp_path, status=1)
    assert "ends too early" in said.err and "page" in said.err
    if ending != "xml.bz2":
        assert "wait for what is missing" in said.err
        assert process("failed", "--json", "--graph", "g.kuzu", cwd=tmp_path).json["failed"] == []
    dump.write_bytes(whole)
    assert process(*grow, "--json", cwd=tmp_path).json["states"]["processed"] == 27


def test_a_source_that_is_not_there_makes_no_graph(tmp_path: Path) -> None:
    for source in ("nowhere.xml", "ftp://example.org/dump.xml"):
        assert "is not there" in process("grow", "Vine", "--source", source, cwd=tmp_path, status=2).err
    assert list(tmp_path.iterdir()) == []


def test_an_export_goes_by_an_ending_that_is_known(grown: Path, tmp_path: Path) -> None:
    said = process("--graph", str(grown), "export", "graph.xml", cwd=tmp_path, status=2).err
    assert ".graphml, .gexf" in said and list(tmp_path.iterdir()) == []
    for target in ("g.graphml", "g.gexf", "g.jsonl", "everything"):
        process("--graph", str(grown), "export", target, cwd=tmp_path)
    process("--graph", str(grown), "export", "tables", "--format", "csv", cwd=tmp_path)
    assert (tmp_path / "everything" / "export.json").exists() and any((tmp_path / "tables").glob("*.csv"))


def test_the_shape_of_a_graph_is_plotted_in_the_terminal_and_as_svg(grown: Path, tmp_path: Path) -> None:
    said = process("--graph", str(grown), "stats", "-o", "stats.svg", cwd=tmp_path, COLUMNS="60").out
    assert "articles by depth" in said and "█" in said and max(map(len, said.splitlines())) <= 60
    assert len(list(ElementTree.parse(tmp_path / "stats.svg").iter(f"{SVG}rect"))) > 5


def test_wrong_items_of_an_upload_are_numbered_from_one_and_told_once(tmp_path: Path) -> None:
    good = json.dumps({"id": 1, "type": "story", "title": "a"})
    (tmp_path / "items.jsonl").write_text(f'{good}\n{{"id": 2, "type": "essay"}}\nnot json\n')
    said = process("upload", "items.jsonl", "--graph", "g.kuzu", cwd=tmp_path, status=1)
    id = process("uploads", "--graph", "g.kuzu", "--json", cwd=tmp_path).json["uploads"][0]["upload_id"]
    head, _, second, third = process(
        "upload", "show", id, "--errors", "--graph", "g.kuzu", cwd=tmp_path
    ).out.splitlines()
    assert head.split()[0] == "line" and second.split()[0] == "2" and third.split()[0] == "3"
    assert "not JSON: Expecting value at column 1" in third and "line 1" not in third
    assert (said.out + said.err).count("tells why") == 1


def test_the_console_says_what_is_missing_in_a_statement(grown: Path, tmp_path: Path) -> None:
    def refused(*options: str, stdin: str = "") -> str:
        return process("--graph", str(grown), "console", *options, cwd=tmp_path, status=1, stdin=stdin).err

    assert "$title has no value: give it by --param title=JSON" in refused("-c", "RETURN $title")
    told = refused("-c", "MATCH (a:Artcle) RETURN a")
    assert "did you mean 'Article'" in told and told.endswith("  MATCH (a:Artcle) RETURN a\n           ^\n")
    assert "line 3: " in refused(stdin="RETURN 1;\n\nMATCH (a:Article)\nRETURN a.titel;\n")
    process("--graph", str(grown), "console", "--vertical", "-o", "out.txt", "-c",
            "MATCH (:Article {title: 'Vine'})-[r:LINKS_TO]->(:Article {title: 'Tendril'}) RETURN r", cwd=tmp_path)  # fmt: skip
    assert (
        "(Vine)-[:LINKS_TO" in (tmp_path / "out.txt").read_text() and "(Tendril)" in (tmp_path / "out.txt").read_text()
    )


def test_a_wrong_name_is_wrong_use(grown: Path, tmp_path: Path) -> None:
    for command in (["pause", "artcle"], ["requeue", "artcle", "--all"], ["machine", "artcle"], ["work", "artcle"]):
        told = process("--graph", str(grown), *command, cwd=tmp_path, status=2).err
        assert "did you mean 'article'" in told, command


def test_nobody_is_shown_colours_who_wants_none(grown: Path, tmp_path: Path) -> None:
    status, shown = terminal("--graph", str(grown), "status", cwd=tmp_path, NO_COLOR="1")
    assert status == 0 and "article" in shown and "\x1b[3" not in shown


def test_the_commands_of_a_group_have_whole_sentences(tmp_path: Path) -> None:
    for group in ("hn", "news", "upload", "model", "token", "new"):
        lines = process(group, "--help", cwd=tmp_path, COLUMNS="80").out.partition("Commands:")[2].splitlines()
        assert lines and not [line for line in lines if line.endswith("...")], group
