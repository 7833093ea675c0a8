"""A disk that fills up in the middle of a command: one sentence, no abort; with room, the same command ends it."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphvine.errors import StoreFull
from graphvine.graph import Graph
from graphvine.settings import Settings
from tests.support.daemons import COMMAND, environment
from tests.support.small_disk import leave, small_disk
from tests.support.stores import QUICK

pytestmark = pytest.mark.long("commands on a disk of their own")

MIN_FREE = 4 << 20
SETTINGS = """
sync = false
buffer_pool_mb = 128
batch_size = 5
min_free_mb = 4
[upload]
items_at_once = 400
[wikipedia]
source = "sample"
embed = "never"
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 MB."""
    with small_disk(tmp_path / "disk") as folder:
        (folder / "graphvine.toml").write_text(SETTINGS)
        yield folder


def command(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [COMMAND, "--graph", "graph.db", *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "terminate called" not in ended.stderr and "Traceback" not in ended.stderr
    return ended


def refused(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.returncode == 1, ended
    lines = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1 and "the disk is nearly full" in lines[0] and "free some room" in lines[0], ended.stderr


def held(folder: Path) -> list[list[Any]]:
    """Everything that people see in the graph."""
    with Graph(str(folder / "graph.db"), Settings(**QUICK)) as graph:
        assert [finding for finding in graph.doctor() if not finding.ok] == []
        return [
            *graph.query("MATCH (a:Article) RETURN a.title, a.expansion_state, a.expansion_depth ORDER BY a.title").rows,
            *graph.query("MATCH (a:Article)-[l:LINKS_TO]->(b) WHERE l.gone = 0 RETURN a.title, b.title ORDER BY a.title, b.title").rows,
            *graph.query("MATCH (i:HNItem) RETURN i.hnId, i.text ORDER BY i.hnId").rows,
            *graph.query("MATCH (p:HNItem)-[:PARENT_OF]->(c:HNItem) RETURN p.hnId, c.hnId ORDER BY c.hnId").rows,
        ]  # fmt: skip


@pytest.fixture
def undisturbed(tmp_path: Path) -> Path:
    folder = tmp_path / "undisturbed"
    folder.mkdir()
    (folder / "graphvine.toml").write_text(SETTINGS)
    return folder


@pytest.fixture
def items(tmp_path: Path) -> Path:
    chance, file = random.Random(1), tmp_path / "items.jsonl"
    with file.open("w") as writing:
        for id in range(1, 3_001):
            above = {"parent": chance.randrange(1, id)} if id > 1 else {}
            text = "".join(chance.choices("vines climb ", k=600))
            item = {"id": id, "type": "comment" if id > 1 else "story", "by": "ada", "time": 1_700_000_000 + id}
            writing.write(json.dumps({**item, **above, "text": text}) + "\n")
    return file


def test_an_upload(disk: Path, undisturbed: Path, items: Path) -> None:
    ballast = leave(disk, MIN_FREE + 500_000)
    refused(command(disk, "upload", items))
    with Graph(str(disk / "graph.db"), Settings(**QUICK)) as graph:
        assert 0 < graph.query("MATCH (i:HNItem) RETURN count(*)").rows[0][0] < 3_000, "it was in the middle"
    ballast.unlink()
    assert command(disk, "upload", items).returncode == 0
    assert command(undisturbed, "upload", items).returncode == 0
    assert held(disk) == held(undisturbed)


def test_one_batch_that_is_larger_than_the_room(disk: Path, undisturbed: Path, items: Path) -> None:
    """What a transaction needs is asked for before it begins: in its middle the engine would end the process."""
    for folder in (disk, undisturbed):
        (folder / "graphvine.toml").write_text(
            SETTINGS.replace("min_free_mb = 4", "min_free_mb = 1").replace("= 400", "= 3000")
        )
    ballast = leave(disk, 3 << 20)
    refused(command(disk, "upload", items))
    ballast.unlink()
    assert command(disk, "upload", items).returncode == 0
    assert command(undisturbed, "upload", items).returncode == 0
    assert held(disk) == held(undisturbed)


def test_a_growth(disk: Path, undisturbed: Path) -> None:
    grow = ("grow", "Vine", "--depth", "2")
    ballast = leave(disk, MIN_FREE + 300_000)
    refused(command(disk, *grow))
    with Graph(str(disk / "graph.db"), Settings(**QUICK)) as graph:
        states = graph.status()[0].states
        assert states["discovered"] and states["processed"], "it was in the middle"
    ballast.unlink()
    assert command(disk, *grow).returncode == command(undisturbed, *grow).returncode
    assert held(disk) == held(undisturbed)


def test_a_checkpoint(disk: Path) -> None:
    settings = Settings(**{**QUICK, "min_free_mb": 1, "checkpoint_log_mb": 1_000})
    with Graph(str(disk / "graph.db"), settings) as graph:
        keys = [f"{n}/{'x' * 200}" for n in range(5_000)]
        graph.seed("article", keys)
        ballast = leave(disk, 3 << 20)
        with pytest.raises(StoreFull, match="free some room"):
            graph.engine.checkpoint()  # type: ignore[attr-defined]
        assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[5_000]]
        ballast.unlink()
        assert graph.engine.checkpoint()  # type: ignore[attr-defined]
    with Graph(str(disk / "graph.db"), settings) as graph:
        assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[5_000]]


@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_backup(disk: Path, undisturbed: Path, elsewhere: bool) -> None:
    """Beside the graph, or of a graph that has room onto a disk that has none."""
    folder = undisturbed if elsewhere else disk
    target = disk / "tonight"
    command(folder, "grow", "Vine", "--depth", "1")
    ballast = leave(disk, 200_000)
    refused(command(folder, "backup", target))
    assert not list(disk.glob("tonight*")), "no half of it is left"
    ballast.unlink()
    assert command(folder, "backup", target).returncode == 0
    (restored := disk / "restored").mkdir()
    assert command(restored, "restore", target).returncode == 0
    assert held(restored) == held(folder)


COPY = "COPY Article(title) FROM (UNWIND range(1, 20000) AS i RETURN repeat('y', 500) + cast(i, 'string'))"
CREATE = "UNWIND range(1, 6000) AS i CREATE (:Article {title: repeat('y', 500) + cast(i, 'string')})"


@pytest.mark.parametrize("statement", [COPY, CREATE])
def test_cypher_that_writes_more_than_there_is(disk: Path, statement: str) -> None:
    """How much it writes is not known before: the engine would end the process, at its commit or at its close."""
    (disk / "graphvine.toml").write_text(SETTINGS.replace("min_free_mb = 4", "min_free_mb = 1"))
    assert command(disk, "seed", "article", "Vine").returncode == 0
    ballast = leave(disk, 3 << 20)
    refused(command(disk, "console", "--write", "-c", statement))
    ballast.unlink()
    assert held(disk) == [["Vine", "discovered", 0]]
    with Graph(str(disk / "graph.db"), Settings(**{**QUICK, "min_free_mb": 1})) as graph:
        few = statement.replace("range(1, 20000)", "range(1, 500)").replace("range(1, 6000)", "range(1, 500)")
        graph.execute(few)
        assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[501]]


def test_a_load_from_an_iterator(disk: Path) -> None:
    """Each part is weighed before it is loaded; those before it are undone with it."""

    def parts() -> Iterator[dict[str, list[str]]]:
        for part in range(2):
            yield {"title": [f"{part}/{n}/{'y' * 500}" for n in range(20 if part == 0 else 30_000)]}

    settings = Settings(**{**QUICK, "buffer_pool_mb": 256, "min_free_mb": 1})
    with Graph(str(disk / "graph.db"), settings) as graph:
        graph.seed("article", ["Vine"])
        ballast = leave(disk, 50 << 20)
        with pytest.raises(StoreFull, match="free some room"):
            graph.engine.bulk_load("Article", parts())
        assert graph.query("MATCH (a:Article) RETURN a.title").rows == [["Vine"]]
        ballast.unlink()
        assert graph.engine.bulk_load("Article", iter([{"title": ["Ivy"]}])) == 1
    with Graph(str(disk / "graph.db"), settings) as graph:
        assert graph.query("MATCH (a:Article) RETURN a.title ORDER BY a.title").rows == [["Ivy"], ["Vine"]]
        assert all(finding.ok for finding in graph.doctor())
