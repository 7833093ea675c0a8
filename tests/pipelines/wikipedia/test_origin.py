"""The graph remembers where it came from, and with it which source its workers ask."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.workers.wikipedia.handler import build_several
from graphvine.workers.wikipedia.resources import OtherSource, PartMissing, open_source, origin, settings_for
from graphvine.workers.wikipedia.settings import WikipediaSettings, load
from tests.pipelines.wikipedia.dump_writer import dump_xml, many_pages


@pytest.fixture
def sample(growing: Graph) -> Graph:
    growing.grow(["Vine"], source="sample", depth=0, embed="never")
    return growing


def test_without_a_source_the_same_one_is_asked(sample: Graph) -> None:
    assert settings_for(sample).source == "sample" and settings_for(sample).embed == "never"
    assert sample.grow(depth=1).states["processed"] > 5
    assert sample.refresh().changed == 0


def test_workers_of_the_daemon_ask_it_too(sample: Graph) -> None:
    (handler,) = build_several(sample, 1)
    try:
        assert handler._shop.source.name == "sample"
    finally:
        handler.close()


def test_another_source_is_refused_unless_it_is_wanted(sample: Graph, tmp_path: Path) -> None:
    dump = tmp_path / "wiki.xml"
    dump.write_bytes(dump_xml(many_pages(10, 1)))
    with pytest.raises(OtherSource, match=r"grown from sample .* not from .*wiki\.xml.*--other-source"):
        sample.grow(["Vine"], source=str(dump))
    with pytest.raises(OtherSource):
        sample.refresh(source=str(dump))
    sample.grow(source=str(dump), depth=0, other_source=True)
    known = origin(sample)
    assert known is not None and known.source == str(dump)
    assert settings_for(sample).source == str(dump)


def test_another_dump_of_the_same_wiki_takes_the_place_of_the_first(growing: Graph, tmp_path: Path) -> None:
    pages = many_pages(10, 1)
    first, second = tmp_path / "monday.xml", tmp_path / "tuesday.xml"
    for dump in (first, second):
        dump.write_bytes(dump_xml(pages))
        growing.grow([pages[0].title], source=str(dump), depth=0, embed="never")
    known = origin(growing)
    assert known is not None and known.source == str(second)


def test_a_wiki_is_known_by_its_address(growing: Graph) -> None:
    given = {"source": "wiki", "wiki": "Garden", "api_url": "http://127.0.0.1:9/api.php", "contact": "a@b.example"}
    growing.run(Unit.of([Step("article.use_source", {**given, "embed": "", "at": moment(0)})]))
    asked = settings_for(growing)
    assert (asked.api_url, asked.contact) == (given["api_url"], given["contact"])
    assert settings_for(growing, source="wiki").api_url == given["api_url"]
    other = WikipediaSettings(source="wiki", api_url="http://127.0.0.1:8/api.php")
    with pytest.raises(OtherSource, match=r"127\.0\.0\.1:9.*127\.0\.0\.1:8"):
        settings_for(growing, other)


def test_a_package_that_is_missing_ends_the_command_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "graphvine.workers.wikipedia.api", None)
    with pytest.raises(PartMissing, match=r"needs the package .*pip install 'graphvine\[wikipedia\]'"):
        open_source(load(source="wiki"))
