"""The documentation builds without a warning, offline, and its generated pages hold all there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from graphvine.pipelines import folder_setting, library
from graphvine.workers.cli.settings_listing import listing
from tests.support.waiting import WAIT_LIMIT
from tests.tools.package_tree import REPOSITORY


def test_the_site_builds_without_a_warning_and_asks_nobody_else(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=WAIT_LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    home = (tmp_path / "site" / "index.html").read_text("utf-8")
    # The theme adds one script, for browsers that search a page from the disk; pages are whole without it.
    asked = set(re.findall(r"(?:src|href)=\"(https://[^\"]+)", home)) - {"https://squidfunk.github.io/mkdocs-material/"}
    assert asked == {"https://unpkg.com/iframe-worker/shim"}
    assert (tmp_path / "site" / "search" / "search_index.js").exists(), "search works from the disk"


PAGES = {
    "article": "wikipedia", "hn_item": "hacker-news", "upload": "uploads", "scrape_item": "scrape",
    "news_article": "news",
}  # fmt: skip


@pytest.mark.parametrize("pipeline", PAGES)
def test_a_page_says_which_states_come_from_its_document(pipeline: str) -> None:
    page = (REPOSITORY / "docs" / f"{PAGES[pipeline]}.md").read_text("utf-8")
    told = page.partition("From the [document](documents.md)")[2].partition("\n\n")[0]
    theirs, _, ours = told.partition("Ours:")
    for state in library("kuzu", folder_setting()).machines[pipeline].states:
        assert f"`{state.name}`" in (ours if state.beyond else theirs), state.name


def test_every_setting_is_on_its_page() -> None:
    page = (REPOSITORY / "docs" / "settings.md").read_text("utf-8")
    missing = [row["name"] for row in listing(None) if f"| `{row['name']}` | `{row['variable']}` |" not in page]
    assert not missing
