"""Killed at any moment, the index is at the stamp that it claims, with just what belongs to it."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphvine.search import Document
from graphvine.search.index import SearchIndex
from tests.support.waiting import WAIT_LIMIT

pytestmark = pytest.mark.long("kills a process that writes the index, again and again")

DIMENSION = 16
IDS = 400
SEGMENT_ROWS = 60


def batch(stamp: int) -> tuple[list[Document], list[tuple[str, str]]]:
    """What the graph would give for this stamp: always the same."""
    chance = random.Random(stamp)
    documents = [
        Document("k", str(chance.randrange(IDS)), stamp, {"body": f"of{stamp} word{chance.randrange(5)}"},
                 {"author": f"a{chance.randrange(3)}"}, [chance.gauss(0, 1) for _ in range(DIMENSION)])
        for _ in range(chance.randrange(1, 60))
    ]  # fmt: skip
    return documents, [("k", str(chance.randrange(IDS))) for _ in range(chance.randrange(20))]


def expected(stamp: int) -> dict[str, Document]:
    model: dict[str, Document] = {}
    for number in range(1, stamp + 1):
        documents, deletions = batch(number)
        for _, id in deletions:
            model.pop(id, None)
        model.update({one.id: one for one in documents})
    return model


def write_for_ever(folder: Path) -> None:
    """The child: goes on from the stamp that it finds, and says each stamp once it is in."""
    print("opening", flush=True)
    with SearchIndex(folder, DIMENSION, segment_rows=SEGMENT_ROWS) as index:
        while True:
            documents, deletions = batch(index.stamp + 1)
            index.apply(documents, deletions, index.stamp + 1)
            print(index.stamp, flush=True)


def run_and_kill(folder: Path, chance: random.Random) -> int:
    """Let a child write for a while, kill it; returns the last stamp that it said."""
    command = [sys.executable, "-c", f"from {__name__} import *; write_for_ever(Path(sys.argv[1]))", str(folder)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert child.stdout is not None
    assert child.stdout.readline() == "opening\n"
    for _ in range(chance.randrange(12)):
        child.stdout.readline()
    try:  # now somewhere inside of what comes next
        child.wait(timeout=chance.uniform(0, 0.06))
        raise AssertionError("the child ended by itself")
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
    said, _ = child.communicate(timeout=WAIT_LIMIT)
    # The last line may have been cut; the one before it was whole.
    lines = [line for line in said.splitlines(keepends=True) if line.endswith("\n")]
    return int(lines[-1]) if lines else 0


def check(folder: Path, at_least: int) -> int:
    with SearchIndex(folder, DIMENSION, background=False, segment_rows=SEGMENT_ROWS) as index:
        assert index.stamp >= at_least
        model = expected(index.stamp)
        found = {hit.id: hit.seq for hit in index.text("", limit=1000).hits}
        assert found == {id: one.seq for id, one in model.items()}
        for id, one in random.Random(index.stamp).sample(sorted(model.items()), min(25, len(model))):
            nearest = index.vector(np.array(one.vector), limit=1).hits[0]
            assert (nearest.id, nearest.score) == (id, pytest.approx(1, abs=1e-5))
            assert id in {hit.id for hit in index.text(one.texts["body"], limit=1000).hits}
        with_vectors = index.vector(np.ones(DIMENSION), limit=1000).hits
        assert {hit.id for hit in with_vectors} == set(model)
        return index.stamp


def test_kills_at_any_moment(tmp_path: Path, full: bool) -> None:
    chance = random.Random(20)
    folder = tmp_path / "g.index"
    stamp = 0
    for _ in range(100 if full else 10):
        stamp = check(folder, max(stamp, run_and_kill(folder, chance)))
    assert stamp > 20
