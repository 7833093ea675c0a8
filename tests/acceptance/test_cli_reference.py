"""Commands explain themselves, the page about them is up to date, and new ones are found without an edit."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from graphvine.workers.cli import discovery
from graphvine.workers.cli.main import command
from graphvine.workers.cli.reference import pages, written
from tests.acceptance.cli_support import run
from tests.tools.package_tree import REPOSITORY

PAGE = REPOSITORY / "docs" / "command-line.md"
COMMANDS = pages()
DECLARED = """
from graphvine.workers.hooks import Pipeline

def commands():
    from {name}.commands import app
    return app

PIPELINE = Pipeline(name="{name}", title="Trees", instead="somebody does it by hand", commands=commands)
"""
ADDED = '''
import typer
from graphvine.workers.cli.apps import new_app
app = new_app()

@app.command()
def prune(context: typer.Context, name: str) -> None:
    """Cut something back."""
    from graphvine.workers.cli.options import common
    print(f"pruned {name} in {common(context).graph}")

@app.command("water")
def water_it() -> None:
    """Water everything."""
'''


@pytest.mark.parametrize("name", written())
def test_a_generated_page_is_up_to_date(name: str) -> None:
    page = (REPOSITORY / "docs" / name).read_text("utf-8")
    assert page == written()[name](), "run: python -m graphvine.workers.cli.reference docs"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented_and_teaches(name: str) -> None:
    text = COMMANDS[name].help
    assert f"\n## {name}\n" in PAGE.read_text("utf-8")
    assert "\n\nIn Python: graph" in text, "it names its Python twin"
    assert re.search(rf"^    .*\bgraphvine (--graph \S+ )?{name}\b", text, re.MULTILINE), "it shows an example"
    for parameter in COMMANDS[name].params:
        assert parameter.help, f"{parameter.name} has a help text"
        assert parameter.metavar or getattr(parameter, "is_flag", False), f"{parameter.name} says what it takes"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_have_no_option_that_is_not_there(name: str) -> None:
    known = {option for one in (COMMANDS[name], command()) for parameter in one.params for option in parameter.opts}
    shown = [line for line in COMMANDS[name].help.splitlines() if re.match(rf"    .*\bgraphvine .*\b{name}\b", line)]
    used = {word for line in shown for word in re.findall(r"(?<!\S)--[a-z-]+", line.partition(" | ")[0])}
    assert used <= known


def test_a_pipeline_brings_commands_by_adding_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_pipeline(tmp_path / "one" / "orchard")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("GRAPHVINE_PIPELINES_FOLDER", str(tmp_path / "one"))
    assert {"prune", "water", "status"} <= set(discovery.names())
    assert "Water everything." in run("--help").out
    assert run("prune", "vine", "--graph", "x.kuzu").out == "pruned vine in x.kuzu\n"
    for name in ("garden", "vineyard"):
        add_pipeline(tmp_path / "two" / name)
    monkeypatch.setenv("GRAPHVINE_PIPELINES_FOLDER", str(tmp_path / "two"))
    with pytest.raises(discovery.CommandTwice, match=r"'garden' and the pipeline 'vineyard' both bring the command"):
        discovery.names()


def add_pipeline(package: Path) -> None:
    for part in ("queries", "schema"):
        (package / part).mkdir(parents=True)
    (package / "__init__.py").write_text(DECLARED.format(name=package.name))
    (package / "commands.py").write_text(ADDED)


def test_the_options_of_all_stand_before_or_after(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.kuzu")
    assert run("--graph", missing, "status", status=1).err == run("status", "--graph", missing, status=1).err
    assert "none.kuzu" in run("--graph", "other.kuzu", "status", "--graph", missing, status=1).err
    assert "say which graph" in run("status", "--graph", "", status=2).err
    assert "--graph" in run("model", "install", "--help").out
