"""Lines to the rest of the graph: who published, what it names, and who tells the same story."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from graphvine.graph import Graph
from graphvine.workers.news.mentions import candidates
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import articles, process, update
from tests.support.stores import Place
from tests.support.web_server import Request

# The same event by two papers, another event of the same company, and something else altogether.
STORIES = {
    "/page/1": (
        "Kraken pays $30 million to settle with the regulator",
        "The crypto exchange Kraken has agreed to pay 30 million dollars to settle charges by the US Securities and"
        " Exchange Commission. It will also end its staking service for customers in the United States. The agency had"
        " said that the programme was an unregistered security.",
    ),
    "/page/2": (
        "Crypto exchange Kraken to end US staking in $30m SEC settlement",
        "Kraken will shut down its staking programme for American clients and pay a penalty of 30 million dollars. The"
        " Securities and Exchange Commission announced the settlement on Thursday, calling the staking service an"
        " unregistered offer of securities.",
    ),
    "/page/3": (
        "Kraken opens an office in Dublin",
        "The exchange Kraken hires two hundred engineers for a new office in Ireland. Its manager praised the local"
        " universities. The office is to open in spring, and will look after customers in Europe.",
    ),
    "/page/4": (
        "Bitcoin miners move north for cheap power",
        "Companies that mine bitcoin build new halls in northern Sweden, where rivers give cheap electricity. Local"
        " councils welcome the jobs, while some people complain about the noise of the fans.",
    ),
}


@pytest.fixture
def told(graph: Graph, site: Site) -> Graph:
    graph.seed(
        "article",
        ["Bitcoin", "Kraken", "Sweden", "New York City", "The", "U.S. Securities and Exchange Commission", "Dublin"],
    )
    for number, (path, (title, text)) in enumerate(STORIES.items(), 1):
        site.add(number, title=title)
        site.pages[path] = _page(text)
    update(graph, site)
    process(graph, same_story="light")
    return graph


def _page(text: str) -> Callable[[Request], Awaitable[None]]:
    async def page(request: Request) -> None:
        await request.answer(text.encode())

    return page


def test_the_same_story_from_two_sources_is_linked_and_others_are_not(told: Graph) -> None:
    rows = told.query(
        "MATCH (a:NewsArticle)-[s:SAME_STORY]->(b:NewsArticle) RETURN a.link, b.link, s.similarity, s.gone"
    ).rows
    assert len(rows) == 1, rows
    younger, older, similarity, gone = rows[0]
    assert younger.endswith("/page/2") and older.endswith("/page/1") and similarity > 0.75 and gone == 0
    shown = told.news.show(articles(told)["/page/1"]["id"])
    assert [one["title"] for one in shown.same_story] == [STORIES["/page/2"][0]]


def test_a_later_article_finds_earlier_ones(told: Graph, site: Site) -> None:
    title, text = STORIES["/page/1"]
    site.add(5, title=f"Update: {title}")
    site.pages["/page/5"] = _page(text + " Its shares are not listed.")
    update(told, site)
    process(told, same_story="light")
    rows = told.query("MATCH (a:NewsArticle)-[:SAME_STORY]->(b) WHERE a.link ENDS WITH '/page/5' RETURN b.link").rows
    assert sorted(row[0][-7:] for row in rows) == ["/page/1", "/page/2"]


def test_what_is_in_the_store_is_found_after_opening_it_again(place: Place, site: Site) -> None:
    for number in (1, 2):
        title, text = STORIES[f"/page/{number}"]
        site.add(number, title=title)
        site.pages[f"/page/{number}"] = _page(text)
        with place.open() as graph:
            update(graph, site)
            process(graph, same_story="light")
            found = graph.query("MATCH (a:NewsArticle)-[:SAME_STORY]->(b) RETURN a.link, b.link").rows
            assert [[link[-7:] for link in row] for row in found] == ([["/page/2", "/page/1"]] if number == 2 else [])


def test_wikipedia_articles_that_it_names_are_linked(told: Graph) -> None:
    rows = told.query("MATCH (a:NewsArticle)-[m:MENTIONS]->(w:Article) WHERE m.gone = 0 RETURN a.link, w.title").rows
    named: dict[str, set[str]] = {}
    for link, title in rows:
        named.setdefault(link[-7:], set()).add(title)
    assert named == {
        "/page/1": {"Kraken"},
        "/page/2": {"Kraken"},
        "/page/3": {"Kraken", "Dublin"},
        "/page/4": {"Bitcoin", "Sweden"},
    }
    assert told.news.show(articles(told)["/page/3"]["id"]).mentions == ["Dublin", "Kraken"]


def test_who_published_is_one_node(told: Graph) -> None:
    rows = told.query("MATCH (a:NewsArticle)-[p:PUBLISHED_BY]->(s:NewsSource) RETURN s.name, s.title, count(*)").rows
    assert rows == [["localnews", "Local News", 4]]


def test_words_at_the_beginning_of_a_sentence_are_no_names() -> None:
    text = (
        "Prices rose in New York. Analysts at the Bank of England agreed. Later, Analysts said so. Vine's leaves fell"
    )
    found = list(candidates("Markets", text, ["bitcoin"]))
    assert {"New York", "York", "Bank of England", "Bank", "England", "Analysts"} <= set(found)
    assert not {"Prices", "The", "of", "Bitcoin", "Markets", "Later"} & set(found)
    assert "Vine" not in found and len(found) == len(set(found))
