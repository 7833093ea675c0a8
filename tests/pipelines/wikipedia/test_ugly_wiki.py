"""Ugly wikitext and dumps, some hundred by default and 10,000 with --full: no traceback, no lost link, no new number."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.units import check_texts
from graphvine.workers.wikipedia.dump import DumpSource
from graphvine.workers.wikipedia.errors import BadDump
from graphvine.workers.wikipedia.parse_page import parse_page
from graphvine.workers.wikipedia.parsed import ParsedPage
from graphvine.workers.wikipedia.sources import Failed, Missing, Page
from tests.pipelines.wikipedia.pages import RULES, a_page
from tests.pipelines.wikipedia.test_numbers import whole_numbers
from tests.support.ugly_wiki import ugly_dump, ugly_wikitext

CASES, FULL_CASES, PARTS = 400, 10_000, 2
# Making an index for each dump takes some 60 ms.
DUMPS, FULL_DUMPS = 40, 10_000


@pytest.mark.parametrize("part", range(PARTS))
def test_no_link_is_lost_and_no_number_made_up(full: bool, part: int) -> None:
    for seed in range(part, FULL_CASES if full else CASES, PARTS):
        case = ugly_wikitext(seed)
        parsed = parse_page(a_page(case.text), RULES)
        assert isinstance(parsed, ParsedPage), f"seed {seed}"
        texts = [section.text for section in parsed.sections] + [section.title for section in parsed.sections]
        check_texts([*texts, *parsed.links], f"seed {seed}")
        lost = case.links - set(parsed.links)
        assert case.torn or not lost, f"seed {seed}: {lost}\n{case.text}"
        known = whole_numbers(case.text) | {"10", "1"}
        assert not (new := whole_numbers(" \n ".join(texts)) - known), f"seed {seed}: {new}\n{case.text}"


def test_every_page_of_a_dump_is_there_or_the_cut_is_told(tmp_path: Path, full: bool) -> None:
    for seed in range(FULL_DUMPS if full else DUMPS):
        case = ugly_dump(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = folder / case.name
        path.write_bytes(case.body)
        try:
            source = DumpSource(path)
        except BadDump:
            assert case.cut, f"seed {seed}"
            continue
        try:
            results = source.fetch([page.title for page in case.pages])
            for page, result in zip(case.pages, results, strict=True):
                if isinstance(result, Page):
                    assert result.wikitext == page.texts[-1], f"seed {seed}: {page.title}"
                else:
                    other = isinstance(result, Failed) and result.kind == "not_wikitext" and page.model != "wikitext"
                    assert case.cut or other, f"seed {seed}: {page.title}: {result}"
                    assert not isinstance(result, Missing), f"seed {seed}: {page.title} is behind the cut, and waits"
        finally:
            source.close()
