"""The lock files hold everything that is declared, with hashes, and name no registry; licences are listed."""

from __future__ import annotations

import re

import pytest

from tests.tools.licences import locked
from tests.tools.package_tree import REPOSITORY


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_package_has_a_hash_and_no_place(name: str) -> None:
    text = (REPOSITORY / name).read_text()
    entries = re.split(r"\n(?=[a-z0-9])", text)[1:]
    assert len(entries) > 50
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text and "index-url" not in text


def test_what_is_declared_is_locked() -> None:
    declared = (REPOSITORY / "pyproject.toml").read_text()
    files = [path.read_text() for path in (REPOSITORY / "workers").glob("*/requirements.txt")]
    core = re.search(r"^core = \[(.*?)\n\]", declared, re.DOTALL | re.MULTILINE)
    assert core is not None
    wanted = re.findall(r'"([A-Za-z0-9_.-]+)', core[1]) + re.findall(
        r"^([A-Za-z0-9_.-]+)", "\n".join(files), re.MULTILINE
    )
    known = {name.lower().replace("_", "-") for name in locked(REPOSITORY / "requirements.lock")}
    missing = {name for name in wanted if name != "graphvine" and name.lower().replace("_", "-") not in known}
    assert not missing, f"run 'make lock': {missing}"


def test_licences_are_listed() -> None:
    page = (REPOSITORY / "docs" / "licences.md").read_text()
    for name, version in locked(REPOSITORY / "requirements.lock").items():
        assert f"| {name} | {version} |" in page, "run 'make lock'"
    assert "not declared" not in page
