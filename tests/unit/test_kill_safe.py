"""The files of an embedded store, without any engine: recovery, the bracket, a whole store put in place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphvine.engines.kuzu import file_copies
from graphvine.engines.kuzu.kill_safe import KillSafeFiles
from graphvine.engines.kuzu.marks import Marks
from graphvine.errors import StoreDamaged
from tests.support.small_disk import cloning_disk

CONTENT = st.binary(max_size=40_000)


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A store of 100 bytes with a log of 50, all acknowledged."""
    path = tmp_path / "graph.db"
    path.write_bytes(b"d" * 100)
    beside(path, ".wal").write_bytes(b"w" * 50)
    Marks.create(beside(path, ".marks"), 50)
    return path


def content(database: Path) -> tuple[bytes, bytes | None]:
    log = beside(database, ".wal")
    return database.read_bytes(), log.read_bytes() if log.exists() else None


def opened(database: Path) -> KillSafeFiles:
    files = KillSafeFiles(database, sync=False)
    files.recover()
    files.opened()
    return files


def test_a_store_that_is_whole_is_left_alone(database: Path) -> None:
    before = content(database)
    assert KillSafeFiles(database).recover() == ""
    assert content(database) == before


def test_what_stands_behind_the_last_mark_is_cut(database: Path) -> None:
    with beside(database, ".wal").open("ab") as log:
        log.write(b"half a record")
    assert "13 unacknowledged bytes" in KillSafeFiles(database).recover()
    assert content(database)[1] == b"w" * 50


def test_a_log_shorter_than_its_mark_is_damage(database: Path) -> None:
    os.truncate(beside(database, ".wal"), 49)
    os.utime(database, ns=(1, 1))
    with pytest.raises(StoreDamaged, match=r"49 bytes, but 50 were acknowledged.*graphvine restore"):
        KillSafeFiles(database).recover()


def test_a_log_that_another_program_folded_in_is_gone_with_good_reason(database: Path) -> None:
    beside(database, ".wal").unlink()
    later = beside(database, ".marks").stat().st_mtime_ns + 10**9
    os.utime(database, ns=(later, later))
    assert "another program" in KillSafeFiles(database).recover()
    assert KillSafeFiles(database).recover() == ""


def test_a_store_without_marks_is_taken_as_it_is(database: Path) -> None:
    beside(database, ".marks").unlink()
    before = content(database)
    assert KillSafeFiles(database).recover() == ""
    assert content(database) == before
    with beside(database, ".wal").open("ab") as log:
        log.write(b"more")
    assert "4 unacknowledged bytes" in KillSafeFiles(database).recover()


def test_a_log_without_its_database(database: Path) -> None:
    database.unlink()
    with pytest.raises(StoreDamaged, match="is gone but its log"):
        KillSafeFiles(database).recover()


def test_a_log_of_nothing_acknowledged_without_its_database_goes(tmp_path: Path) -> None:
    database = tmp_path / "graph.db"
    beside(database, ".wal").write_bytes(b"never told of")
    Marks.create(beside(database, ".marks"), 0)
    KillSafeFiles(database).recover()
    assert not beside(database, ".wal").exists()


def test_nothing_at_all_is_a_new_store(tmp_path: Path) -> None:
    assert KillSafeFiles(tmp_path / "new.db").recover() == ""


def test_a_bracket_that_ends_leaves_no_safe_copy(database: Path) -> None:
    files = opened(database)
    with files.bracket():
        assert files.safe.exists()
        database.write_bytes(b"D" * 120)
        beside(database, ".wal").unlink()
    files.close()
    assert not files.safe.exists()
    assert KillSafeFiles(database).recover() == ""
    assert content(database) == (b"D" * 120, None)


def cut_short(database: Path, written: bytes, logged: bytes | None) -> None:
    """A checkpoint that has written this much when it ends."""
    database.write_bytes(written)
    beside(database, ".shadow").write_bytes(b"the engine's own")
    if logged is None:
        beside(database, ".wal").unlink()
    else:
        beside(database, ".wal").write_bytes(logged)
    raise KeyboardInterrupt


@given(before=st.tuples(CONTENT, CONTENT), during=st.tuples(CONTENT, CONTENT | st.none()), earlier=CONTENT)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_a_bracket_cut_short_is_put_back(
    database: Path, before: tuple[bytes, bytes], during: tuple[bytes, bytes | None], earlier: bytes
) -> None:
    log = beside(database, ".wal")
    files = opened(database)
    with files.bracket():  # leaves a spare copy, which must not show through later
        database.write_bytes(earlier)
        log.unlink(missing_ok=True)
    database.write_bytes(before[0])
    log.write_bytes(before[1])
    files.acknowledge()
    with pytest.raises(KeyboardInterrupt), files.bracket():
        cut_short(database, *during)
    files.close()
    again = KillSafeFiles(database, sync=False)
    assert "put back" in again.recover()
    assert content(database) == before
    assert not beside(database, ".shadow").exists()
    assert again.recover() == ""


def test_a_commit_is_acknowledged_by_the_length_of_the_log(database: Path) -> None:
    files = opened(database)
    with beside(database, ".wal").open("ab") as log:
        log.write(b"a commit")
    assert files.acknowledge() == 58
    files.close()
    assert KillSafeFiles(database).recover() == ""
    assert len(content(database)[1] or b"") == 58


def test_a_whole_store_is_put_in_place(database: Path, tmp_path: Path) -> None:
    source = tmp_path / "backup"
    source.mkdir()
    (source / "graph").write_bytes(b"new")
    (source / "graph.marks").write_bytes(beside(database, ".marks").read_bytes())
    (source / "graph.wal").write_bytes(b"n" * 50)
    beside(database, ".shadow").write_bytes(b"of the old one")
    parts = {"": "graph", ".wal": "graph.wal", ".marks": "graph.marks"}
    KillSafeFiles(database).put_in_place({beside(database, end): source / name for end, name in parts.items()})
    assert content(database) == (b"new", b"n" * 50)
    assert not beside(database, ".shadow").exists()
    assert KillSafeFiles(database).recover() == ""


@pytest.mark.parametrize("length", [10_000, 100, 0])
def test_where_files_can_be_cloned_the_copy_is_a_clone(tmp_path: Path, length: int) -> None:
    with cloning_disk(tmp_path / "disk") as disk:
        database = disk / "graph.db"
        database.write_bytes(b"d" * 5_000)
        files = opened(database)
        with files.bracket():
            database.write_bytes(b"D" * length)  # longer or shorter than the copy that is kept
        with (disk / "new").open("wb") as copy, database.open("rb") as source:
            assert file_copies.clone(source.fileno(), copy.fileno())
        log = beside(database, ".wal")
        log.touch()
        with pytest.raises(KeyboardInterrupt), files.bracket():
            cut_short(database, b"cut short", None)
        files.close()
        assert "put back" in KillSafeFiles(database).recover()
        assert database.read_bytes() == b"D" * length
