"""A cached library is the one that the files make: never an older one, a broken one, or somebody else's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graphvine import queries
from graphvine.queries import Library
from graphvine.queries.library_cache import cached
from tests.tools.package_tree import REPOSITORY


class Making:
    """Counts how often a library is made of the files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.times = folder, 0

    def __call__(self, dialect: str = "kuzu") -> Library:
        return cached([(self.folder, "queries")], dialect, lambda: self._make(dialect))

    def _make(self, dialect: str) -> Library:
        self.times += 1
        return queries.load(self.folder, dialect=dialect)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "graphvine" / "libraries"


@pytest.fixture
def making(tmp_path: Path, cache: Path) -> Making:
    folder = tmp_path / "queries"
    shutil.copytree(REPOSITORY / "queries", folder, ignore=shutil.ignore_patterns("*.py", "__pycache__", "claimable*"))
    return Making(folder)


@pytest.mark.parametrize("dialect", ["kuzu", "neo4j"])
def test_a_cached_library_is_the_one_that_was_made(making: Making, dialect: str) -> None:
    made, found = making(dialect), making(dialect)
    assert making.times == 1 and found is not made
    assert found == made and found.fingerprint == made.fingerprint
    for name, machine in made.machines.items():
        assert found.machines[name].roles == machine.roles and found.machines[name].fingerprint == machine.fingerprint
    assert dict(found.statements) == dict(made.statements)


def test_a_file_that_changes_makes_another_library(making: Making) -> None:
    making()
    with open(making.folder / "graph.cypher", "a") as file:
        file.write("\n// name: one_more()\n// Nothing.\nRETURN 1 AS one;\n")
    assert "one_more" in making().entities["graph"].blocks and making.times == 2
    making("neo4j")
    assert making.times == 3


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:1000])


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _something_else(file: Path) -> None:
    file.write_bytes(b"\x80\x05K\x01.")  # the number 1


def _open_to_all(file: Path) -> None:
    file.chmod(0o666)


@pytest.mark.parametrize("harm", [_cut, _empty, _something_else, _open_to_all])
def test_what_can_t_be_trusted_is_made_again(making: Making, cache: Path, harm: Callable[[Path], None]) -> None:
    made = making()
    (file,) = cache.iterdir()
    harm(file)
    assert making() == made and making.times == 2
    assert making() == made and making.times == 2, "and replaced"


def test_a_user_without_a_home_needs_no_cache(making: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    assert making().entities and making().entities and making.times == 2


def test_the_cache_has_a_bound_and_may_be_read_only(making: Making, cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / "new-1").write_bytes(b"left by a kill")
    for number in range(12):
        with open(making.folder / "graph.cypher", "a") as file:
            file.write(f"// {number}\n")
        making()
    assert len(list(cache.iterdir())) == 8
    shutil.rmtree(cache)
    cache.write_text("a file where the folder should be")
    making()
    assert making.times == 13
