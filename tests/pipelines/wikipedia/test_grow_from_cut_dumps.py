"""A dump that is cut: what comes before the cut is grown, what lies behind it waits for a better file."""

from __future__ import annotations

import bz2
import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.wikipedia.grow import BadSeed
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.acceptance.cli_support import run
from tests.pipelines.wikipedia.dump_writer import dump_xml, page
from tests.support.grown import column

# Each links to the next, and is too wild to be packed well.
TITLES = [f"Page {number}" for number in range(40)]


def chain() -> bytes:
    draw = random.Random(3)
    noise = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz ", k=8_000)) for _ in TITLES]
    texts = [f"See [[{following}]].\n{words}" for words, following in zip(noise, [*TITLES[1:], "Nowhere"], strict=True)]
    return dump_xml([page(title, text) for title, text in zip(TITLES, texts, strict=True)])


def plain(xml: bytes) -> bytes:
    return xml


def blocks(xml: bytes) -> bytes:
    return bz2.compress(xml, 1)


@pytest.mark.parametrize("pack", [plain, gzip.compress, blocks])
def test_what_lies_behind_the_cut_waits_and_a_better_file_takes_it_up(
    growing: Graph, tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    dump, whole = tmp_path / "wiki.xml", pack(chain())
    settings = WikipediaSettings(source=str(dump), embedder="none")
    dump.write_bytes(whole[: len(whole) * 7 // 10])
    first = growing.grow(["Page 0"], settings=settings, depth=99)
    states = column(growing, "expansion_state")
    before = [title for title in TITLES if states.get(title) == "processed"]
    assert before == TITLES[: len(before)] and 10 < len(before) < 35
    assert states == {**dict.fromkeys(before, "processed"), TITLES[len(before)]: "discovered"}
    assert "wiki.xml is not whole" in first.cut
    assert repr(before[-1]) in first.cut or repr(TITLES[len(before)]) in first.cut
    assert (first.behind_cut, first.counts.failed, first.failed_seeds) == (1, 0, [])
    # The same again changes nothing, and ends at once.
    again = growing.grow(["Page 0"], settings=settings, depth=99)
    assert (again.counts.done, again.behind_cut, again.cut) == (0, 1, first.cut)
    dump.write_bytes(whole)
    rest = growing.grow(["Page 0"], settings=settings, depth=99)
    assert rest.cut == "" and rest.behind_cut == 0
    states = column(growing, "expansion_state")
    assert [title for title in TITLES if states[title] != "processed"] == []
    assert states["Nowhere"] == "skipped"


def test_a_seed_behind_the_cut_waits_too(growing: Graph, tmp_path: Path) -> None:
    dump = tmp_path / "wiki.xml"
    dump.write_bytes(chain()[:200_000])
    summary = growing.grow(["Page 39"], settings=WikipediaSettings(source=str(dump), embedder="none"))
    assert (summary.behind_cut, summary.failed_seeds) == (1, [])
    assert column(growing, "expansion_state") == {"Page 39": "discovered"}


def test_the_command_ends_with_status_1_and_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_EMBEDDER", "none")
    dump, whole = tmp_path / "wiki.xml.gz", gzip.compress(chain())
    dump.write_bytes(whole[: len(whole) // 2])
    command = ("--graph", str(tmp_path / "graph.kuzu"), "grow", "Page 0", "--depth", "99", "--source", str(dump))
    said = run(*command, status=1)
    assert "wiki.xml.gz is not whole: the compressed data ends too early" in said.err
    assert "bytes of text (" in said.err and "'Page " in said.err
    assert "1 article waits" in said.err
    dump.write_bytes(whole)
    assert "40 processed" in run(*command).out


def test_a_category_that_may_lie_behind_the_cut_is_not_said_to_be_empty_alone(growing: Graph, tmp_path: Path) -> None:
    dump, whole = tmp_path / "wiki.xml", dump_xml([page("A", "x"), page("B", "[[Category:Vines]]")])
    dump.write_bytes(whole[: whole.index(b"[[Category")])
    with pytest.raises(BadSeed, match=r"has no article in 'Category:Vines': wiki.xml is not whole"):
        growing.grow(["Category:Vines"], settings=WikipediaSettings(source=str(dump), embedder="none"))
