"""Exports for other programs, statistics, and the tutorial, by the installed command."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import networkx
import pytest

import graphvine
from graphvine.graph_files import write
from graphvine.service_file import find
from tests.acceptance.cli_support import environment, process, run
from tests.acceptance.wheel_support import build_wheel, clone, environment_with
from tests.support.waiting import WAIT_LIMIT, eventually
from tests.tools.package_tree import REPOSITORY

BLOCK = re.compile(r"```(sh|python)\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two articles and a link, with names that are hard on every format."""
    place = tmp_path_factory.mktemp("wild") / "x.kuzu"
    with graphvine.open(place) as graph:
        graph.seed("article", ['A "<quote>" & co', "B,\tcomma"])
        graph.execute(
            "MATCH (a:Article), (b:Article) WHERE a.title STARTS WITH 'A' AND b.title STARTS WITH 'B' "
            "CREATE (a)-[:LINKS_TO]->(b)"
        )
    return place


@pytest.mark.parametrize("format", ["graphml", "gexf"])
def test_networkx_reads_the_graph_back(wild: Path, tmp_path: Path, format: str) -> None:
    said = run("--graph", str(wild), "export", str(tmp_path / f"x.{format}"), "--label", "Article", "--json").json
    assert (said["nodes"], said["relationships"], said["format"]) == (2, 1, format)
    read = networkx.read_graphml if format == "graphml" else networkx.read_gexf
    drawn = read(tmp_path / f"x.{format}")
    assert {data["title"] for _, data in drawn.nodes(data=True)} == {'A "<quote>" & co', "B,\tcomma"}
    [(source, target)] = drawn.edges()
    assert source == 'Article:A "<quote>" & co' and target == "Article:B,\tcomma"
    [depth] = {data["expansion_depth"] for _, data in drawn.nodes(data=True)}
    assert depth == 0, "numbers stay numbers"


def test_lines_and_csv_hold_the_same(wild: Path, tmp_path: Path) -> None:
    run("--graph", str(wild), "export", str(tmp_path / "x.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines()]
    [edge] = [line for line in lines if line.get("type") == "LINKS_TO"]
    assert edge["from"] in {line.get("id") for line in lines} and edge["to"] == "Article:B,\tcomma"
    run("--graph", str(wild), "export", str(tmp_path / "folder"), "--format", "csv")
    with (tmp_path / "folder" / "Article.csv").open(newline="") as file:
        assert {row["title"] for row in csv.DictReader(file)} == {'A "<quote>" & co', "B,\tcomma"}
    assert "lease" not in (tmp_path / "folder" / "Article.csv").read_text()


def test_what_exists_is_not_overwritten_and_nothing_is_left_behind(wild: Path, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("mine")
    assert "exists already" in run("--graph", str(wild), "export", str(tmp_path / "x.jsonl"), status=1).err
    assert (
        "did you mean 'Article'"
        in run("--graph", str(wild), "export", str(tmp_path / "y.gexf"), "--label", "Artcle", status=1).err
    )
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]
    with graphvine.open(wild) as graph, pytest.raises(graphvine.GraphvineError, match="no format 'dot'"):
        write(graph, tmp_path / "x.dot")


def test_stats_count_what_is_there(wild: Path, tmp_path: Path) -> None:
    said = run("--graph", str(wild), "stats", "--json").json
    assert said["nodes"] == {"Article": 2} and said["relationships"] == {"LINKS_TO": 1}
    assert {"title": "articles by depth", "counts": {"0": 2}} in said["distributions"]
    shown = run("--graph", str(wild), "stats", "-o", str(tmp_path / "s.svg")).out
    assert shown.startswith("2 nodes, 1 relationship\n") and "articles by depth" in shown
    texts = [node.text for node in ElementTree.parse(tmp_path / "s.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "articles by depth" in texts


def steps() -> Iterator[tuple[str, str]]:
    for kind, text in BLOCK.findall((REPOSITORY / "docs" / "tutorial.md").read_text("utf-8")):
        yield from ((kind, line) for line in text.strip().splitlines()) if kind == "sh" else [(kind, text)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(clone(tmp_path_factory.mktemp("clone")), tmp_path_factory.mktemp("wheel"))


@pytest.mark.long("installs the wheel and does the whole tutorial")
@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_the_tutorial_works_as_written_from_the_wheel(tmp_path: Path, wheel: Path, installer: str) -> None:
    command = environment_with(wheel, tmp_path / "environment", installer)
    folder = tmp_path / "empty"
    folder.mkdir()
    follow(folder, command)
    assert (folder / "vine.svg").exists() and (folder / "copies" / "first").is_dir()


def follow(folder: Path, installed: Path) -> None:
    """Run every command and every piece of Python of the tutorial, in this folder, one after the other."""
    daemon: subprocess.Popen[str] | None = None
    variables = environment(GRAPHVINE_SERVE_PORT="0")
    try:
        for kind, text in steps():
            if text == "graphvine serve":
                daemon = subprocess.Popen([installed, "serve"], cwd=folder, env=variables, stderr=subprocess.DEVNULL)
                eventually(lambda: find(str(folder / "vines.kuzu")) is not None)
                continue
            if daemon is not None and kind == "python":
                daemon.terminate()
                assert daemon.wait(WAIT_LIMIT) == 0
            python = str(installed.with_name("python"))
            command = [python, "-c", text] if kind == "python" else ["bash", "-c", f"{installed.parent}/{text}"]
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=WAIT_LIMIT, env=variables
            )
            assert done.returncode == 0, (text, done.stdout, done.stderr)
    finally:
        if daemon is not None and daemon.poll() is None:
            daemon.kill()


def test_what_the_demo_suggests_works_as_typed(tmp_path: Path) -> None:
    said = process("--graph", "my demo.kuzu", "demo", cwd=tmp_path).out
    tries = [line.strip() for line in said.partition("Look around:\n")[2].splitlines()]
    assert len(tries) == 6
    for line in tries:
        if line.endswith(" serve"):
            continue
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, env=environment())
        assert done.returncode == 0, (line, done.stderr)
