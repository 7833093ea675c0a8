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


def normalised(name: str) -> str:
    """The name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_what_is_declared_is_locked() -> None:
    declared = (REPOSITORY / "pyproject.toml").read_text()
    files = [path.read_text() for path in (REPOSITORY / "workers").glob("*/requirements.txt")]
    core = re.search(r"^core = \[(.*?)\n\]", declared, re.DOTALL | re.MULTILINE)
    assert core is not None
    wanted = re.findall(r'"([A-Za-z0-9_.-]+)', core[1]) + re.findall(
        r"^([A-Za-z0-9_.-]+)", "\n".join(files), re.MULTILINE
    )
    known = {normalised(name) for name in locked(REPOSITORY / "requirements.lock")}
    missing = {name for name in wanted if name != "graphvine" and normalised(name) not in known}
    assert not missing, f"run 'make lock': {missing}"


def test_licences_are_listed() -> None:
    page = (REPOSITORY / "docs" / "licences.md").read_text()
    for name, version in locked(REPOSITORY / "requirements.lock").items():
        assert f"| {name} | {version} |" in page, "run 'make lock'"
    assert "not declared" not in page


# Packages that read what strangers send, with the first version that has no fault known to us.
FIXED_IN = {
    "h11": "0.16", "python-multipart": "0.0.27", "pypdf": "6.10.2", "starlette": "1.0", "uvicorn": "0.11.7",
}  # fmt: skip


@pytest.mark.parametrize("name", FIXED_IN)
def test_no_version_with_a_known_fault_is_accepted(name: str) -> None:
    """Whoever installs without the lock file gets none of them either."""
    files = [REPOSITORY / "pyproject.toml", *(REPOSITORY / "workers").glob("*/requirements.txt")]
    floors = [
        found for file in files for found in re.findall(rf"^\W*{name}>=([0-9.]+)", file.read_text(), re.MULTILINE)
    ]
    assert floors, f"{name} has no lower bound"
    assert all(_numbers(floor) >= _numbers(FIXED_IN[name]) for floor in floors), floors
    assert _numbers(locked(REPOSITORY / "requirements.lock")[name]) >= max(map(_numbers, floors))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
