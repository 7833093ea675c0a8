"""A dump of two thousand pages in every form that a dump comes in: each page is accounted for in each."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from graphvine.workers.wikipedia import dump_files
from graphvine.workers.wikipedia.dump import DumpSource
from graphvine.workers.wikipedia.redirects import redirect_in
from graphvine.workers.wikipedia.sources import Failed, Hop, Missing, Page
from tests.pipelines.wikipedia.dump_writer import DumpPage, dump_xml, many_pages
from tests.pipelines.wikipedia.dump_writer import page as a_page

COUNT = 2_000
SEED = 11


@pytest.fixture(scope="module")
def pages() -> list[DumpPage]:
    return many_pages(COUNT, SEED)


@pytest.fixture(scope="module")
def xml(pages: list[DumpPage]) -> bytes:
    return dump_xml(pages)


def in_pieces(xml: bytes, size: int) -> list[bytes]:
    return [xml[start : start + size] for start in range(0, len(xml), size)]


def at_pages(xml: bytes) -> list[bytes]:
    """Pieces that end with a page, as Wikimedia cuts its multistream dumps."""
    parts = xml.split(b"<page>")
    pages = [b"<page>" + part for part in parts[1:]]
    return [parts[0], *(b"".join(pages[start : start + 100]) for start in range(0, len(pages), 100))]


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "plain.xml": lambda xml: xml,
    "one-stream.xml.gz": lambda xml: gzip.compress(xml, 1),
    "members.xml.gz": lambda xml: b"".join(gzip.compress(piece, 1) for piece in in_pieces(xml, 70_001)),
    "one-stream.xml.bz2": lambda xml: bz2.compress(xml, 1),
    "multistream.xml.bz2": lambda xml: b"".join(bz2.compress(piece, 1) for piece in at_pages(xml)),
    # As parallel compressors write: pages lie across the seams.
    "seams.xml.bz2": lambda xml: b"".join(bz2.compress(piece, 1) for piece in in_pieces(xml, 50_003)),
    "padded.xml.gz": lambda xml: gzip.compress(xml, 1) + b"\0" * 512,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_page_is_accounted_for(
    form: str, pages: list[DumpPage], xml: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Small enough that a single stream has to be copied, as a large dump would be.
    monkeypatch.setattr(dump_files, "MAX_STRIDE_BYTES", 300_000)
    path = tmp_path / form
    path.write_bytes(FORMS[form](xml))
    source = DumpSource(path)
    assert (source.counts().pages, source.counts().broken) == (COUNT, 0)
    assert (tmp_path / f"{form}.graphvine.copy").exists() == form.startswith(("one-stream", "padded"))
    check(source, pages)
    source.close()
    again = DumpSource(path, progress=_must_not_be_called)
    check(again, pages[::50])
    again.close()


def check(source: DumpSource, pages: list[DumpPage]) -> None:
    results = source.fetch([page.title for page in pages])
    for page, result in zip(pages, results, strict=True):
        if isinstance(result, Failed):
            assert result.kind == "redirect_loop"
            assert page.redirect
            continue
        assert isinstance(result, Page)
        assert (result.title, result.wikitext, result.namespace) == (page.title, page.texts[-1], page.namespace)
        assert (result.redirect_to is not None) == bool(page.redirect)
        if page.redirect:
            assert result.redirect_to == redirect_in(page.texts[-1], source.rules())


def _must_not_be_called(_: int, __: int) -> None:
    raise AssertionError("the dump was read again")


def test_a_small_single_stream_needs_no_copy(xml: bytes, pages: list[DumpPage], tmp_path: Path) -> None:
    path = tmp_path / "small.xml.bz2"
    path.write_bytes(bz2.compress(xml))
    source = DumpSource(path)
    assert not (tmp_path / "small.xml.bz2.graphvine.copy").exists()
    check(source, pages[:100])
    source.close()


def test_the_order_of_results_is_that_of_the_titles(xml: bytes, pages: list[DumpPage], tmp_path: Path) -> None:
    path = tmp_path / "plain.xml"
    path.write_bytes(xml)
    source = DumpSource(path)
    titles = [pages[7].title, "No such page", pages[3].title, "a|b", pages[7].title.replace(" ", "_")]
    results = source.fetch(titles)
    assert [result.asked for result in results] == titles
    assert isinstance(results[1], Missing)
    assert isinstance(results[3], Failed)
    source.close()


def test_titles_can_be_walked_through(xml: bytes, pages: list[DumpPage], tmp_path: Path) -> None:
    path = tmp_path / "plain.xml"
    path.write_bytes(xml)
    source = DumpSource(path)
    found: list[str] = []
    while some := source.titles(after=found[-1] if found else "", limit=300):
        found += some
    assert found == sorted(page.title for page in pages if page.namespace == 0)
    source.close()


def test_changes_are_found_by_revision(xml: bytes, pages: list[DumpPage], tmp_path: Path) -> None:
    path = tmp_path / "plain.xml"
    path.write_bytes(xml)
    source = DumpSource(path)
    known = {}
    for result in source.fetch([page.title for page in pages[:20]]):
        if isinstance(result, Page):
            known[result.title] = result.revision_id
    assert source.changed_since(known) == set()
    first = next(iter(known))
    assert source.changed_since({**known, first: 1, "Gone": 4, "a|b": 4}) == {first, "Gone", "a|b"}
    source.close()


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("#გადამისამართება [[ღვინო#ისტორია]]", "ისტორია"), ("#ĐỔI HƯỚNG[[ღვინო#A|b]]", "A"), ("#x [[ღვინო]]", ""),
        ("#x [[სხვა#A]]", ""), ("no redirect at all", ""), ("#x [[%E1%83%A6ვინო#A]]", "A"),
    ],
)  # fmt: skip
def test_a_redirect_by_a_keyword_that_is_not_known_keeps_its_section(tmp_path: Path, text: str, fragment: str) -> None:
    path = tmp_path / "wiki.xml"
    path.write_bytes(dump_xml([a_page("ვაზი", text, redirect="ღვინო"), a_page("ღვინო", "x")]))
    source = DumpSource(path)
    (found,) = source.fetch(["ვაზი"])
    assert isinstance(found, Page) and found.redirect_to == Hop("ღვინო", fragment)
    source.close()
