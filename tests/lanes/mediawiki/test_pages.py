"""Every kind of page, as a real MediaWiki serves it."""

from __future__ import annotations

import pytest

from graphvine.workers.wikipedia.api import MediaWikiSource
from graphvine.workers.wikipedia.dump import SampleSource
from graphvine.workers.wikipedia.parse_page import parse_page
from graphvine.workers.wikipedia.parsed import ParsedPage
from graphvine.workers.wikipedia.sources import Failed, Hop, Missing, Page, Result
from tests.lanes.mediawiki.pages import LARGE, MANY_LINKS
from tests.lanes.mediawiki.server import TestWiki


def one(source: MediaWikiSource, title: str) -> Result:
    (result,) = source.fetch([title])
    return result


def the_page(source: MediaWikiSource, title: str) -> Page:
    result = one(source, title)
    assert isinstance(result, Page), result
    return result


def parsed(source: MediaWikiSource, title: str) -> ParsedPage:
    result = parse_page(the_page(source, title), source.rules())
    assert isinstance(result, ParsedPage), result
    return result


def test_an_article_comes_whole(source: MediaWikiSource) -> None:
    page = the_page(source, " vine_")
    assert (page.asked, page.title, page.namespace) == (" vine_", "Vine", 0)
    assert page.wikitext.startswith("{{Short description")
    assert page.revision_id > 0
    assert page.timestamp == "2025-01-01T09:01:00Z"
    assert page.categories is not None
    assert set(page.categories) == {"Category:Vines", "Category:Plants"}
    assert page.links is not None
    assert "Wisteria" in page.links
    assert page.redirects == ()


def test_results_stand_in_the_order_of_the_titles_with_doubles(source: MediaWikiSource) -> None:
    asked = ["Wine", "vine", "Nothing such", "Vine", "Wine", "a|b", "Beer"]
    results = source.fetch(asked)
    assert [result.asked for result in results] == asked
    assert [result.title for result in results] == ["Wine", "Vine", "Nothing such", "Vine", "Wine", "a|b", "Beer"]


def test_nothing_asked_is_nothing_answered(source: MediaWikiSource) -> None:
    assert source.fetch([]) == []


def test_the_newest_revision_counts(source: MediaWikiSource) -> None:
    assert the_page(source, "Twice written").wikitext == "The new text with a [[Vine]]."


def test_an_empty_page_is_a_page(source: MediaWikiSource) -> None:
    assert the_page(source, "Empty page").wikitext == ""


@pytest.mark.parametrize("title", ['Zürich & "co"', "東京"])
def test_titles_of_any_script(source: MediaWikiSource, title: str) -> None:
    assert the_page(source, title).title == title


def test_other_namespaces_can_be_asked_for(source: MediaWikiSource) -> None:
    assert the_page(source, "talk:vine").namespace == 1
    assert the_page(source, "category:Vines").title == "Category:Vines"


def test_a_redirect_is_not_resolved_in_silence(source: MediaWikiSource) -> None:
    page = the_page(source, "Chain 1")
    assert (page.title, page.wikitext) == ("Chain 1", "#REDIRECT [[Chain 2#Middle]]")
    assert page.redirects == (Hop("Chain 2", "Middle"), Hop("Chain 3"), Hop("Vine", "Uses"))
    assert page.redirect_to == Hop("Chain 2", "Middle")


def test_a_redirect_to_a_page_that_is_missing_still_tells_where(source: MediaWikiSource) -> None:
    assert the_page(source, "To nowhere").redirects == (Hop("There is nothing here"),)


@pytest.mark.parametrize("title", ["Loop A", "Loop B", "Loop of one", "Into the loop"])
def test_a_loop_of_redirects_is_a_failure_of_the_title(source: MediaWikiSource, title: str) -> None:
    result = one(source, title)
    assert isinstance(result, Failed)
    assert result.kind == "redirect_loop"
    assert "Loop" in result.reason


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("To another wiki", "interwiki"),
        ("mediawikiwiki:Help", "interwiki"),
        ("Special:Random", "special"),
        ("Media:Leaf.jpg", "special"),
        ("a|b", "invalid_title"),
        ("a[b", "invalid_title"),
        ("", "invalid_title"),
        ("x" * 256, "invalid_title"),
        ("User:Tester/script.js", "not_wikitext"),
        ("Lost text", "broken"),
    ],
)
def test_titles_that_never_give_a_page(source: MediaWikiSource, title: str, kind: str) -> None:
    result = one(source, title)
    assert isinstance(result, Failed)
    assert result.kind == kind
    assert result.asked == title


