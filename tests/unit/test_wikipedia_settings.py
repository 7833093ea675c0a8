"""The page on articles names every setting with its default."""

from __future__ import annotations

from graphvine.settings import describe
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.tools.package_tree import REPOSITORY


def test_every_setting_is_in_the_page_with_its_default() -> None:
    page = (REPOSITORY / "docs" / "wikipedia.md").read_text(encoding="utf-8")
    for row in describe(WikipediaSettings):
        default = f"`{row['default']}`" if row["default"] != "" else ""
        assert f"| `{row['name']}` | {default} | {row['help']} |" in page
