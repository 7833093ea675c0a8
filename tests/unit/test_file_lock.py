"""One process at a time holds a file, and whoever comes second is told who does."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.engines.kuzu.file_lock import Holder
from graphvine.errors import StoreBusy
from tests.support.processes import Child, Send


def hold(send: Send, path: Path) -> None:
    holder = Holder(path)
    holder.take()
    send("held")
    send_nothing_more()


def hold_as_another_program(send: Send, path: Path) -> None:
    """As an engine's own shell does it: a lock on the file itself, none beside it."""
    import fcntl

    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        send("held")
        send_nothing_more()


def send_nothing_more() -> None:
    import threading

    threading.Event().wait()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "graph.db"
    path.write_bytes(b"content")
    return path


def test_it_is_held_once_in_a_process(database: Path) -> None:
    holder = Holder(database)
    holder.take()
    with pytest.raises(StoreBusy, match="this process already"):
        Holder(database).take()
    holder.drop()
    again = Holder(database)
    again.take()
    again.drop()


def test_another_way_to_the_same_file_is_the_same_file(database: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(database)
    holder = Holder(database)
    holder.take()
    with pytest.raises(StoreBusy):
        Holder(link).take()
    holder.drop()


def test_another_process_is_named(database: Path) -> None:
    with Child(hold, database) as child:
        assert child.hear() == "held"
        with pytest.raises(StoreBusy, match=rf"is open in process {child.pid} \(.*, since .*\): stop that first"):
            Holder(database).take()


def test_a_kill_leaves_nothing_to_clear(database: Path) -> None:
    with Child(hold, database) as child:
        child.hear()
    holder = Holder(database)
    holder.take()
    holder.drop()


def test_another_program_is_noticed(database: Path) -> None:
    with Child(hold_as_another_program, database) as child:
        child.hear()
        with pytest.raises(StoreBusy, match="another program"):
            Holder(database).take()
    holder = Holder(database)
    holder.take()
    holder.drop()


def test_a_holder_that_just_began_is_another_process(database: Path) -> None:
    with Child(hold, database) as child:
        child.hear()
        database.with_name("graph.db.lock").write_bytes(b"")
        with pytest.raises(StoreBusy, match="is open in another process"):
            Holder(database).take()


def test_a_file_that_is_not_there_yet_can_be_held(tmp_path: Path) -> None:
    holder = Holder(tmp_path / "new.db")
    holder.take()
    holder.drop()
    holder.drop()
