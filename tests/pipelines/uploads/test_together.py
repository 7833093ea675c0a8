"""Two uploads at once, with items in common: the graph is the one that they leave one after the other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.uploads.api import Uploads
from tests.pipelines.hn.looking import whole
from tests.pipelines.hn.making import DELIVERED, Item, make, shuffled
from tests.pipelines.uploads.making import ailments, as_array, as_lines, collected, small, write
from tests.support.stores import Place
from tests.support.threads import together

SETTINGS = small(items_at_once=40, chunk_bytes=3_000, bytes_at_once=1 << 20)


def files(tmp_path: Path, seed: int) -> tuple[Path, Path, list[Item], list[Item]]:
    """Most items are in both, in another order, and of some there are several copies, newer and older ones."""
    made = shuffled(make(400, seed=seed, deep=40), seed)
    # What has no time of its own would take that of its delivery, which two uploads do not share.
    timed = [{"fetchedAt": DELIVERED, **item} for item in made if isinstance(item.get("id"), int)]
    one, other = timed[: len(timed) * 3 // 4], timed[len(timed) // 4 :]
    random.Random(seed).shuffle(other)
    return write(tmp_path, as_array(one), "one"), write(tmp_path, as_lines(other), "other"), one, other


@pytest.mark.long("two uploads in processes of their own")
@pytest.mark.parametrize("seed", [1, 2])
def test_two_at_once_end_in_the_right_graph(template: Place, tmp_path: Path, seed: int) -> None:
    one, other, *given = files(tmp_path, seed)
    with template.copy_to(tmp_path / "turns").open() as graph:
        for path in (one, other):
            Uploads(graph, SETTINGS).upload(path)
        in_turn = whole(graph)
    with template.copy_to(tmp_path / "once").open() as graph:
        found = together([lambda path=path: Uploads(graph, SETTINGS).upload(path) for path in (one, other)])  # type: ignore[misc]
        assert {upload.state for upload in found} == {"partial_success"}
        assert whole(graph) == in_turn
        for upload, values in zip(found, given, strict=True):
            assert upload.total_items == len(values) == upload.processed_items + upload.failed_items
            rows = {row["index"]: row for row in Uploads(graph).errors(upload.upload_id)}
            wanted = {item["id"] for place, item in enumerate(values) if place not in rows}
            assert collected(graph, upload.collection_id) == sorted(wanted)
        assert ailments(graph) == []


def test_one_is_not_worked_on_twice(graph: Graph, tmp_path: Path) -> None:
    path, *_ = files(tmp_path, 3)
    from graphvine.workers.uploads.errors import HeldElsewhere, StepNotAllowed

    def upload() -> str:
        try:
            return Uploads(graph, SETTINGS).upload(path).state
        except (HeldElsewhere, StepNotAllowed) as error:
            return type(error).__name__

    ends = together([upload, upload, upload])
    assert "partial_success" in ends
    assert set(ends) <= {"partial_success", "HeldElsewhere", "StepNotAllowed"}
    (found,) = Uploads(graph).list()
    assert found.processed_items + found.failed_items == found.total_items
    assert found.new_items == len(collected(graph, found.collection_id))
