"""The documents name what there is: targets, lanes, pages."""

from __future__ import annotations

import re

import pytest

from tests.tools.lanes import LANES
from tests.tools.package_tree import REPOSITORY

MAKEFILE = (REPOSITORY / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))


def document(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_readme_starts_people_off(command: str) -> None:
    assert command in document("README.md")


def test_the_changelog_is_open() -> None:
    assert "## [Unreleased]" in document("CHANGELOG.md")


def test_every_target_has_a_help_text() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == TARGETS


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_the_targets_that_documents_name_exist(name: str) -> None:
    named = set(re.findall(r"\bmake ([a-z-]+)\b", "\n".join(re.findall(r"`[^`\n]+`|^    .*$", document(name), re.M))))
    assert named <= TARGETS
    assert named


@pytest.mark.parametrize("lane", [lane.name for lane in LANES])
def test_contributing_names_every_lane(lane: str) -> None:
    assert f"| {lane} |" in document("CONTRIBUTING.md")


def test_every_page_can_be_reached() -> None:
    pages = {page.name for page in (REPOSITORY / "docs").glob("*.md")} - {"README.md"}
    linked = set(re.findall(r"\]\((?:docs/|\./)?([\w-]+\.md)", document("README.md")))
    index = REPOSITORY / "docs" / "README.md"
    if index.exists():
        linked |= set(re.findall(r"\]\((?:\./)?([\w-]+\.md)", index.read_text()))
    assert pages <= linked


def test_every_relative_link_leads_somewhere() -> None:
    broken = []
    for page in (*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(REPOSITORY)}: {target}")
    assert not broken, "\n".join(broken)
