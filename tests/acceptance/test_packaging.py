"""A wheel holds every package and every data file, those of a pipeline added a minute ago too."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.acceptance.wheel_support import build_wheel, clone
from tests.tools.package_tree import ROOTS

ADDED = {
    "workers/newcomer/__init__.py": "workers/newcomer/__init__.py",
    "workers/newcomer/handler.py": "workers/newcomer/handler.py",
    "workers/newcomer/sources/__init__.py": "workers/newcomer/sources/__init__.py",
    "workers/newcomer/sample/pages.xml.bz2": "workers/newcomer/sample/pages.xml.bz2",
    "workers/newcomer/page/index.html": "workers/newcomer/page/index.html",
    "queries/newcomer.cypher": "queries/newcomer.cypher",
    "queries/neo4j/newcomer.cypher": "queries/neo4j/newcomer.cypher",
    "graph/engines/newcomer.py": "engines/newcomer.py",
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as a clone has it, with a pipeline added and no file edited."""
    target = clone(tmp_path_factory.mktemp("clone"))
    for name in ADDED:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text("")
    return target


@pytest.fixture(scope="module")
def contents(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in a wheel built from the copy, without the network."""
    wheel = build_wheel(copy, tmp_path_factory.mktemp("wheel"))
    return set(zipfile.ZipFile(wheel).namelist())


def test_every_source_and_every_query_is_in_the_wheel(copy: Path, contents: set[str]) -> None:
    for folder, place in ROOTS.items():
        for pattern in ("*.py", "*.cypher"):
            expected = {f"{place}/{path.relative_to(copy / folder)}" for path in (copy / folder).rglob(pattern)}
            assert expected <= contents


def test_a_new_pipeline_comes_along_with_its_data(contents: set[str]) -> None:
    assert {f"graphvine/{place}" for place in ADDED.values()} <= contents


def test_no_data_file_is_forgotten(copy: Path, contents: set[str]) -> None:
    """Data with an ending that pyproject.toml does not list would work here and be missing elsewhere."""
    for folder, place in ROOTS.items():
        found = {f"{place}/{path.relative_to(copy / folder)}" for path in (copy / folder).rglob("*") if path.is_file()}
        assert found <= contents


def test_nothing_is_installed_under_a_generic_name(contents: set[str]) -> None:
    tops = {name.split("/")[0] for name in contents}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"graphvine"}
