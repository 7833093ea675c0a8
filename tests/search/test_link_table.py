"""The links in memory say what the engine says, whatever is written meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import graphvine
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.search.link_table import LinkTable
from graphvine.workers.wikipedia.search import ArticleSearch
from graphvine.workers.wikipedia.settings import WikipediaSettings

LIMIT = 200


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    with graphvine.open(tmp_path / "links.kuzu") as opened:
        titles = [f"A{number}" for number in range(40)] + ["Lone", "Old name"]
        opened.run(Unit.of([_discover(*titles)]))
        opened.run(Unit.of([_link(*((f"A{number}", f"A{(3 * number + 1) % 40}") for number in range(40)))]))
        opened.run(Unit.of([_link(("A7", "Old name")), _redirect("Old name", "A20")]))
        opened.execute("MATCH (a:Article {title: 'Old name'}) SET a.kind = 'redirect'")
        yield opened


@pytest.fixture
def table(graph: Graph) -> Iterator[LinkTable]:
    made = LinkTable(graph)
    _read(made)
    yield made
    made.close()


def _discover(*titles: str) -> Step:
    rows = [{"claim": 0, "title": title, "depth": 0, "seq": 0} for title in titles]
    return Step("article.discover", {"rows": rows, "now": 1})


def _link(*pairs: tuple[str, str]) -> Step:
    return Step("article.link", {"rows": [{"claim": 0, "source": one, "target": other} for one, other in pairs]})


def _redirect(source: str, target: str) -> Step:
    row = {"claim": 0, "source": source, "target": target, "fragment": ""}
    return Step("article.redirect", {"rows": [row]})


def _read(table: LinkTable) -> None:
    for _ in range(5):
        table.prepare()
    table.wait()


def _wrong(graph: Graph, table: LinkTable) -> dict[str, object]:
    """Where the table says something else than the engine; what it leaves to the engine is right."""
    titles = [row[0] for row in graph.query("MATCH (a:Article) RETURN a.title").rows]
    said = {title: found for title in titles if (found := table.neighbours(title, LIMIT)) is not None}
    search = ArticleSearch(graph)
    try:
        engine_says = {title: {key for _, key in search.edges(title, LIMIT)} for title in said}
    finally:
        search.close()
    return {title: found for title, found in said.items() if set(found) != engine_says[title]}


def test_a_table_is_read_after_a_few_searches_and_says_what_the_engine_says(graph: Graph, table: LinkTable) -> None:
    assert not _wrong(graph, table)
    assert "A20" in (table.neighbours("A7", LIMIT) or ()), "over a title that stands for another"
    assert table.neighbours("Lone", LIMIT) == []
    assert table.neighbours("Nobody", LIMIT) is None


def test_one_search_reads_no_table(graph: Graph) -> None:
    table = LinkTable(graph)
    table.prepare()
    table.wait()
    assert table.neighbours("A1", LIMIT) is None
    table.close()


def test_what_a_unit_touches_is_left_to_the_engine(graph: Graph, table: LinkTable) -> None:
    graph.run(Unit.of([_link(("Lone", "A5"))]))
    assert table.neighbours("Lone", LIMIT) is None
    assert table.neighbours("A5", LIMIT) is None
    assert table.neighbours("A30", LIMIT) is not None
    graph.run(Unit.of([Step("article.retire_edges", {"rows": [{"claim": 0, "article": "A7"}], "at_ms": 5})]))
    assert not _wrong(graph, table)
    graph.run(Unit.of([_redirect("A11", "Lone")]))
    assert not _wrong(graph, table)
    seq = graph.read("article.named", keys=["A3"])[0]["seq"]
    row = {"claim": seq, "title": "Brand new", "depth": 1, "seq": 0}
    graph.run(Unit.of([Step("article.branch", {"rows": [row], "lo": seq, "hi": seq, "now": 1})]))
    assert table.neighbours("A3", LIMIT) is None
    assert not _wrong(graph, table)


def test_a_typed_statement_empties_the_table(graph: Graph, table: LinkTable) -> None:
    graph.execute("MATCH (a:Article {title: 'A1'})-[l:LINKS_TO]->() SET l.gone = 1")
    assert table.neighbours("A1", LIMIT) is None
    _read(table)
    assert table.neighbours("A1", LIMIT) is not None
    assert not _wrong(graph, table)


def test_a_hub_gives_no_more_than_was_asked_for(graph: Graph) -> None:
    graph.run(Unit.of([_link(*((f"A{number}", "Lone") for number in range(40)))]))
    table = LinkTable(graph)
    _read(table)
    assert len(table.neighbours("Lone", 10) or ()) == 10
    table.close()


def test_what_is_written_while_the_table_is_read_is_stale_in_it(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    table = LinkTable(graph)
    read = graph.store.read

    def write_first(name: str, **parameters: object) -> object:
        found = read(name, **parameters)
        if name == "article.links_between":
            graph.run(Unit.of([_link(("Lone", "A9"))]))
        return found

    monkeypatch.setattr(graph.store, "read", write_first)
    _read(table)
    monkeypatch.undo()
    assert table.neighbours("Lone", LIMIT) is None
    assert table.neighbours("A9", LIMIT) is None
    assert not _wrong(graph, table)
    table.close()


def test_revisions_are_those_of_the_engine_and_change_with_it(tmp_path: Path) -> None:
    settings = WikipediaSettings(source="sample", embedder="none")
    with graphvine.open(tmp_path / "revisions.kuzu") as graph:
        graph.grow(["Vine"], settings=settings, depth=1)
        table = LinkTable(graph)
        _read(table)
        rows = graph.query("MATCH (a:Article) RETURN a.title, a.seq").rows
        said = {title: table.revision(title) for title, _ in rows}
        assert None not in said.values() and any(revision for revision, _ in said.values() if revision)
        for title, found in said.items():
            (row,) = graph.read("article.revision_shown", title=title)
            assert found == (row["revision"], row["revised_at"])
        seq = dict(rows)["Vine"]
        row = {"claim": seq, "kind": "article", "revision": 7, "revised_at": None, "words": 1, "properties": None}
        graph.run(Unit.of([Step("article.describe", {"rows": [row], "lo": seq, "hi": seq})]))
        assert table.revision("Vine") is None, "the engine is to be asked"
        table.close()
