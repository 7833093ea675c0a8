"""A graph moves from Kuzu to Neo4j and back, and is the same graph; what is not the same is told."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

import graphvine
from graphvine.clock import ManualClock
from graphvine.engines.neo4j.errors import GraphChanged
from graphvine.errors import StoreError
from graphvine.export_format import Moved
from graphvine.graph import Graph
from graphvine.records import Step
from graphvine.settings import Settings
from graphvine.workers.hn.ingest.ingest import take_in
from tests.acceptance.cli_support import run
from tests.pipelines.hn.making import DELIVERED, make
from tests.pipelines.uploads.making import as_lines, items
from tests.support.articles import rows, section, states
from tests.support.stores import QUICK, Place

ODD = ["it's", 'a "quote"', "line\nbreak", "漢字", "🌱", "{title: 'x'}", "`tick`", "\\"]


def kuzu(folder: Path) -> Graph:
    return graphvine.open(folder / "moved.kuzu", settings=Settings(**QUICK), clock=ManualClock())


def grow(graph: Graph, count: int, seed: int = 7) -> None:
    """Articles in every state, with sections, vectors, categories, links and failures."""
    draw = random.Random(seed)
    titles = ODD + [f"article {number}" for number in range(count - len(ODD))]
    graph.seed("article", titles)
    claims = graph.claims("article", "w")
    done = claims.claim(count // 4)
    sections = [
        section(
            claim.seq, f"{claim.key}#{part}", [draw.uniform(-1, 1) for _ in range(8)] if part else None,
            article=claim.key, title="t", path="a / b", position=part, text=f"{claim.key} tells of {part}",
        )
        for claim in done for part in range(2)
    ]  # fmt: skip
    lo, hi = min(claim.seq for claim in done), max(claim.seq for claim in done)
    links = [{"claim": claim.seq, "source": claim.key, "target": draw.choice(titles)} for claim in done for _ in "ab"]
    names = [{"claim": claim.seq, "article": claim.key, "category": f"c{claim.seq % 5}"} for claim in done]
    claims.complete(
        done,
        [
            Step("article.add_sections", {"rows": sections, "lo": lo, "hi": hi}),
            Step("article.link", {"rows": links}),
            Step("article.add_categories", {"rows": names}),
            Step("article.categorise", {"rows": names}),
        ],
    )
    back, dead, held = claims.claim(3)
    claims.fail(back, "busy", trace="line 1\nline 2")
    claims.fail(dead, "404", permanent=True)
    assert held.state == "claimed"
    graph.exclude("article", ["article 3", titles[-1]])
    take_in(graph, make(60, deep=5).items, "BULK_UPLOAD", handed_over_at=DELIVERED)
    graph.upload(io.BytesIO(as_lines([*items(6, first=1_000), {"id": 2_000, "type": "essay"}])), name="a file")
    graph.pause("article", "moving house")


def sums(moved: Moved) -> dict[str, tuple[int, str]]:
    return {table.name: (table.rows, table.checksum) for table in moved.tables if table.rows}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Moved]:
    """A small graph of Kuzu's, as a folder."""
    folder = tmp_path_factory.mktemp("moving")
    with kuzu(folder) as graph:
        grow(graph, 200)
        return folder / "out", graph.export(folder / "out")


def test_from_kuzu_to_neo4j_and_back_it_is_the_same_graph(place: Place, tmp_path: Path, full: bool) -> None:
    count = 100_000 if full else 3_000
    with kuzu(tmp_path) as graph:
        grow(graph, count)
        before = rows(graph)
        out = graph.export(tmp_path / "out")
    assert out.left_out == [] and len(before) == count
    with place.open() as graph:
        graph.load(tmp_path / "out")
        assert graph.store.paused("article") == "moving house"
        assert len(rows(graph)) == count
        over = graph.export(tmp_path / "over")
    (tmp_path / "second").mkdir()
    with kuzu(tmp_path / "second") as graph:
        graph.load(tmp_path / "over")
        assert rows(graph) == before
        assert graph.store.paused("article") == "moving house"
        back = graph.export(tmp_path / "back")
        assert not [finding for finding in graph.doctor() if not finding.ok]
    assert sums(out) == sums(over) == sums(back)
    assert {"Article", "Section", "Category", "Failure", "HAS_SECTION", "LINKS_TO"} <= set(sums(out))
    assert {"HNItem", "PARENT_OF", "Upload", "Collection", "CONTAINS", "UploadError"} <= set(sums(out))


