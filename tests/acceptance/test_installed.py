"""Installed from the wheel: what it brings, and what it says where a part is missing."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import graphvine
from graphvine.installation import extra_with, install_command
from tests.acceptance.cli_support import environment
from tests.acceptance.wheel_support import build_wheel, clone, environment_with, take_away
from tests.support.waiting import WAIT_LIMIT
from tests.tools.package_tree import REPOSITORY

WHOLE = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheel = build_wheel(clone(tmp_path_factory.mktemp("clone")), tmp_path_factory.mktemp("wheel"))
    return environment_with(wheel, tmp_path_factory.mktemp("environment"))


def said(command: Path, *arguments: str, cwd: Path, status: int = 0) -> str:
    done = subprocess.run(
        [command, *arguments], cwd=cwd, capture_output=True, text=True, timeout=WAIT_LIMIT, env=environment()
    )
    assert done.returncode == status, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_the_version_comes_from_one_place(command: Path, tmp_path: Path) -> None:
    assert said(command, "--version", cwd=tmp_path) == f"graphvine {graphvine.__version__}\n"
    assert "version" in WHOLE["project"]["dynamic"]
    assert not re.search(r'"\d+\.\d+\.\d+"', (REPOSITORY / "setup.py").read_text())


@pytest.mark.parametrize(
    ("missing", "arguments", "extra"),
    [
        ("uvicorn", ["serve"], "serve"), ("fastapi", ["serve"], "serve"), ("mcp", ["mcp"], "mcp"),
        ("tantivy", ["search", "vine", "--kind", "article"], "search"),
        ("onnxruntime", ["grow", "Vine", "--source", "sample"], "embed"),
    ],
)  # fmt: skip
def test_a_missing_part_is_one_sentence_with_the_command(
    command: Path, tmp_path: Path, missing: str, arguments: list[str], extra: str
) -> None:
    if arguments[0] == "search":
        graphvine.open(tmp_path / "graphvine.kuzu").close()
    take_away(command.parent.parent, missing)
    try:
        told = said(command, *arguments, cwd=tmp_path, status=1)
    finally:
        take_away(command.parent.parent)
    [line] = [line for line in told.splitlines() if line.startswith("error: ")]
    assert missing in line and f"install 'graphvine[{extra}]'" in line


def test_an_extra_is_found_by_the_module_it_brings() -> None:
    assert extra_with("python_multipart") == "serve"
    assert extra_with("prometheus_client.core") == "serve"
    assert extra_with("vaderSentiment") == "news"
    assert extra_with("backports") == "uploads"
    assert extra_with("nowhere") is None


@pytest.mark.parametrize(
    ("prefix", "begins"),
    [
        ("/opt/pipx/venvs/graphvine", "pipx install --force"),
        ("/opt/uv/tools/graphvine", "uv tool install"),
        ("/srv/venv", "pip install"),
    ],
)
def test_the_command_is_that_of_the_installer(monkeypatch: pytest.MonkeyPatch, prefix: str, begins: str) -> None:
    monkeypatch.setattr("sys.prefix", prefix)
    assert install_command("graphvine[mcp]") == f"{begins} 'graphvine[mcp]'"


def test_the_default_installation_has_what_most_people_need() -> None:
    told = WHOLE["tool"]["graphvine"]
    assert {"embed", "search", "serve", "wikipedia", "hn", "uploads"} <= set(told["default"])
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    for extra in ("scrape", "news", "mcp", "neo4j", "otel", "notebook", "sentence-transformers", "ladybug", "all"):
        assert f"`{extra}`" in readme


def test_the_release_builds_checks_attests_and_publishes() -> None:
    text = (REPOSITORY / ".github" / "workflows" / "release.yml").read_text("utf-8")
    for part in ("python -m build", "twine check", "attest-build-provenance", "gh-action-pypi-publish"):
        assert part in text
    for minor in (11, 12, 13, 14):
        assert f'"3.{minor}"' in text
        assert f"Programming Language :: Python :: 3.{minor}" in WHOLE["project"]["classifiers"]


def test_the_container_serves_what_it_says() -> None:
    """No container can be started here; the commands in the file are those that the wheel has."""
    text = (REPOSITORY / "Dockerfile").read_text("utf-8")
    extras = re.search(r"\[([\w,]+)\]\"", text)
    assert extras is not None and set(extras[1].split(",")) <= {*WHOLE["tool"]["graphvine"]["extras"], "news", "scrape"}
    assert 'CMD ["serve", "--host", "0.0.0.0"]' in text and "/readyz" in text
