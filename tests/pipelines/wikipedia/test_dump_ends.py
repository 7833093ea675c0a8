"""Where a dump ends: several dumps behind one another, each cut anywhere, and bytes that do not belong to it."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from graphvine.workers.wikipedia.dump import DumpSource
from graphvine.workers.wikipedia.sources import Missing, Page, Result, Unread
from tests.pipelines.wikipedia.dump_writer import dump_xml, page

FIRST = dump_xml([page("A1", "one"), page("A2", "two")])
SECOND = dump_xml([page("B1", "three"), page("B2", "four")])
Pack = Callable[[bytes], bytes]


def as_it_is(xml: bytes) -> bytes:
    return xml


def look(path: Path, body: bytes) -> tuple[str, list[type[Result]]]:
    path.write_bytes(body)
    source = DumpSource(path)
    try:
        return source.cut, [type(result) for result in source.fetch(["A1", "A2", "B1", "B2", "Nothing such"])]
    finally:
        source.close()


@pytest.mark.parametrize("pack", [as_it_is, gzip.compress, bz2.compress])
def test_dumps_behind_one_another_are_one(tmp_path: Path, pack: Pack) -> None:
    assert look(tmp_path / "both.xml", pack(FIRST) + pack(SECOND)) == ("", [Page, Page, Page, Page, Missing])


@pytest.mark.parametrize(
    ("pack", "left"),
    [
        (as_it_is, len(b"<mediawiki")),
        (as_it_is, SECOND.index(b"<page>")),
        (as_it_is, SECOND.index(b"three")),
        (as_it_is, SECOND.index(b"</page>") + len(b"</page>")),
        (as_it_is, SECOND.index(b"</mediawiki>")),
        (gzip.compress, 1),
        (gzip.compress, 30),
        (gzip.compress, -1),
        (bz2.compress, 2),
        (bz2.compress, 40),
        (bz2.compress, -1),
    ],
)
def test_the_end_of_the_first_does_not_hide_that_the_second_is_cut(tmp_path: Path, pack: Pack, left: int) -> None:
    cut, results = look(tmp_path / "both.xml", pack(FIRST) + pack(SECOND)[:left])
    assert "both.xml is not whole" in cut
    assert results[:2] == [Page, Page] and set(results[2:]) <= {Page, Unread} and results[4] is Unread


@pytest.mark.parametrize("pack", [as_it_is, gzip.compress, bz2.compress])
@pytest.mark.parametrize("more", [b"\n\n", b"\0" * 100, b"HTTP/1.1 200 OK\r\n"])
def test_what_stands_behind_a_whole_dump_is_of_no_account(tmp_path: Path, pack: Pack, more: bytes) -> None:
    assert look(tmp_path / "more.xml", pack(FIRST) + more) == ("", [Page, Page, Missing, Missing, Missing])


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_other_bytes_between_the_streams_of_a_dump_are_damage(tmp_path: Path, pack: Pack) -> None:
    middle = FIRST.index(b"</page>") + len(b"</page>")
    cut, results = look(tmp_path / "torn.xml", pack(FIRST[:middle]) + b"other bytes" + pack(FIRST[middle:]))
    assert "damaged" in cut and "'A1'" in cut
    assert results == [Page, Unread, Unread, Unread, Unread]
