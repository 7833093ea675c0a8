"""Results for notebooks, asyncio, and the Python blocks of README and docs, run as they are written."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import graphvine
import graphvine.aio
from graphvine import QueryResult
from graphvine.query_result import NoGraphInResult
from tests.support.waiting import WAIT_LIMIT
from tests.tools.package_tree import REPOSITORY

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def blocks(page: str) -> str:
    return "\n".join(BLOCK.findall((REPOSITORY / page).read_text("utf-8")))


@pytest.mark.parametrize(
    ("page", "shown"),
    [("README.md", ["processed", "working on Ivy"]), ("docs/notebooks.md", ["articles", "Vine 0"])],
)
def test_the_python_of_a_page_runs_as_written(tmp_path: Path, page: str, shown: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", blocks(page)], cwd=tmp_path, capture_output=True, text=True, timeout=WAIT_LIMIT
    )
    assert done.returncode == 0, done.stderr
    assert all(text in done.stdout for text in shown), done.stdout


def test_the_notebook_runs_in_a_kernel_and_shows_what_it_says(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(REPOSITORY / "docs/tour.ipynb", as_version=4)
    NotebookClient(notebook, timeout=WAIT_LIMIT, resources={"metadata": {"path": tmp_path}}).execute()
    shown = {kind for cell in notebook.cells for output in cell.get("outputs", ()) for kind in output.get("data", ())}
    assert {"text/html", "image/svg+xml"} <= shown, "tables and the picture show themselves"
    bar = notebook.cells[1].outputs[0]["data"]["text/html"]
    assert re.search(r'<progress value="(\d+)" max="\1">', bar), bar


@pytest.fixture
def graph(tmp_path: Path) -> graphvine.Graph:
    with graphvine.open(tmp_path / "x.kuzu") as graph:
        graph.seed("article", ["Vine", "Ivy"])
        yield graph


def test_a_result_iterates_counts_and_converts(graph: graphvine.Graph) -> None:
    result = graph.query("MATCH (a:Article) RETURN a.title AS title, a.expansion_depth AS depth ORDER BY title")
    assert len(result) == 2 and [row["title"] for row in result] == ["Ivy", "Vine"]
    assert result.to_arrow().to_pydict() == {"title": ["Ivy", "Vine"], "depth": [0, 0]}
    assert graph.query("MATCH (a:Category) RETURN a.name"), "an answer without rows is an answer"
    with pytest.raises(NoGraphInResult, match="RETURN a, r, b"):
        result.to_networkx()


def test_values_without_a_common_type_become_texts() -> None:
    assert QueryResult(["x"], [[1], ["two"], [None]]).to_arrow().to_pydict() == {"x": ["1", "two", None]}


def test_a_result_is_a_table_in_a_notebook() -> None:
    html = QueryResult(["<b>"], [["<script>"], ["x" * 1000]], truncated=True)._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "…" in html and "2+ rows" in html
    assert "1 row<" in QueryResult(["n"], [[1]])._repr_html_()


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(graphvine.GraphvineError, match=r"pandas.*graphvine\[notebook\]"):
        QueryResult(["n"], [[1]]).to_pandas()


def test_other_libraries_tables_and_graphs(graph: graphvine.Graph) -> None:
    result = graph.query(
        "MATCH (a:State {name: 'discovered', machine: 'Article'})-[r:TRANSITION]->(b:State) RETURN a, r, b"
    )
    drawn = result.to_networkx()
    labels = {data["id"] for _, data in drawn.nodes(data=True)}
    assert "Article.discovered" in labels and drawn.number_of_edges() == len(result)
    plain = QueryResult(["title", "n"], [["Vine", 1], ["Ivy", 2]])
    assert list(plain.to_pandas()["n"]) == [1, 2] and plain.to_polars().shape == (2, 2)


def test_a_picture_shows_itself_and_is_saved(tmp_path: Path) -> None:
    picture = graphvine.Picture("<svg/>", 1, 0)
    assert picture._repr_svg_() == "<svg/>"
    assert picture.save(tmp_path / "x.svg").read_text() == "<svg/>"


def test_a_cancelled_call_ends_its_query_and_the_graph_closes(tmp_path: Path) -> None:
    async def main() -> None:
        async with graphvine.aio.open(tmp_path / "x.kuzu") as graph:
            assert (await graph.query("RETURN 1 AS one")).rows == [[1]]
            long = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)"
            task = asyncio.create_task(graph.query(long))
            await asyncio.sleep(0)  # it starts
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await graph.seed("article", ["Vine"]) == 1

    asyncio.run(main())
    assert not [thread for thread in threading.enumerate() if "query" in thread.name]
