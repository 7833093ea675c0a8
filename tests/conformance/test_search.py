"""One search over all kinds, on every engine: one ranking, filters, citations, the edges between the kinds, answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from graphvine.clock import NEVER, SystemClock
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.search.hits import passage
from tests.support.stores import Place

ITEMS = [
    {"id": 1, "type": "story", "title": "Kudzu, the vine that ate the South", "by": "pg", "time": 1_700_000_000,
     "url": "https://www.example.org/kudzu"},
    {"id": 2, "type": "comment", "parent": 1, "by": "sama", "time": 1_700_000_100, "text": "Goats eat kudzu."},
]  # fmt: skip
AT = datetime(2024, 1, 2, tzinfo=UTC)
NEWS = {
    "id": "n1", "link": "http://example.org/kudzu/?utm_source=feed", "title": "Town fights vine", "date": AT,
    "content": "The town has fought the Virginia creeper with goats for years.", "addedAt": AT, "contentAt": AT,
    "author": "A. Reporter", "source": "Example", "topic": "vines", "seq": 1, "stamp": 2,
}  # fmt: skip
PAGE = {
    "id": "p1", "url": "https://example.org/kudzu", "seq": 1, "stamp": 2, "scraped_at": AT,
    "scraped": json.dumps({
        "title": "A page about goats", "author": "P. Author", "text": "What goats think of the Boston ivy, at length.",
    }),
}  # fmt: skip


@pytest.fixture
def graph(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_EMBEDDER", "none")
    with place.open(SystemClock()) as graph:
        graph.grow(["Vine"], source="sample", depth=2)
        graph.hn.add(ITEMS)
        _create(graph, "NewsArticle", {**NEWS, "state": "processed"})
        _create(graph, "ScrapeItem", {**PAGE, "state": "completed"})
        yield graph


def _create(graph: Graph, label: str, values: dict[str, Any]) -> None:
    given = {**values, "due": NEVER, "lease": 0, "retry_count": 0}
    fields = ", ".join(f"{name}: ${name}" for name in given)
    graph.execute(f"CREATE (:{label} {{{fields}}})", given)


def _edges(graph: Graph) -> set[tuple[str, str, str]]:
    """Every edge between the kinds that holds, as type and ends."""
    found = set()
    for label, key in (("HNItem", "hnId"), ("NewsArticle", "id"), ("ScrapeItem", "id")):
        for name, end, end_key in (("SAME_PAGE", "Address", "address"), ("MENTIONS", "Article", "title")):
            kind = {"HNItem": "HN_", "NewsArticle": "NEWS_", "ScrapeItem": "PAGE_"}[label]
            kind = "" if (name, label) == ("MENTIONS", "NewsArticle") else kind
            text = f"MATCH (a:{label})-[e:{kind}{name}]->(b:{end}) WHERE e.gone = 0 RETURN a.{key}, b.{end_key}"
            found |= {(name, str(one), str(other)) for one, other in graph.query(text).rows}
    return found


def test_all_kinds_are_in_one_ranking(graph: Graph) -> None:
    found = {(hit.kind, hit.key) for hit in graph.search("kudzu goats", limit=20)}
    assert {("article", "Kudzu"), ("hn", "1"), ("hn", "2"), ("news", "n1"), ("page", "p1")} <= found
    assert {hit.kind for hit in graph.search("kudzu", kind=["hn"])} == {"hn"}
    assert {hit.kind for hit in graph.search("kudzu", kind=["article"], mode="text")} == {"article"}


def test_a_filter_leaves_out_the_kinds_that_have_no_such_field(graph: Graph) -> None:
    assert [hit.key for hit in graph.search("kudzu", type="comment")] == ["2"]
    assert [hit.key for hit in graph.search("goats", author="A. Reporter")] == ["n1"]
    assert [hit.key for hit in graph.search("goats", author="P. Author")] == ["p1"]
    assert {hit.key for hit in graph.search("kudzu goats", site="example.org")} == {"1", "n1", "p1"}
    assert {hit.key for hit in graph.search("kudzu goats", kind=["hn"], site="example.com")} == set()
    late = graph.search("kudzu goats", after=1_700_000_050, mode="text")
    assert {hit.key for hit in late} == {"2", "n1", "p1"}
    assert {hit.key for hit in graph.search("kudzu goats", not_author="sama")} == {"1", "n1", "p1"}
    assert {hit.key for hit in graph.search("kudzu goats", not_author="A. Reporter")} == {"1", "2", "p1"}
    assert [hit.key for hit in graph.search("goats", topic="vines", source="Example")] == ["n1"]
    assert graph.search("goats", topic="bees") == []


def test_what_is_found_by_words_is_ordered_by_its_time_and_counted(graph: Graph) -> None:
    graph.hn.add({"id": 4, "type": "story", "title": "Ask HN: Who keeps goats?", "by": "pg", "time": 1_720_000_000})
    assert [hit.key for hit in graph.search("goats", sort="date") if hit.kind == "hn"] == ["4", "2"]
    assert graph.search("goats", sort="date")[0].key == "4"
    assert graph.search("goats", sort="score")[-1].kind == "hn", "only items have a score"
    assert [hit.key for hit in graph.search("goats", type="ask")] == ["4"]
    assert [one.item.id for one in graph.hn.search("goats", type="ask").found] == [4]
    counts = graph.search_facets("goats", ["type", "by", "year", "source", "topic"])
    assert counts["type"] == {"story": 1, "comment": 1, "ask": 1} and counts["topic"] == {"vines": 1}
    assert counts["year"] == {"2023": 1, "2024": 3} and counts["source"] == {"Example": 1}
    assert {"pg": 1, "sama": 1, "A. Reporter": 1}.items() <= counts["by"].items()
    page = graph.hn.search("goats", facets=["type", "by"], not_author="pg")
    assert page.facets == {"type": {"comment": 1}, "by": {"sama": 1}}


def test_a_word_that_nothing_has_stands_for_words_like_it_and_a_hit_says_so(graph: Graph) -> None:
    (hit, *_) = graph.search("reportr fougth creeper", kind=["news"], mode="text")
    assert hit.key == "n1" and "fougth" in hit.loose
    (hit, *_) = graph.search("kudz", kind=["hn"])
    assert hit.loose == ("kudz",) and hit.key in ("1", "2")
    assert graph.search("kudzu", kind=["hn"])[0].loose == ()
    assert graph.hn.search("kudzo").loose == ("kudzo",) and graph.hn.search("kudzo").total == 2
    assert graph.search("xyzzyplugh") == []


def test_the_words_stand_out_in_a_snippet(graph: Graph) -> None:
    for hit in graph.search("goats", kind=["hn", "news", "page"], mode="text"):
        marked = [hit.snippet[start:end].lower() for start, end in hit.marks]
        assert marked and all(word.startswith("goat") for word in marked)


def test_phrases_and_exclusions_mean_the_same_everywhere(graph: Graph) -> None:
    assert [hit.key for hit in graph.search('"vine that ate"', kind=["hn"], mode="text")] == ["1"]
    assert [hit.key for hit in graph.search("kudzu -goats", kind=["hn"], mode="text")] == ["1"]
    assert graph.search("Virginia creeper", kind=["article"], mode="text")[0].article == "Virginia creeper"


def test_every_hit_is_cited(graph: Graph) -> None:
    for hit in graph.search("kudzu goats", limit=20):
        citation = hit.citation
        assert (citation.kind, citation.key, citation.section) == (hit.kind, hit.key, hit.section)
        assert citation.passage and citation.fetched_at is not None
        if hit.kind == "article":
            assert citation.revision and citation.address == f"sample#{hit.key}"
            rows = graph.query("MATCH (s:Section) WHERE s.article = $title RETURN s.text", {"title": hit.key}).rows
            texts = {hashlib.sha256(text.encode()).hexdigest(): text for (text,) in rows}
            assert citation.passage in texts[citation.text_hash]
        else:
            item = f"https://news.ycombinator.com/item?id={hit.key}"
            assert citation.address == {"hn": item, "news": NEWS["link"], "page": PAGE["url"]}[hit.kind]


def test_an_item_is_reached_by_its_thread(graph: Graph) -> None:
    hits = {hit.key: hit for hit in graph.search("what do goats do about the vine that ate the South", kind=["hn"])}
    assert hits["2"].path == ("hn:1", "hn:2") and hits["2"].by_link > 0


def test_edges_between_the_kinds_are_made_once_and_walked(graph: Graph) -> None:
    counts = {one.kind: one for one in graph.make_edges()}
    same = {("SAME_PAGE", key, "example.org/kudzu") for key in ("1", "n1", "p1")}
    assert _edges(graph) == {*same, ("MENTIONS", "n1", "Virginia creeper"), ("MENTIONS", "p1", "Boston ivy")}
    assert {kind: (one.same_page, one.mentions) for kind, one in counts.items()} == {
        "hn": (1, 0), "news": (1, 1), "page": (1, 1), "article": (0, 0),
    }  # fmt: skip
    assert {one.near_duplicates for one in counts.values()} == {0}
    assert graph.make_edges() == graph.edge_counts() == list(counts.values())
    paths = {(hit.kind, hit.key): list(hit.path) for hit in graph.search("town fights goats creeper length", limit=20)}
    assert paths["article", "Virginia creeper"] == ["news:n1", "Virginia creeper"]
    assert paths["page", "p1"][0] in ("news:n1", "hn:2", "Boston ivy")


def test_titles_and_texts_that_come_later_are_caught_up_with(graph: Graph) -> None:
    graph.make_edges()
    graph.seed("article", ["Goats"])
    graph.make_edges()
    assert ("MENTIONS", "2", "Goats") not in _edges(graph), "at the beginning of a sentence any word has a capital"
    graph.hn.add({"id": 3, "type": "comment", "parent": 1, "by": "pg", "text": "See the Goats, and Kudzu."})
    graph.make_edges()
    assert {("MENTIONS", "3", "Goats"), ("MENTIONS", "3", "Kudzu")} <= _edges(graph)
    graph.hn.add({"id": 3, "type": "comment", "parent": 1, "by": "pg", "text": "See the Kudzu."})
    graph.seed("article", ["See the Kudzu"])
    graph.make_edges()
    assert {one for one in _edges(graph) if one[1] == "3"} == {("MENTIONS", "3", "See the Kudzu")}


def test_near_duplicates_of_all_kinds_are_joined_and_shown_once(graph: Graph) -> None:
    text = "Somebody has written down at great length what the tame lynx does on a quiet Sunday in the barn."
    graph.hn.add({"id": 3, "type": "comment", "parent": 1, "by": "pg", "text": text})
    page = {**PAGE, "id": "p2", "seq": 2, "stamp": 3, "scraped": json.dumps({"title": "", "text": f"{text} Really."})}
    _create(graph, "ScrapeItem", {**page, "state": "completed"})
    both = {("hn", "3"), ("page", "p2")}
    assert both <= {(hit.kind, hit.key) for hit in graph.search("tame lynx")}
    counts = {one.kind: one.near_duplicates for one in graph.make_edges()}
    assert counts == {"hn": 1, "news": 0, "page": 1, "article": 0}
    for mode in ("walk", "hybrid", "text"):
        (hit, *others) = graph.search("tame lynx", mode=mode)  # type: ignore[arg-type]  # one of the modes
        assert {f"{hit.kind}:{hit.key}", *hit.duplicates} == {"hn:3", "page:p2"}
        assert not both & {(other.kind, other.key) for other in others}
    (hit, *_) = graph.search("tame lynx", kind=["page"])
    assert (hit.key, hit.duplicates) == ("p2", ())


def test_an_article_is_joined_with_a_page_of_nearly_its_text(graph: Graph) -> None:
    parts = "MATCH (s:Section) WHERE s.article = 'Kudzu' AND s.gone = 0 RETURN s.text ORDER BY s.position, s.part"
    text = "\n".join(text for (text,) in graph.query(parts).rows)
    page = {**PAGE, "id": "copy", "seq": 2, "stamp": 3, "scraped": json.dumps({"title": "Kudzu", "text": text})}
    _create(graph, "ScrapeItem", {**page, "title": "Kudzu", "state": "completed"})
    counts = {one.kind: one for one in graph.make_edges()}
    assert counts["page"].near_duplicates == counts["article"].near_duplicates == 1
    assert counts["article"].done == counts["article"].newest > 0
    (hit, *others) = graph.search("kudzu", mode="text", kind=["article", "page"])
    assert {(hit.article or f"page:{hit.key}"), *hit.duplicates} == {"Kudzu", "page:copy"}
    assert not {("article", "Kudzu"), ("page", "copy")} & {(one.kind, one.key) for one in others if one.key != hit.key}


def test_passages_of_one_path_stand_together(graph: Graph) -> None:
    answer = graph.ask("what do goats do about the vine that ate the South", kind=["hn"], limit=5)
    assert [[hit.key for hit in group] for group in answer.groups] == [["1", "2"]]
    assert answer.held is None and not answer.sentences and answer.passages[0].citation.passage


def test_what_is_refused(graph: Graph) -> None:
    with pytest.raises(GraphvineError, match="did you mean 'article'"):
        graph.search("kudzu", kind=["artikle"])
    with pytest.raises(GraphvineError, match="only articles lie near"):
        graph.search("kudzu", kind=["hn"], near="Vine")


def test_a_passage_of_a_long_text_holds_what_was_found() -> None:
    text = " ".join(f"Sentence {number} of a long text." for number in range(500))
    found = passage(text, "Sentence 250 of")
    assert "Sentence 250 of" in found and found in text and len(found) <= 1_500 and found.startswith("Sentence")
    assert passage(text, "").startswith("Sentence 0 ") and passage("short", "") == "short"
