"""A graph on a read-only disk, or in a read-only folder, is opened for reading: nothing fails at a lock."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphvine
from graphvine.errors import StoreError
from graphvine.settings import Settings
from tests.support.daemons import COMMAND
from tests.support.small_disk import small_disk
from tests.support.stores import QUICK


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with a graph on it, mounted read-only."""
    with small_disk(tmp_path / "disk") as folder:
        with graphvine.open(folder / "graph.db", settings=Settings(**QUICK, min_free_mb=8)) as graph:
            graph.seed("article", ["a"])
            graph.engine.checkpoint()  # type: ignore[attr-defined]
            graph.seed("article", ["b"])
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        yield folder


def test_it_is_read_and_not_written(disk: Path, tmp_path: Path) -> None:
    with graphvine.open(disk / "graph.db", settings=Settings(**QUICK)) as graph:
        titles = graph.query("MATCH (a:Article) RETURN a.title ORDER BY a.title", isolated=True).rows
        assert titles == [["a"], ["b"]]
        status = graph.status()[0]
        assert status.total == 2 and "read-only" in str(status.paused_reason)
        assert graph.claims("article", "w").claim(5) == []
        for write in (lambda: graph.seed("article", ["c"]), lambda: graph.execute("CREATE (:Article {title: 'd'})")):
            with pytest.raises(StoreError, match="reading only"):
                write()
        graph.export(tmp_path / "exported")
    with graphvine.open(tmp_path / "copy.db", settings=Settings(**QUICK)) as copy:
        copy.load(tmp_path / "exported")
        assert copy.status()[0].total == 2


def test_commands_that_read(disk: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, "--graph", str(disk / "graph.db"), *arguments], capture_output=True, text=True, check=False
        )

    assert '"total": 2' in run("status", "--json").stdout
    assert "2" in run("console", "-c", "MATCH (a:Article) RETURN count(*)").stdout
    for words in (
        ("search", "a"), ("failed", "article"), ("stats",), ("doctor",), ("machine", "article"),
        ("export", str(tmp_path / "export")), ("export", str(tmp_path / "graph.jsonl")),
    ):  # fmt: skip
        ended = run(*words)
        assert ended.returncode == 0 and "Traceback" not in ended.stderr, (words, ended.stderr)
    assert (tmp_path / "export").is_dir() and '"title": "b"' in (tmp_path / "graph.jsonl").read_text()
    refused = run("seed", "article", "c")
    assert refused.returncode == 1 and "reading only" in refused.stderr
