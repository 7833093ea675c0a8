"""A backup is there in full or not at all, and is only put back when it is what was backed up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import graphvine
from graphvine.clock import ManualClock
from graphvine.errors import StoreBusy, StoreError
from graphvine.graph import Graph
from tests.support.articles import states, take_one
from tests.support.stores import Place


@pytest.fixture
def backup(graph: Graph, tmp_path: Path) -> Path:
    graph.seed("article", ["a", "b"])
    graph.backup(tmp_path / "backup")
    return tmp_path / "backup"


def test_a_backup_holds_what_was_there_when_it_was_made(
    graph: Graph, place: Place, tmp_path: Path, backup: Path, clock: ManualClock
) -> None:
    graph.seed("article", ["later"])
    new = Place(place.engine, tmp_path / "new")
    new.folder.mkdir()
    info = graphvine.restore(backup, new.where)
    assert info.engine == place.engine and info.size_bytes > 0
    with new.open(clock) as restored:
        assert states(restored) == {"a": "discovered", "b": "discovered"}
        assert not [finding for finding in restored.doctor() if not finding.ok]
    assert "later" in states(graph), "and the graph goes on"


def test_claims_survive_a_backup(graph: Graph, place: Place, tmp_path: Path, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claim = take_one(graph.claims("article", "w"))
    graph.backup(tmp_path / "held")
    new = Place(place.engine, tmp_path / "new")
    new.folder.mkdir()
    graphvine.restore(tmp_path / "held", new.where)
    with new.open(clock) as restored:
        restored.claims("article", "w").complete(claim)


def test_progress_is_told(graph: Graph, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    info = graph.backup(tmp_path / "backup", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (info.size_bytes, info.size_bytes)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_nothing_is_overwritten(graph: Graph, backup: Path, place: Place) -> None:
    with pytest.raises(StoreError, match="is there already: choose another name"):
        graph.backup(backup)
    graph.close()
    with pytest.raises(StoreError, match="is there already: use --force"):
        graphvine.restore(backup, place.where)


def test_a_graph_that_is_open_is_not_replaced(graph: Graph, backup: Path, place: Place) -> None:
    with pytest.raises(StoreBusy):
        graphvine.restore(backup, place.where, force=True)
    assert states(graph) == {"a": "discovered", "b": "discovered"}


def test_by_force_the_graph_is_replaced(graph: Graph, backup: Path, place: Place, clock: ManualClock) -> None:
    graph.seed("article", ["later"])
    graph.engine.checkpoint()  # type: ignore[attr-defined]  # embedded engines have it
    graph.close()
    graphvine.restore(backup, place.where, force=True)
    with place.open(clock) as again:
        assert states(again) == {"a": "discovered", "b": "discovered"}


def test_a_changed_file_is_noticed(graph: Graph, backup: Path, place: Place, clock: ManualClock) -> None:
    graph.close()
    with (backup / "graph").open("r+b") as file:
        file.seek(5_000)
        file.write(b"!")
    with pytest.raises(StoreError, match="checksum differs"):
        graphvine.restore(backup, place.where, force=True)
    with place.open(clock) as untouched:
        assert states(untouched) == {"a": "discovered", "b": "discovered"}


def test_a_missing_file_is_noticed(backup: Path, graph: Graph, place: Place) -> None:
    graph.close()
    (backup / "graph").unlink()
    with pytest.raises(StoreError, match="graph"):
        graphvine.restore(backup, place.where, force=True)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"files": 3}', '{"engine": "x", "unknown": 1}', "\x00"])
def test_a_list_that_can_not_be_read_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "backup.json").write_text(content)
    with pytest.raises(StoreError, match=r"backup\.json"):
        graphvine.restore(tmp_path, tmp_path / "new.db")


def test_a_folder_that_is_no_backup_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a backup"):
        graphvine.restore(tmp_path, tmp_path / "new.db")


def test_a_list_may_not_name_files_elsewhere(graph: Graph, backup: Path, place: Place, tmp_path: Path) -> None:
    graph.close()
    listed = json.loads((backup / "backup.json").read_text())
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    listed["files"] = {**listed["files"], "../victim": listed["files"]["graph"]}
    (backup / "backup.json").write_text(json.dumps(listed))
    with pytest.raises(StoreError):
        graphvine.restore(backup, place.where, force=True)
    assert victim.read_text() == "untouched"


def test_a_backup_of_the_other_engine_is_refused(graph: Graph, backup: Path, place: Place, tmp_path: Path) -> None:
    """Its file would be opened by an engine that writes another format."""
    listed = json.loads((backup / "backup.json").read_text())
    listed["engine"] = "ladybug" if place.engine == "kuzu" else "kuzu"
    (backup / "backup.json").write_text(json.dumps(listed))
    with pytest.raises(StoreError, match="is a backup of a"):
        graphvine.restore(backup, Place(place.engine, tmp_path / "elsewhere").where)


def test_what_a_killed_backup_left_is_in_nobody_s_way(graph: Graph, tmp_path: Path) -> None:
    left = tmp_path / "backup.new"
    left.mkdir()
    (left / "graph").write_bytes(b"half")
    graph.backup(tmp_path / "backup")
    assert not left.exists()