def test_what_was_moved_can_be_worked_on(place: Place, exported: tuple[Path, Moved]) -> None:
    with place.open() as graph:
        graph.load(exported[0])
        graph.resume("article")
        claims = graph.claims("article", "over here")
        taken = claims.claim(10)
        assert len(taken) == 10 and [claim.seq for claim in taken] == sorted(claim.seq for claim in taken)
        claims.complete(taken)
        below = {"id": 3_000, "type": "comment", "parent": 1_000, "text": "over here"}
        assert graph.hn.add([*items(6, first=1_000), below]).new == 1, "the others are known"
        assert graph.hn.search("quoted").total > 0 and graph.hn.ancestors(3_000)[0].id == 1_000
        assert graph.uploads.list()[0].state == "partial_success"
        assert graph.seed("article", ["new here"]) == 1
        assert max(row["seq"] for row in rows(graph).values()) == rows(graph)["new here"]["seq"]


def test_progress_is_told_to_the_end(place: Place, exported: tuple[Path, Moved], tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with place.open() as graph:
        graph.load(exported[0], lambda done, total: seen.append((done, total)))
        assert seen[-1] == (2 * exported[1].rows, 2 * exported[1].rows), "loaded once, compared once"
        seen.clear()
        graph.export(tmp_path / "again", lambda done, total: seen.append((done, total)))
    assert seen[-1] == (exported[1].rows, exported[1].rows)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_graph_that_holds_something_is_not_loaded_into(place: Place, exported: tuple[Path, Moved]) -> None:
    with place.open() as graph:
        graph.seed("article", ["mine"])
        with pytest.raises(StoreError, match="holds 1 of Article already: load into an empty graph"):
            graph.load(exported[0])
        assert states(graph) == {"mine": "discovered"}


def test_a_change_while_the_graph_is_read_is_told(place: Place, exported: tuple[Path, Moved], tmp_path: Path) -> None:
    with place.open() as graph, place.open() as other:
        graph.load(exported[0])

        def meddle(done: int, total: int) -> None:
            if done == total // 2:
                other.seed("article", ["in between"])

        with pytest.raises(GraphChanged, match="stop its workers, and try again"):
            graph.export(tmp_path / "out", meddle)
    assert not (tmp_path / "out").exists()


def test_a_difference_is_found(place: Place, exported: tuple[Path, Moved], tmp_path: Path) -> None:
    """One value of one row differs from the list."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in exported[0].iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    listed = json.loads((copy / "export.json").read_text())
    for table in listed["tables"]:
        if table["name"] == "Article":
            table["checksum"] = "0" * 32
    (copy / "export.json").write_text(json.dumps(listed))
    with place.open() as graph:
        with pytest.raises(StoreError, match=r"differs from the export: Article \(200 rows here, 200 in the export\)"):
            graph.load(copy)
        assert graph.store.paused("article") is not None, "nobody begins to work on it"


@pytest.mark.parametrize("fault", ["no list", "broken list", "cut file", "missing file", "another format"])
def test_a_broken_export_is_refused_before_anything_is_loaded(
    graph: Graph, exported: tuple[Path, Moved], tmp_path: Path, fault: str
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in exported[0].iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    spoil: dict[str, Any] = {
        "no list": lambda: (copy / "export.json").unlink(),
        "broken list": lambda: (copy / "export.json").write_text('{"format": 1, "tables": 3}'),
        "cut file": lambda: (copy / "Article.parquet").write_bytes((copy / "Article.parquet").read_bytes()[:-10]),
        "missing file": lambda: (copy / "Section.parquet").unlink(),
        "another format": lambda: (copy / "export.json").write_text('{"format": 99, "tables": []}'),
    }
    spoil[fault]()
    with pytest.raises(StoreError, match=r"export"):
        graph.load(copy)
    assert states(graph) == {}


def test_what_other_engines_have_no_place_for_is_named(place: Place, tmp_path: Path) -> None:
    with place.open() as graph:
        graph.seed("article", ["a"])
        graph.execute("MATCH (a:Article) SET a.note = 'mine'")
        graph.execute("CREATE (:Visitor {name: 'x'})")
        assert set(graph.export(tmp_path / "out").left_out) >= {"Article.note", "Visitor"}


def test_on_the_command_line(place: Place, exported: tuple[Path, Moved], tmp_path: Path) -> None:
    place.open().close()
    loaded = run("--graph", place.where, "load", str(exported[0]))
    assert "equal to the export" in loaded.out and "@" not in loaded.out
    out = run("--graph", place.where, "export", str(tmp_path / "out"))
    assert f"{exported[1].rows:,} rows" in out.out
    back = run("--graph", str(tmp_path / "moved.kuzu"), "load", str(tmp_path / "out"))
    assert f"{exported[1].rows:,} rows, equal to the export" in back.out
    again = run("--graph", str(tmp_path / "moved.kuzu"), "load", str(tmp_path / "out"), status=1)
    assert "load into an empty graph" in again.err