def test_a_missing_page(source: MediaWikiSource) -> None:
    assert one(source, "nothing such") == Missing("nothing such", "Nothing such")


@pytest.mark.parametrize("title", ["Arbor", "Ivy (disambiguation)", "By magic word"])
def test_a_list_of_meanings_is_known_by_its_property(source: MediaWikiSource, title: str) -> None:
    assert "disambiguation" in the_page(source, title).properties
    assert parsed(source, title).disambiguation


def test_hidden_categories_and_sort_keys_are_left_out(source: MediaWikiSource) -> None:
    assert parsed(source, "Sorted").categories == ("Category:Plants",)


def test_links_come_by_continuation(source: MediaWikiSource) -> None:
    page = the_page(source, "Many links")
    assert page.links is not None
    assert len(set(page.links)) == len(page.links) == MANY_LINKS


def test_links_of_the_text_come_first_then_those_of_templates(source: MediaWikiSource) -> None:
    assert parsed(source, "Link kinds").links == ("Vine", "Wine", "Liana", "Tendril")


def test_large_pages_come_by_continuation(source: MediaWikiSource, wiki: TestWiki) -> None:
    with wiki.faults(max_result_bytes=40_000):
        results = source.fetch([*LARGE, "Vine", "Many links"])
    for title, result in zip(LARGE, results, strict=False):
        assert isinstance(result, Page)
        assert result.wikitext.startswith(f"{title} begins.")
        assert result.links == ("Vine",)
    many = results[-1]
    assert isinstance(many, Page)
    assert many.links is not None
    assert len(many.links) == MANY_LINKS


def test_a_page_larger_than_any_answer_fails_and_does_not_hold_up_the_others(
    source: MediaWikiSource, wiki: TestWiki
) -> None:
    with wiki.faults(max_result_bytes=20_000):
        source.rules()
        *large, many = source.fetch([*LARGE, "Many links"])
    assert all(isinstance(result, Page) for result in large)
    assert isinstance(many, Failed)
    assert many.kind == "too_large"


def test_more_titles_than_a_call_takes(source: MediaWikiSource) -> None:
    asked = [f"Nobody wrote {number}" for number in range(120)]
    assert source.fetch(asked) == [Missing(title, title) for title in asked]


def test_without_links_the_text_has_to_say(wiki: TestWiki) -> None:
    source = MediaWikiSource(wiki.url, with_links=False)
    try:
        page = the_page(source, "Vine")
        assert page.links is None
        assert "Wisteria" in parsed(source, "Vine").links
    finally:
        source.close()


def test_the_whole_sample_wiki_reads_the_same_from_server_and_package(source: MediaWikiSource) -> None:
    """Text and sections; the server also knows the links that templates make."""
    sample = SampleSource()
    try:
        titles = sample.titles()
        for ours, theirs in zip(sample.fetch(titles), source.fetch(titles), strict=True):
            assert isinstance(ours, Page)
            assert isinstance(theirs, Page)
            assert ours.wikitext == theirs.wikitext
            assert ours.redirects == theirs.redirects
            here, there = parse_page(ours, sample.rules()), parse_page(theirs, source.rules())
            assert isinstance(here, ParsedPage)
            assert isinstance(there, ParsedPage)
            assert here.sections == there.sections
            assert there.links[: len(here.links)] == here.links
            assert set(here.categories) == set(there.categories)
            assert here.disambiguation == there.disambiguation
    finally:
        sample.close()


def test_our_reading_of_links_agrees_with_the_wikis_own(source: MediaWikiSource) -> None:
    """Every link that we read from the text is one that MediaWiki recorded for the page."""
    sample = SampleSource()
    try:
        for theirs in source.fetch(sample.titles()):
            assert isinstance(theirs, Page)
            assert theirs.links is not None
            text_only = parse_page(theirs, source.rules())
            assert isinstance(text_only, ParsedPage)
            assert set(text_only.links) <= set(theirs.links), theirs.title
    finally:
        sample.close()


def test_changes_are_found_by_revision(source: MediaWikiSource, wiki: TestWiki) -> None:
    known = {title: the_page(source, title).revision_id for title in ("Vine", "Wine", "Twice written")}
    assert source.changed_since(known) == set()
    old = the_page(source, "Twice written").wikitext
    wiki.edit("Twice written", "A third text.")
    assert source.changed_since({**known, "Never there": 5, "a|b": 1}) == {"Twice written", "Never there", "a|b"}
    assert the_page(source, "Twice written").wikitext == "A third text."
    wiki.edit("Twice written", old)
