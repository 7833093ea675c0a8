"""Marks of the log: the newest one counts, and a torn one leaves the one before it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.engines.kuzu.marks import Marks
from graphvine.errors import StoreDamaged

LENGTHS = st.lists(st.integers(0, 2**62), min_size=1, max_size=8)
SLOTS = (0, 512)


def written(path: Path, lengths: list[int]) -> None:
    Marks.create(path, lengths[0])
    marks = Marks(path, sync=False)
    for length in lengths[1:]:
        marks.set(length)
    marks.close()


def read(path: Path) -> int:
    marks = Marks(path, sync=False)
    try:
        return marks.length
    finally:
        marks.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("marks")


@given(lengths=LENGTHS)
def test_the_last_mark_is_read_again(folder: Path, lengths: list[int]) -> None:
    path = folder / "last"
    written(path, lengths)
    assert read(path) == lengths[-1]
    assert path.stat().st_size == 1024, "it never grows"


@given(lengths=LENGTHS, slot=st.sampled_from(SLOTS), byte=st.integers(0, 19), bit=st.integers(0, 7))
def test_a_torn_mark_leaves_the_one_before_it(folder: Path, lengths: list[int], slot: int, byte: int, bit: int) -> None:
    path = folder / "torn"
    lengths = [lengths[0], *lengths]  # two marks at least, so that there is one before
    written(path, lengths)
    content = bytearray(path.read_bytes())
    content[slot + byte] ^= 1 << bit
    path.write_bytes(content)
    assert read(path) in lengths[-2:]


def test_a_mark_can_be_set_after_reading_again(tmp_path: Path) -> None:
    path = tmp_path / "marks"
    written(path, [1, 2, 3])
    marks = Marks(path, sync=True)
    marks.set(4, durable=False)
    assert marks.length == 4
    marks.close()
    assert read(path) == 4


@pytest.mark.parametrize("content", [b"", b"\0" * 1024, b"rubbish" * 200])
def test_marks_that_can_not_be_read_are_damage(tmp_path: Path, content: bytes) -> None:
    """Taking them for nought would cut away a log of acknowledged work."""
    path = tmp_path / "marks"
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="marks"):
        Marks(path, sync=False)


def test_the_file_is_never_there_without_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "marks"
    (tmp_path / "marks.new").write_bytes(b"left by a kill")
    Marks.create(path, 7)
    assert read(path) == 7 and not (tmp_path / "marks.new").exists()
