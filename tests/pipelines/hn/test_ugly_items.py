"""Ugly items and files, a hundred by default and 10,000 with --full: none refused, no edge lost, all found by search."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from graphvine.graph import Graph
from graphvine.workers.hn.api import HackerNews
from graphvine.workers.hn.ingest.forms import is_tree, items_of
from graphvine.workers.hn.item_files import BadFile, items_in
from graphvine.workers.uploads.api import Uploads
from graphvine.workers.uploads.decode import Fault
from graphvine.workers.uploads.reader import Items
from graphvine.workers.uploads.settings import UploadSettings
from tests.pipelines.hn.looking import edges, states
from tests.support.ugly_items import ugly_file, ugly_items

CASES, FULL_CASES, AT_ONCE, SEARCHED = 120, 10_000, 40, 60


def test_items_of_any_form_are_in_the_graph_and_in_search(graph: Graph, news: HackerNews, full: bool) -> None:
    cases = [ugly_items(seed) for seed in range(FULL_CASES if full else CASES)]
    for first in range(0, len(cases), AT_ONCE):
        taken = news.add([value for case in cases[first : first + AT_ONCE] for value in case.values])
        assert not taken.refused, f"seeds from {first}"
    held = states(graph)
    assert {id for case in cases for id in case.ids} == {id for id, state in held.items() if state == "completed"}
    assert set(edges(graph)) == {edge for case in cases for edge in case.edges}
    for case in cases[:: max(1, len(cases) // SEARCHED)]:
        found = {one.item.id for one in news.search(case.word, limit=20).found}
        assert found == set(case.ids), case.word
    assert not [finding.detail for finding in graph.doctor() if not finding.ok]


def test_files_hold_the_same_for_every_reader(tmp_path: Path, full: bool) -> None:
    path = tmp_path / "file"
    for seed in range(FULL_CASES if full else CASES):
        case = ugly_items(seed)
        data = ugly_file(seed, case.values)
        path.write_bytes(data)
        assert list(items_in(io.BufferedReader(io.BytesIO(data)), "x")) == case.values, f"seed {seed}"  # type: ignore[arg-type]
        with Items(path, UploadSettings()) as items:
            read = [value for part in items.parts() for value in part.items]
        held = [item for value in case.values for item in (_inside(value) if is_tree(value) else [value])]
        assert not any(isinstance(one, Fault) for one in read) and read == held, f"seed {seed}"


def test_files_of_items_are_uploaded_whole(graph: Graph, tmp_path: Path, full: bool) -> None:
    uploads, number = Uploads(graph), 0
    for seed in range(0, 400 if full else 30, 10):
        cases = [ugly_items(one) for one in range(seed, seed + 10)]
        values = [value for case in cases for value in case.values]
        count = sum(len(case.ids) for case in cases)
        path = tmp_path / str(seed)
        path.write_bytes(ugly_file(seed, values))
        found = uploads.upload(path)
        assert (found.state, found.processed_items) == ("completed", count), f"seed {seed}"
        number += count
    assert len(states(graph)) == number


def _inside(value: Any) -> list[Any]:
    return [item for _, item in items_of(value)]


@pytest.mark.parametrize("cut", [1, 7, 100])
def test_a_cut_file_is_told_and_never_half(cut: int) -> None:
    for seed in range(40):
        data = ugly_file(seed, ugly_items(seed).values)
        with suppress(BadFile):  # anything else is a fault of ours
            list(items_in(io.BufferedReader(io.BytesIO(data[:-cut])), "x"))  # type: ignore[arg-type]
