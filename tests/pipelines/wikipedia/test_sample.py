"""The sample wiki: connected, closed, and with something of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from graphvine.workers.wikipedia.dump import SEED, SampleSource
from graphvine.workers.wikipedia.parse_page import parse_page
from graphvine.workers.wikipedia.parsed import ParsedPage
from graphvine.workers.wikipedia.sources import Page


@pytest.fixture(scope="module")
def sample() -> Iterator[SampleSource]:
    source = SampleSource()
    yield source
    source.close()


@pytest.fixture(scope="module")
def parsed(sample: SampleSource) -> dict[str, ParsedPage]:
    found = {}
    for page in sample.fetch(sample.titles()):
        assert isinstance(page, Page)
        read = parse_page(page, sample.rules())
        assert isinstance(read, ParsedPage)
        found[page.title] = read
    return found


def test_it_holds_something_of_every_kind(parsed: dict[str, ParsedPage]) -> None:
    articles = [page for page in parsed.values() if not page.redirect_to and not page.disambiguation]
    assert len(articles) >= 60
    assert sum(page.disambiguation for page in parsed.values()) == 3
    assert sum(page.redirect_to is not None for page in parsed.values()) == 12
    assert any(page.redirect_to and page.redirect_to.fragment for page in parsed.values())
    assert any(len(section.path) == 2 for page in articles for section in page.sections)
    assert all(page.categories for page in articles)


def test_every_link_leads_somewhere(parsed: dict[str, ParsedPage]) -> None:
    dead = {(title, link) for title, page in parsed.items() for link in page.links if link not in parsed}
    assert not dead
    for page in parsed.values():
        if page.redirect_to:
            assert page.redirect_to.title in parsed


def test_fragments_of_redirects_name_sections(parsed: dict[str, ParsedPage]) -> None:
    for page in parsed.values():
        if page.redirect_to and page.redirect_to.fragment:
            target = parsed[page.redirect_to.title]
            assert page.redirect_to.fragment in {section.title for section in target.sections}


def test_all_articles_can_be_reached_from_the_seed(parsed: dict[str, ParsedPage]) -> None:
    reached, waiting = {SEED}, [SEED]
    while waiting:
        page = parsed[waiting.pop()]
        following = [*page.links, *([page.redirect_to.title] if page.redirect_to else [])]
        waiting += [title for title in following if title not in reached]
        reached |= set(following)
    unreached = set(parsed) - reached
    assert all(parsed[title].redirect_to or parsed[title].disambiguation for title in unreached), unreached


def test_no_markup_is_left(parsed: dict[str, ParsedPage]) -> None:
    for page in parsed.values():
        for section in page.sections:
            for mark in ("[[", "]]", "{{", "}}", "''", "{|", "|}", "<ref", "=="):
                assert mark not in section.text, (page.title, section.title)


def test_every_article_has_a_lead(parsed: dict[str, ParsedPage]) -> None:
    articles = [page for page in parsed.values() if not page.redirect_to and not page.disambiguation]
    assert [page.title for page in articles if len(page.lead.text) < 50] == []


def test_it_leaves_no_files_behind(sample: SampleSource) -> None:
    assert sample.counts().broken == 0
    folder = Path(str(files("graphvine.workers.wikipedia").joinpath("sample")))
    assert [file.name for file in folder.iterdir()] == ["garden.xml"]
