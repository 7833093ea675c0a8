"""Dumps that are broken: what can be read is read, what can't be read is named."""

from __future__ import annotations

import bz2
import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from graphvine.workers.wikipedia.dump import DumpSource
from graphvine.workers.wikipedia.dump_index import rules_from_header
from graphvine.workers.wikipedia.errors import BadDump
from graphvine.workers.wikipedia.parse_page import parse_page
from graphvine.workers.wikipedia.parsed import ParsedPage
from graphvine.workers.wikipedia.sources import Failed, Hop, Missing, Page, Result, Unread
from graphvine.workers.wikipedia.titles import parse_title
from tests.pipelines.wikipedia.dump_writer import dump_xml, head, many_pages, page, page_xml

BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
"""


def opened(folder: Path, body: str | bytes, name: str = "dump.xml") -> DumpSource:
    path = folder / name
    path.write_bytes(body.encode() if isinstance(body, str) else body)
    return DumpSource(path)


def one(source: DumpSource, title: str) -> Result:
    (result,) = source.fetch([title])
    return result


def good(number: int, title: str) -> str:
    return page_xml(number, page(title, f"Text of {title}."))


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("<page><title>Bad</title><ns>0</ns><revision><text>a & b</text></revision></page>", "XML"),
        ("<page><title>Bad</title><revision><text>a <b> c</text></revision></page>", "XML"),
        ("<page><title>Bad</title><revision><text>a \x01</text></revision></page>", "XML"),
        ("<page><title>Bad</title><revision><text>&undefined;</text></revision></page>", "XML"),
        ("<page><title>Bad</title><!DOCTYPE x [<!ENTITY y 'z'>]><revision><text>&y;</text></revision></page>", "XML"),
        ("<page><title>Bad</title></page>", "no revision"),
        ("<page><title>Bad</title>" + "<a>" * 5_000 + "</page>", "nested"),
        ("<page><title>Bad</title><ns>" + "9" * 20_000 + "</ns></page>", "longer"),
        ("<page><title>Bad</title><revision><text>never closed", "another page begins"),
    ],
)
def test_a_broken_page_is_named_and_the_others_are_read(tmp_path: Path, broken: str, reason: str) -> None:
    source = opened(tmp_path, f"{head()}{good(1, 'First')}{broken}{good(3, 'Last')}</mediawiki>")
    assert source.counts().pages == 2
    (named,) = source.broken_pages()
    assert named.title == "Bad"
    assert reason in named.reason
    result = one(source, "bad")
    assert isinstance(result, Failed)
    assert (result.kind, result.reason) == ("broken", named.reason)
    for title in ("First", "Last"):
        found = one(source, title)
        assert isinstance(found, Page)
        assert found.wikitext == f"Text of {title}."
    source.close()


def test_bytes_that_are_not_utf8_break_only_their_page(tmp_path: Path) -> None:
    bad = good(2, "Bad").encode().replace(b"Text of", b"Text \xff\xfe of")
    source = opened(tmp_path, head().encode() + good(1, "First").encode() + bad + b"</mediawiki>")
    assert [named.title for named in source.broken_pages()] == ["Bad"]
    assert isinstance(one(source, "First"), Page)
    source.close()


def test_a_page_without_a_title_is_counted(tmp_path: Path) -> None:
    source = opened(tmp_path, f"{head()}<page><ns>0</ns></page>{good(1, 'First')}</mediawiki>")
    assert [named.reason for named in source.broken_pages()] == ["it has no title"]
    source.close()


def test_entities_are_never_expanded(tmp_path: Path) -> None:
    bomb = "<page><title>Bomb</title><revision><id>1</id><text>&c;</text></revision></page>"
    source = opened(tmp_path, f"{BOMB}{head()}{bomb}{good(2, 'First')}</mediawiki>")
    result = one(source, "Bomb")
    assert isinstance(result, Failed)
    assert result.kind == "broken"
    assert isinstance(one(source, "First"), Page)
    source.close()


def random_text(length: int) -> str:
    """That does not pack well."""
    return "".join(random.Random(5).choices("abcdefghij klmnopqrstuvwxyz", k=length))


def as_it_is(xml: bytes) -> bytes:
    return xml


def in_small_blocks(xml: bytes) -> bytes:
    return bz2.compress(xml, 1)


@pytest.mark.parametrize("pack", [as_it_is, gzip.compress, in_small_blocks])
def test_behind_a_cut_nothing_is_known_to_be_missing(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    xml = dump_xml([page("First", "one"), page("Second", random_text(200_000)), page("Third", "three")])
    packed = pack(xml)
    source = opened(tmp_path, packed[: len(packed) // 2], "cut.xml")
    assert "'Second'" in source.cut or "'First'" in source.cut
    assert "cut.xml" in source.cut and "bytes" in source.cut
    assert isinstance(one(source, "First"), Page)
    for title in ("Second", "Third", "Nothing such"):
        result = one(source, title)
        assert isinstance(result, Unread) and result.reason == source.cut
    assert source.changed_since({"First": 100, "Third": 300}) == set()
    source.close()
    # The whole file in its place is another file.
    (tmp_path / "cut.xml").write_bytes(packed)
    whole = DumpSource(tmp_path / "cut.xml")
    assert whole.cut == ""
    assert isinstance(one(whole, "Third"), Page)
    assert isinstance(one(whole, "Nothing such"), Missing)
    whole.close()


@pytest.mark.parametrize("pack", [as_it_is, gzip.compress, in_small_blocks])
def test_a_dump_that_is_cut_gives_what_came_before(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    pages = many_pages(600, 5)
    packed = pack(dump_xml(pages))
    source = opened(tmp_path, packed[: len(packed) * 6 // 10], "cut.xml")
    assert 100 < source.counts().pages < 600
    assert any("ends" in named.reason for named in source.broken_pages())
    title = source.titles()[0]
    assert not isinstance(one(source, title), Missing)
    source.close()


def test_a_dump_that_is_cut_between_two_pages_says_so(tmp_path: Path) -> None:
    source = opened(tmp_path, head() + good(1, "First"))
    (named,) = source.broken_pages()
    assert "behind the page 'First'" in named.reason
    assert named.reason in source.cut
    source.close()


def test_a_damaged_stream_is_told(tmp_path: Path) -> None:
    packed = bytearray(in_small_blocks(dump_xml(many_pages(1_000, 5))))
    packed[len(packed) * 3 // 4 : len(packed) * 3 // 4 + 100] = b"\0" * 100
    source = opened(tmp_path, bytes(packed), "damaged.xml.bz2")
    assert any("damaged" in named.reason for named in source.broken_pages())
    assert 200 < source.counts().pages < 1_000
    source.close()


def test_a_file_that_is_damaged_from_the_start_is_not_taken_for_something_else(tmp_path: Path) -> None:
    packed = bz2.compress(dump_xml(many_pages(20, 5)))
    with pytest.raises(BadDump, match="ends too early"):
        opened(tmp_path, packed[:2_000])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not a MediaWiki dump"),
        (b"<html>Not found</html>", "not a MediaWiki dump"),
        (b"x" * 9_000_000, "not a MediaWiki dump"),
        (b"PK\x03\x04rest", "archive"),
        (b"7z\xbc\xaf\x27\x1c", "archive"),
        ("<mediawiki>".encode("utf-16"), "UTF-16"),
        (bz2.compress("<mediawiki><page>".encode("utf-16")), "UTF-16"),
    ],
)
def test_what_is_no_dump_is_refused(tmp_path: Path, body: bytes, reason: str) -> None:
    with pytest.raises(BadDump, match=reason):
        opened(tmp_path, body)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadDump, match="no such file"):
        DumpSource(tmp_path / "nowhere.xml")


def test_the_newest_revision_counts_whatever_the_order(tmp_path: Path) -> None:
    revisions = [("2025-03-01T00:00:00Z", 30, "middle"), ("2025-09-01T00:00:00Z", 90, "new"),
                 ("2025-01-01T00:00:00Z", 10, "old")]  # fmt: skip
    body = "".join(
        f"<revision><id>{number}</id><timestamp>{stamp}</timestamp><text>{text}</text></revision>"
        for stamp, number, text in revisions
    )
    source = opened(tmp_path, f"{head()}<page><title>Vine</title><ns>0</ns>{body}</page></mediawiki>")
    result = one(source, "vine")
    assert isinstance(result, Page)
    assert (result.wikitext, result.revision_id, result.timestamp) == ("new", 90, "2025-09-01T00:00:00Z")
    source.close()


def test_a_title_that_occurs_twice_gives_its_newer_page(tmp_path: Path) -> None:
    newer, older = page_xml(9, page("Vine", "newer")), page_xml(2, page("Vine", "older"))
    source = opened(tmp_path, f"{head()}{newer}{older}</mediawiki>")
    result = one(source, "Vine")
    assert isinstance(result, Page)
    assert result.wikitext == "newer"
    source.close()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<text deleted="deleted" />', "hidden"),
        ('<text bytes="10" id="5" location="tt:5" />', "broken"),
        ("<model>javascript</model><text>var a;</text>", "not_wikitext"),
        (f"<text>{'x' * 5_000_000}</text>", "too_large"),
        ("<text>#REDIRECT [[fr:Vigne]]</text>", "interwiki"),
        ("<text>#REDIRECT [[Vine]]</text>", "redirect_loop"),
    ],
)
def test_pages_that_never_give_a_text(tmp_path: Path, text: str, kind: str) -> None:
    body = f"<page><title>Vine</title><ns>0</ns><revision><id>1</id>{text}</revision></page>"
    source = opened(tmp_path, f"{head()}{body}</mediawiki>")
    result = one(source, "Vine")
    assert isinstance(result, Failed)
    assert result.kind == kind
    source.close()


def test_redirects_carry_all_their_hops(tmp_path: Path) -> None:
    pages = [page("A", "#REDIRECT [[B#x]]"), page("B", "#REDIRECT [[C]]"), page("C", "#REDIRECT [[D]]"), page("D", "d")]
    source = opened(tmp_path, dump_xml(pages))
    result = one(source, "A")
    assert isinstance(result, Page)
    assert result.redirects == (Hop("B", "x"), Hop("C"), Hop("D"))
    source.close()


def test_a_redirect_in_an_unknown_language_is_known_by_its_mark(tmp_path: Path) -> None:
    source = opened(tmp_path, dump_xml([page("A", "#OMSTYR [[B]]", redirect="B"), page("B", "b")]))
    result = one(source, "A")
    assert isinstance(result, Page)
    assert result.redirects == (Hop("B"),)
    source.close()


def test_rules_come_from_the_header(tmp_path: Path) -> None:
    source = opened(tmp_path, dump_xml([page("iPod", "x")], case="case-sensitive", language="de"))
    assert (source.rules().name, source.rules().language) == ("Test wiki", "de")
    assert isinstance(one(source, "iPod"), Page)
    assert isinstance(one(source, "IPod"), Missing)
    assert source.rules().namespace_number("test_wiki talk") == 5
    source.close()


@pytest.mark.parametrize(
    ("language", "link", "number"),
    [("de", "Bild:a.jpg", 6), ("gsw", "Bild:a.jpg", 6), ("es", "Imagen:a.jpg", 6), ("ltg", "Attēls:a.jpg", 6),
     ("ru", "Категория:Растения", 14), ("en", "Image:a.jpg", 6), ("en", "Bild:a.jpg", 0), ("zh", "文件:a.jpg", 6),
     ("de", "Bild", 0)],
)  # fmt: skip
def test_old_names_of_namespaces_are_understood(tmp_path: Path, language: str, link: str, number: int) -> None:
    source = opened(
        tmp_path, dump_xml([page("A", f"Text [[{link}|thumb|a [[leaf]]]] and [[vine]].")], language=language)
    )
    assert parse_title(link, source.rules()).namespace == number
    found = one(source, "A")
    assert isinstance(found, Page)
    parsed = parse_page(found, source.rules())
    assert isinstance(parsed, ParsedPage)
    assert parsed.links[-1] == "Vine" and ("Leaf" in parsed.links)
    assert (link in parsed.links) == (number == 0)
    source.close()


def test_without_a_header_the_usual_rules_hold(tmp_path: Path) -> None:
    source = opened(tmp_path, f"<mediawiki>{good(1, 'Vine')}</mediawiki>")
    assert isinstance(one(source, "vine"), Page)
    source.close()


def test_a_hostile_header_is_read_in_proportion_to_its_length() -> None:
    """Many beginnings without an end: looked through once, not once for each."""
    for hostile in (b"<mediawiki " * 100_000, b"<siteinfo>" * 100_000, b"<mediawiki" + b" xml:lang=" * 100_000):
        assert rules_from_header(hostile, "a wiki").name == "a wiki"
    good = b"<mediawiki version='0.11' xml:lang='de'><siteinfo><sitename>W</sitename></siteinfo>"
    rules = rules_from_header(good, "a wiki")
    assert (rules.language, rules.name) == ("de", "W")
