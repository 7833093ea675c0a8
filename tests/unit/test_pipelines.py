"""Pipelines are found where they should be, and what is wrong with one is said by name."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import graphvine
from graphvine.errors import PipelineBroken, SchemaTooNew, SettingsError
from graphvine.graph import Graph
from graphvine.pipelines import folder_setting, found, library
from graphvine.settings import Settings
from graphvine.trust import trust
from graphvine.workers import hooks, registry
from graphvine.workers.cli.new_pipeline import CannotWritePipeline, write
from graphvine.workers.hooks import BadPipeline, Pipeline
from tests.support.stores import QUICK


@pytest.fixture(autouse=True)
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


def build(graph: Graph) -> Any:
    raise AssertionError("nothing is built here")


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"title": "Trees"}, "declares no handler: give `build`, or say in `instead`"),
        ({"title": "Trees", "build": build, "instead": "somebody"}, "declares a handler and also `instead`"),
        ({"title": "", "build": build}, "has no title"),
        ({"title": "Trees", "instead": "somebody", "owner_only": True}, "`owner_only` but has no handler"),
        ({"title": "Trees", "build": build, "routes": "trees.routes"}, "the hook 'routes' must be a function"),
        ({"title": "Trees", "build": build, "settings_table": "trees"}, "`settings_table` but no `settings`"),
        ({"title": "Trees", "build": build, "name": "my trees"}, "can't be called 'my trees'"),
    ],
)
def test_a_declaration_says_what_is_missing(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(BadPipeline, match=message.replace("(", r"\(")):
        Pipeline(**{"name": "trees", **declared})


def test_every_hook_has_a_sentence() -> None:
    text = Path(hooks.__file__).read_text("utf-8")
    for field in fields(Pipeline):
        after = text.partition(f"\n    {field.name}: ")[2].split("\n", 1)[1]
        assert after.startswith('    """'), f"{field.name} has no sentence"


def test_every_pipeline_of_the_package_is_declared_and_has_a_machine() -> None:
    assert set(registry.pipelines("")) == set(library("kuzu", "").machines)


def package(folder: Path, name: str, text: str, *parts: str) -> str:
    for part in parts or ("queries", "schema"):
        (folder / name / part).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(text)
    return str(folder)


def test_a_package_that_says_nothing_is_named(tmp_path: Path) -> None:
    folder = package(tmp_path, "silent_trees", "")
    with pytest.raises(PipelineBroken, match=r"'silent_trees' \(.*\) can't be loaded: its __init__.py says nothing of"):
        registry.pipelines(folder)


def test_a_package_that_can_t_be_imported_is_named(tmp_path: Path) -> None:
    folder = package(tmp_path, "broken_trees", "import no_such_package_at_all")
    with pytest.raises(PipelineBroken, match=r"'broken_trees'.*ModuleNotFoundError: No module named 'no_such_package"):
        registry.pipelines(folder)


def test_a_package_without_tables_is_named(tmp_path: Path) -> None:
    with pytest.raises(PipelineBroken, match="'bare_trees'.*has no folder 'schema'"):
        found(package(tmp_path, "bare_trees", "", "queries"))


def test_a_package_that_hides_behind_another_is_named(tmp_path: Path) -> None:
    with pytest.raises(PipelineBroken, match="Python finds .*json/__init__.py under its name"):
        found(package(tmp_path, "json", ""))


def test_two_pipelines_of_one_name_are_refused(tmp_path: Path) -> None:
    text = "from graphvine.workers.hooks import Pipeline\nPIPELINE = Pipeline(name='article', title='x', instead='y')"
    with pytest.raises(PipelineBroken, match="'second_trees'.*there is a pipeline 'article' already"):
        registry.pipelines(package(tmp_path, "second_trees", text))


def test_the_folder_comes_from_the_environment_or_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert folder_setting() == ""
    (tmp_path / "graphvine.toml").write_text('pipelines_folder = "here"\n')
    trust(tmp_path / "graphvine.toml")
    assert folder_setting() == "here"
    monkeypatch.setenv("GRAPHVINE_PIPELINES_FOLDER", "there")
    assert folder_setting() == "there"
    with pytest.raises(SettingsError, match="names .*there, which is not a folder"):
        found(folder_setting())


def test_a_graph_is_not_opened_without_its_pipelines(tmp_path: Path) -> None:
    folder = str(write("apart_trees", tmp_path))
    where = tmp_path / "graph.db"
    with graphvine.open(where, settings=Settings(**QUICK, pipelines_folder=folder)) as graph:
        assert graph.seed("apart_trees", ["oak"]) == 1
    with pytest.raises(SchemaTooNew, match="'apart_trees'.*GRAPHVINE_PIPELINES_FOLDER"):
        graphvine.open(where, settings=Settings(**QUICK))
    with graphvine.open(where, settings=Settings(**QUICK, pipelines_folder=folder)) as graph:
        assert [claim.key for claim in graph.claims("apart_trees", "w").claim(5)] == ["oak"]


def test_a_graph_moves_with_the_rows_of_its_pipelines(tmp_path: Path) -> None:
    settings = Settings(**QUICK, pipelines_folder=str(write("moving_trees", tmp_path)))
    with graphvine.open(tmp_path / "one.db", settings=settings) as graph:
        graph.seed("moving_trees", ["oak", "elm"])
        graph.export(tmp_path / "export")
    with graphvine.open(tmp_path / "two.db", settings=settings) as graph:
        graph.load(tmp_path / "export")
        assert graph.status()[-1].pipeline == "moving_trees" and graph.status()[-1].ready == 2
        assert graph.neighbourhood("MovingTrees", "oak")["node"]["key"] == "oak"


@pytest.mark.parametrize("name", ["Trees", "my trees", "1", "", "trees_", "../trees", "article", "json"])
def test_a_name_that_can_t_be_used_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotWritePipeline):
        write(name, tmp_path)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    write("careful_trees", tmp_path)
    with pytest.raises(CannotWritePipeline, match="is there already"):
        write("careful_trees", tmp_path)
