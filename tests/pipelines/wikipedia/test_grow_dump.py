"""A dump of two thousand pages: all of it ends in the graph, or in a failure that says why."""

from __future__ import annotations

import bz2
from collections import Counter
from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.pipelines.wikipedia.dump_writer import DumpPage, dump_xml, many_pages, page
from tests.support.grown import column, edges, vectors

PAGES = 2_000
# Texts that parsers stumble over.
WILD = [
    "{{" * 3_000, "[[" * 3_000, "<ref>" * 2_000, "'" * 5_000, "{|\n" * 1_000, "<nowiki>",
    "== == ==\n=a=\n======= b =======",
    "[[File:x|[[File:y|[[File:z]]]]]]", "<!--", "&#0; &#xD800; \u200e", "{{{{{{{{1|}}}}}}}}", "-{zh:a;en:b}-",
    "#REDIRECT", "#REDIRECT [[", "[[Category:]]", "__NOTOC__ ~~~~ ----", "<math>\\frac{", ":::;;;***###",
]  # fmt: skip


@pytest.fixture(scope="module")
def pages() -> list[DumpPage]:
    wild = [page(f"Wild {number}", text) for number, text in enumerate(WILD)]
    return many_pages(PAGES - len(wild), 11) + wild


def expected(pages: list[DumpPage]) -> dict[str, str]:
    """What becomes of each title that can be reached: 'processed', or a word of the reason."""
    there = {each.title: each for each in pages if each.namespace == 0}
    named = [each.redirect or each.title for each in pages if each.namespace == 0]
    linked = [part.partition("]]")[0] for each in there.values() for part in each.texts[-1].split("[[")[1:]]
    titles = {*there, *named, *(title for title in linked if title.startswith("Page "))}
    fates = {}
    for title in titles:
        found = there.get(title)
        if found is None:
            fates[title] = "there is no page"
        elif found.redirect:
            fates[title] = "redirect" if _circles(title, there) else "processed"
        else:
            fates[title] = "disambiguation" if "{{disambiguation}}" in found.texts[-1] else "processed"
    return fates


def _circles(title: str, there: dict[str, DumpPage]) -> bool:
    seen: set[str] = set()
    while title in there and there[title].redirect:
        if title in seen:
            return True
        seen.add(title)
        title = there[title].redirect
    return False


@pytest.mark.long("grows a graph from a whole dump")
def test_everything_arrives_or_says_why_not(growing: Graph, pages: list[DumpPage], tmp_path: Path, full: bool) -> None:
    dump = tmp_path / "wiki.xml.bz2"
    dump.write_bytes(bz2.compress(dump_xml(pages), 1))
    settings = WikipediaSettings(source=str(dump), embedder="light" if full else "none")
    summary = growing.grow([each.title for each in pages if each.namespace == 0], settings=settings, depth=50)
    assert summary.counts.retried == summary.counts.lost == summary.counts.released == 0
    fates = expected(pages)
    states = column(growing, "expansion_state")
    failed, skipped = (
        {row.key: row.reason or "" for row in growing.failed("article", limit=PAGES, skipped=skipped)}
        for skipped in (False, True)
    )
    reasons = failed | skipped
    assert all("no page" in reason or "disambiguation" in reason for reason in skipped.values())
    wild = {title for title in fates if title.startswith("Wild ")}
    for title in set(fates) - wild:
        if fates[title] == "processed":
            assert states[title] == "processed", (title, reasons.get(title))
        else:
            assert fates[title] in reasons[title], title
    # A wild text is read or given up with a reason; either will do, silence will not.
    for title in wild:
        assert states[title] == "processed" or "malformed" in reasons[title], (title, states[title])
    assert not set(states) - set(fates), "nothing was made up"
    assert Counter(states.values())["failed"] == len(failed) < 500
    assert Counter(states.values())["skipped"] == len(skipped) == summary.counts.skipped
    assert set(edges(growing, "LINKS_TO").values()) == {1}
    assert all(finding.ok for finding in growing.doctor())
    if full:
        assert all(vectors(growing).values())
