"""The index of a dump: made once, made anew for another file, and gone on with after a kill."""

from __future__ import annotations

import bz2
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphvine.workers.wikipedia.dump import DumpSource
from graphvine.workers.wikipedia.dump_xml import Broken, Entry, PageCutter
from graphvine.workers.wikipedia.errors import BadDump
from graphvine.workers.wikipedia.sources import Page
from tests.pipelines.wikipedia.dump_writer import dump_xml, many_pages, page

BUILD = """
import sys
from pathlib import Path
from graphvine.workers.wikipedia import dump_build, dump_files
dump_build._STEP_PAGES = 200
dump_files.PIECE_BYTES = 20_000
def progress(read, total):
    if read * 2 > total:
        print("reached", flush=True)
        sys.stdin.read()
dump_build.open_index(Path(sys.argv[1]), progress=progress)
"""


def is_whole(source: DumpSource, count: int) -> None:
    assert source.counts().pages == count
    results = source.fetch(source.titles(limit=count)[::7])
    assert sum(isinstance(result, Page) for result in results) > len(results) // 2


@pytest.mark.parametrize("form", ["plain.xml", "streams.xml.bz2"])
def test_a_kill_in_the_middle_costs_only_the_last_step(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    xml = dump_xml(many_pages(2_000, 3))
    pieces = [xml[start : start + 30_000] for start in range(0, len(xml), 30_000)]
    path = tmp_path / form
    path.write_bytes(xml if form == "plain.xml" else b"".join(bz2.compress(piece) for piece in pieces))
    child = subprocess.Popen(
        [sys.executable, "-c", BUILD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == "reached\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    child.stdin.close()
    assert not (tmp_path / f"{form}.graphvine.index").exists()

    fed = 0
    feed = PageCutter.feed

    def counting(cutter: PageCutter, piece: bytes) -> Iterator[Entry | Broken]:
        nonlocal fed
        fed += len(piece)
        return feed(cutter, piece)

    monkeypatch.setattr(PageCutter, "feed", counting)
    source = DumpSource(path)
    assert fed < len(xml) * 3 // 4
    is_whole(source, 2_000)
    source.close()


def test_a_dump_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_xml([page("Vine", "old text")]))
    DumpSource(path).close()
    path.write_bytes(dump_xml([page("Vine", "a new and longer text"), page("Wine", "x")]))
    source = DumpSource(path)
    (result,) = source.fetch(["Vine"])
    assert isinstance(result, Page)
    assert result.wikitext == "a new and longer text"
    source.close()


def test_an_index_that_is_damaged_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_xml([page("Vine", "text")]))
    DumpSource(path).close()
    (tmp_path / "dump.xml.graphvine.index").write_bytes(b"no database at all, but some text" * 50)
    source = DumpSource(path)
    assert isinstance(source.fetch(["Vine"])[0], Page)
    source.close()


def test_a_copy_that_is_lost_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphvine.workers.wikipedia.dump_files.MAX_STRIDE_BYTES", 10_000)
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(bz2.compress(dump_xml(many_pages(200, 1))))
    DumpSource(path).close()
    (tmp_path / "dump.xml.bz2.graphvine.copy").unlink()
    source = DumpSource(path)
    is_whole(source, 200)
    source.close()


def test_two_openings_at_once_make_one_index(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_xml(many_pages(500, 2)))
    barrier, built = threading.Barrier(3), []

    def opening() -> None:
        read: list[int] = []
        barrier.wait()
        source = DumpSource(path, progress=lambda done, _: read.append(done))
        is_whole(source, 500)
        source.close()
        built.append(bool(read))

    threads = [threading.Thread(target=opening) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(built) == [False, False, True]


def test_the_index_can_live_in_another_folder(tmp_path: Path) -> None:
    dumps, cache = tmp_path / "dumps", tmp_path / "cache"
    dumps.mkdir()
    path = dumps / "dump.xml"
    path.write_bytes(dump_xml([page("Vine", "text")]))
    source = DumpSource(path, index_folder=cache)
    assert isinstance(source.fetch(["Vine"])[0], Page)
    source.close()
    assert [file.name for file in dumps.iterdir()] == ["dump.xml"]
    assert any(file.name.endswith(".index") for file in cache.iterdir())


def test_where_nothing_can_be_written_the_error_says_so(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_xml([page("Vine", "text")]))
    file_in_the_way = tmp_path / "cache"
    file_in_the_way.write_text("")
    with pytest.raises(BadDump, match="index can't be made"):
        DumpSource(path, index_folder=file_in_the_way)


def test_several_threads_read_one_dump(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml.bz2"
    xml = dump_xml(many_pages(600, 4))
    path.write_bytes(b"".join(bz2.compress(xml[start : start + 9_000], 1) for start in range(0, len(xml), 9_000)))
    source = DumpSource(path)
    titles = source.titles()
    expected = source.fetch(titles)
    different: list[str] = []

    def reading(start: int) -> None:
        for place in range(start, len(titles), 4):
            if source.fetch([titles[place]]) != [expected[place]]:
                different.append(titles[place])

    threads = [threading.Thread(target=reading, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not different
    source.close()
