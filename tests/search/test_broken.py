"""A folder in any state: it works, or it says that it needs to be rebuilt. It is a cache: never a crash."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from graphvine.search import IndexFields, RebuildNeeded, SearchPartsMissing, open_index, remove_index
from graphvine.search.index import SearchIndex
from tests.search.samples import DIMENSION, ids, section, unit_vectors

VECTORS = unit_vectors(500)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "g.index"
    with SearchIndex(folder, DIMENSION, background=False, segment_rows=200) as index:
        index.apply([section(n, f"word{n} common", vector=VECTORS[n]) for n in range(500)], [], 7)
        index.maintain()
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "g.index"))


def works(folder: Path) -> None:
    with SearchIndex(folder, DIMENSION, background=False, segment_rows=200) as index:
        assert (index.stamp, index.count()) == (7, 500)
        assert ids(index.text("word42")) == ["42"]
        assert ids(index.vector(VECTORS[42], limit=1)) == ["42"]


def test_the_whole_one_works(folder: Path) -> None:
    works(folder)
    assert len(list((folder / "vectors").glob("*.usearch"))) == 2


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("manifest.json", "{", "manifest can't be read"),
        ("manifest.json", "[]", "manifest is not one"),
        ("manifest.json", '{"format": 999}', "its format is 999"),
        ("text/meta.json", "{", "tantivy says"),
        ("vectors/strange.vec", "", "no name of a segment"),
    ],
)
def test_a_changed_file_is_noticed(folder: Path, name: str, content: str, reason: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(RebuildNeeded, match=rf"{reason}.*graphvine reindex"):
        SearchIndex(folder, DIMENSION)


@pytest.mark.parametrize("key", ["format", "tantivy", "dimension", "fields"])
def test_another_version_is_noticed(folder: Path, key: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest[key] = "other" if key != "dimension" else 3
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RebuildNeeded, match=f"its {key} is"):
        SearchIndex(folder, DIMENSION)


def test_other_fields_or_another_model_need_a_rebuild(folder: Path) -> None:
    with pytest.raises(RebuildNeeded, match="fields"):
        SearchIndex(folder, DIMENSION, fields=IndexFields(words=("colour",)))
    with pytest.raises(RebuildNeeded, match="dimension is 8"):
        SearchIndex(folder, 384)


@pytest.mark.parametrize("part", ["text", "vectors"])
def test_a_missing_folder_is_noticed(folder: Path, part: str) -> None:
    shutil.rmtree(folder / part)
    with pytest.raises(RebuildNeeded, match=f"folder {part} is missing"):
        SearchIndex(folder, DIMENSION)


def test_missing_or_shortened_vectors_are_noticed(folder: Path) -> None:
    segment = sorted((folder / "vectors").glob("*.vec"))[1]
    content = segment.read_bytes()
    segment.write_bytes(content[:-1])
    with pytest.raises(RebuildNeeded, match="500 documents have vectors, 499"):
        SearchIndex(folder, DIMENSION)
    segment.unlink()
    with pytest.raises(RebuildNeeded, match="500 documents have vectors, 300"):
        SearchIndex(folder, DIMENSION)


def test_numbers_out_of_order_are_noticed(folder: Path) -> None:
    segment = sorted((folder / "vectors").glob("*.vec"))[0]
    content = bytearray(segment.read_bytes())
    content[0] = 0xFF
    segment.write_bytes(content)
    with pytest.raises(RebuildNeeded, match="out of order"):
        SearchIndex(folder, DIMENSION)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "gone", "of another segment"])
def test_a_damaged_graph_of_neighbours_is_done_without_and_built_again(folder: Path, damage: str) -> None:
    first, second = sorted((folder / "vectors").glob("*.usearch"))
    content = bytearray(first.read_bytes())
    if damage == "gone":
        first.unlink()
    elif damage == "of another segment":
        shutil.copy(second, first)
    elif damage == "flipped":
        content[len(content) // 2] ^= 1
        first.write_bytes(content)
    else:
        first.write_bytes(content[: len(content) // 2 if damage == "cut" else 0])
    works(folder)
    with SearchIndex(folder, DIMENSION, background=False, segment_rows=200) as index:
        assert index.maintain().built == 1
    works(folder)


def test_what_a_kill_leaves_is_cleared_away(folder: Path) -> None:
    vectors = folder / "vectors"
    first = sorted(vectors.glob("*.vec"))[0]
    (vectors / "00000009-00000009-1.part").write_bytes(b"half")
    (vectors / "00000009-00000009-1.deadbeef.usearch").write_bytes(b"of no segment")
    shutil.copy(first, vectors / "00000001-00000001-2.vec")  # rewritten, and killed before the old one went
    with sorted(vectors.glob("*-1.vec"))[-1].open("ab") as last:
        last.write(b"half a record")
    works(folder)
    assert not list(vectors.glob("*.part"))
    assert not first.exists()
    with SearchIndex(folder, DIMENSION, background=False, segment_rows=200) as index:
        index.apply([section("new", "new", vector=VECTORS[0])], [], 8)
        assert set(ids(index.vector(VECTORS[0], limit=2))) == {"0", "new"}


def test_every_file_of_tantivy_s_may_be_cut(folder: Path, tmp_path: Path) -> None:
    """Opening and searching either work or ask for a rebuild."""
    names = [path.name for path in (folder / "text").iterdir() if path.is_file() and path.stat().st_size > 0]
    assert len(names) > 5
    outcomes = set()
    for name in names:
        copy = Path(shutil.copytree(folder, tmp_path / name))
        content = (copy / "text" / name).read_bytes()
        (copy / "text" / name).write_bytes(content[: len(content) // 2])
        try:
            works(copy)
            outcomes.add("works")
        except RebuildNeeded:
            outcomes.add("rebuild")
    assert "rebuild" in outcomes


def test_a_folder_killed_while_it_was_made_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "g.index" / "text").mkdir(parents=True)
    (tmp_path / "g.index" / "text" / "meta.json").write_text("half")
    (tmp_path / "g.index" / "manifest.part").write_text("half")
    with SearchIndex(tmp_path / "g.index", DIMENSION) as index:
        assert index.stamp == 0


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RebuildNeeded, match=r"other things \(notes\.txt\)"):
        SearchIndex(tmp_path, DIMENSION)
    file = tmp_path / "notes.txt"
    with pytest.raises(RebuildNeeded, match="it is a file"):
        SearchIndex(file, DIMENSION)
    remove_index(tmp_path)
    assert file.read_text() == "mine"


def test_removing_and_opening_starts_anew(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")
    remove_index(folder)
    with open_index(folder, DIMENSION, background=False) as index:
        assert (index.stamp, index.count()) == (0, 0)
        index.apply([section(1, "x", vector=np.ones(DIMENSION))], [], 1)
        assert ids(index.text("x")) == ["1"]


@pytest.mark.parametrize("package", ["tantivy", "usearch", "numpy"])
def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SearchPartsMissing, match=rf"{package}.*pip install 'graphvine\[search\]'"):
        open_index(tmp_path / "g.index", DIMENSION)
