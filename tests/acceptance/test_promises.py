"""What the documentation promises to newcomers, by the installed command: pictures, refusals, sources, exit codes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from graphvine.workers.search.commands import piece
from tests.acceptance.cli_support import process, run

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
    told = process("--graph", str(grown), "map", "-o", "vine.jpg", "--around", "Vine", cwd=tmp_path, status=1).err
    assert ".svg, .html, .png" in told and not (tmp_path / "vine.jpg").exists()


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
    told = process("--graph", "ftp://example.org/g", "status", cwd=tmp_path, status=1).err
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


def test_nothing_to_do_has_a_status_of_its_own(grown: Path, tmp_path: Path) -> None:
    process("--graph", str(grown), "news", "retry", "--all", cwd=tmp_path, status=3)
