"""A checkpoint that can't be made costs no unit: what was committed before it stays, and is not called failed."""

from __future__ import annotations

import logging
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graphvine.engines.kuzu.checkpoints import CheckpointPolicy
from tests.support.articles import states
from tests.support.stores import Place


@contextmanager
def files_may_grow() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_the_unit_before_it_is_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place("kuzu", tmp_path)
    titles = [f"{number} {'long' * 50}" for number in range(3_000)]

    def disk_is_full(*_: object) -> bool:
        """Asked between a commit and its checkpoint: as on a full disk from then on, for this process alone."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (place.path.stat().st_size, resource.RLIM_INFINITY))
        return True

    with place.open() as graph:
        graph.engine.checkpoint()
        with files_may_grow(), monkeypatch.context() as patched, caplog.at_level(logging.WARNING, "graphvine.store"):
            patched.setattr(CheckpointPolicy, "wanted", disk_is_full)
            graph.seed("article", titles)
        assert "CHECKPOINT" not in caplog.text and "tried again later" in caplog.text
        assert sorted(states(graph)) == sorted(titles)
        assert graph.engine.checkpoint()
    with place.open() as graph:
        assert sorted(states(graph)) == sorted(titles)
