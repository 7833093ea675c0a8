"""Growing again what has grown: pages that changed, shrank, vanished or came back leave no double and no ghost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.wikipedia.grow import GrowSummary
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.pipelines.wikipedia.dump_writer import DumpPage, dump_xml, page
from tests.support.grown import column, content, edges, size, vectors

LONG = " ".join(f"Sentence number {number} says a little more about vines." for number in range(60))
FIRST = [
    page("Vine", f"A vine climbs. [[Leaf]] [[Stem]]\n\n== Growth ==\n{LONG} [[Root]]\n\n== Uses ==\nShade.\n"
         "[[Category:Plants]] [[Category:Climbers]]"),
    page("Leaf", "A leaf. [[Vine]] [[Category:Plants]]"),
    page("Stem", "A stem. [[Leaf]]"),
    page("Root", "A root. [[Soil]]"),
    page("Soil", "Soil."),
]  # fmt: skip


class Wiki:
    """A dump that is written anew as its pages change, and a graph that grows from it."""

    def __init__(self, graph: Graph, folder: Path, embedder: str = "none") -> None:
        self._graph, self._path, self._version = graph, folder / "wiki.xml", 0
        self._embedder = embedder
        self.write(FIRST)

    def write(self, pages: list[DumpPage]) -> None:
        """Page numbers, and with them revisions, follow the place in the list: keep the order, replace in place."""
        self._version += 1
        self._path.write_bytes(dump_xml(pages) + b"\n" * self._version)

    @property
    def settings(self) -> WikipediaSettings:
        return WikipediaSettings(source=str(self._path), embedder=self._embedder, passage_words=100)  # type: ignore[arg-type]

    def grow(self, *titles: str, depth: int = 9) -> GrowSummary:
        return self._graph.grow(titles, settings=self.settings, depth=depth)

    def refresh(self) -> tuple[int, int]:
        summary = self._graph.refresh(settings=self.settings)
        return summary.checked, summary.changed

    def becomes(self, *pages: DumpPage) -> None:
        """Write these in the place of those of the same title, refresh, and grow."""
        new = {each.title: each for each in pages}
        self.write([new.get(each.title, each) for each in FIRST])
        self.refresh()
        self.grow()


@pytest.fixture
def wiki(growing: Graph, tmp_path: Path) -> Wiki:
    made = Wiki(growing, tmp_path)
    made.grow("Vine")
    return made


def again(graph: Graph, *titles: str) -> None:
    """Set processed articles back by hand, as the document tells people to."""
    for title in titles:
        graph.execute(f"MATCH (a:Article {{title: '{title}'}}) SET a.expansion_state = 'discovered'")


def test_a_page_written_twice_is_there_once(growing: Graph, wiki: Wiki) -> None:
    before, sizes = content(growing), size(growing)
    again(growing, "Vine", "Leaf", "Root")
    assert wiki.grow().counts.done == 3
    assert content(growing) == before
    assert size(growing) == sizes


def test_what_did_not_change_is_left_alone(growing: Graph, wiki: Wiki) -> None:
    assert wiki.refresh() == (5, 0)
    assert wiki.grow().counts.claimed == 0


def test_a_changed_page_is_written_anew_in_the_place_of_the_old(growing: Graph, wiki: Wiki) -> None:
    sizes = size(growing)
    wiki.write([page("Vine", FIRST[0].texts[0], FIRST[0].texts[0].replace("Shade.", "Wine.")), *FIRST[1:]])
    assert wiki.refresh() == (5, 1)
    assert wiki.grow().counts.done == 1
    texts = growing.query("MATCH (s:Section {article: 'Vine', title: 'Uses'}) RETURN s.text, s.gone").rows
    assert texts == [["Wine.", 0]]
    assert size(growing) == sizes


def test_a_page_that_shrank_keeps_nothing_of_the_rest(growing: Graph, wiki: Wiki) -> None:
    sizes = size(growing)
    wiki.becomes(page("Vine", FIRST[0].texts[0], "A vine climbs. [[Leaf]] [[Category:Plants]]"))
    assert [key for _, key in edges(growing, "HAS_SECTION") if key.startswith("Vine")] == ["Vine#0.0"]
    assert {target for source, target in edges(growing, "LINKS_TO") if source == "Vine"} == {"Leaf"}
    assert {name for source, name in edges(growing, "IN_CATEGORY") if source == "Vine"} == {"Plants"}
    assert size(growing) == sizes, "what no longer holds is stamped, not removed"


def test_a_page_that_grew_back_is_as_it_was(growing: Graph, wiki: Wiki) -> None:
    before, sizes = content(growing), size(growing)
    wiki.becomes(page("Vine", FIRST[0].texts[0], "Short."))
    wiki.becomes(FIRST[0])
    assert content(growing) == before
    assert size(growing) == sizes


def test_a_page_that_vanished_is_skipped_and_is_no_longer_found(growing: Graph, wiki: Wiki) -> None:
    wiki.write([each for each in FIRST if each.title != "Root"])
    wiki.refresh()
    wiki.grow()
    assert column(growing, "expansion_state")["Root"] == "skipped"
    assert growing.failed("article", skipped=True)[0].reason == "there is no page 'Root'"
    assert not [title for title, _ in edges(growing, "HAS_SECTION") if title == "Root"]
    assert not [source for source, _ in edges(growing, "LINKS_TO") if source == "Root"]
    assert ("Vine", "Root") in edges(growing, "LINKS_TO"), "what another page says of it stays"
    wiki.write(FIRST)
    growing.requeue("article", keys=["Root"])
    wiki.grow()
    assert edges(growing, "HAS_SECTION")[("Root", "Root#0.0")] == 1
    assert edges(growing, "LINKS_TO")[("Root", "Soil")] == 1


def test_an_article_may_become_a_redirect_and_one_again(growing: Graph, wiki: Wiki) -> None:
    before = content(growing)
    wiki.becomes(page("Stem", "A stem. [[Leaf]]", "#REDIRECT [[Leaf#Stalk]]", redirect="Leaf"))
    assert column(growing, "kind")["Stem"] == "redirect"
    assert edges(growing, "REDIRECTS_TO") == Counter({("Stem", "Leaf", "Stalk"): 1})
    assert not [title for title, _ in edges(growing, "HAS_SECTION") if title == "Stem"]
    wiki.becomes(FIRST[2])
    assert content(growing) == before


def test_an_article_that_becomes_a_list_of_meanings_is_withdrawn(growing: Graph, wiki: Wiki) -> None:
    wiki.becomes(page("Stem", "A stem. [[Leaf]]", "'''Stem''' may mean:\n* [[Leaf]]\n{{disambiguation}}"))
    assert column(growing, "expansion_state")["Stem"] == "skipped"
    assert not [title for title, _ in edges(growing, "HAS_SECTION") if title == "Stem"]


def test_a_new_link_lowers_depths_behind_it(growing: Graph, wiki: Wiki) -> None:
    assert column(growing, "expansion_depth") == {"Vine": 0, "Leaf": 1, "Stem": 1, "Root": 1, "Soil": 2}
    wiki.becomes(page("Vine", FIRST[0].texts[0], FIRST[0].texts[0] + " [[Soil]]"))
    assert column(growing, "expansion_depth")["Soil"] == 1


def test_links_put_in_by_hand_are_not_doubled(growing: Graph, tmp_path: Path) -> None:
    growing.seed("article", ["Vine", "Leaf"])
    growing.execute("MATCH (a:Article {title: 'Vine'}), (b:Article {title: 'Leaf'}) CREATE (a)-[:LINKS_TO]->(b)")
    Wiki(growing, tmp_path).grow("Vine")
    assert edges(growing, "LINKS_TO")[("Vine", "Leaf")] == 1


def test_a_changed_page_gets_new_vectors(growing: Graph, tmp_path: Path) -> None:
    wiki = Wiki(growing, tmp_path, embedder="light")
    wiki.grow("Vine")
    before = vectors(growing)
    wiki.becomes(page("Leaf", FIRST[1].texts[0], "A kettle of boiling water."))
    after = vectors(growing)
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {"Leaf#0.0"}


def test_search_follows_what_changed(growing: Graph, wiki: Wiki) -> None:
    assert [hit.article for hit in growing.search("shade", mode="text")] == ["Vine"]
    wiki.becomes(page("Vine", FIRST[0].texts[0], "Only a kettle. [[Leaf]]"))
    assert growing.search("shade", mode="text") == []
    assert [hit.article for hit in growing.search("kettle", mode="text")] == ["Vine"]
    assert all(finding.ok for finding in growing.doctor())
