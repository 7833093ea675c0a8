"""Make the pictures of the documentation: python -m tests.lanes.browser.pictures [FOLDER]"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

import graphvine
from tests.lanes.browser.conftest import ARGUMENTS
from tests.lanes.browser.house import House, open_house
from tests.support.articles import linking
from tests.tools.package_tree import REPOSITORY

WIDE: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
PICTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "dashboard-light.png": ("overview", {**WIDE, "color_scheme": "light"}),
    "dashboard-graph.png": ("graph?label=Article&key=Vine", {**WIDE, "color_scheme": "light"}),
    "dashboard-whole.png": ("graph?whole=Article", {**WIDE, "color_scheme": "light"}),
    "dashboard-dark.png": ("queue/article?state=failed", {**WIDE, "color_scheme": "dark"}),
    "dashboard-phone.png": ("row/article?key=Vine", {**PHONE, "color_scheme": "dark"}),
}


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "docs"
    with (
        tempfile.TemporaryDirectory() as folder,
        open_house(Path(folder), graph="wiki.kuzu") as house,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        _work(house)
        for name, (path, options) in PICTURES.items():
            take(browser, house, target / name, path, options)
        browser.close()


def _work(house: House) -> None:
    """Some work, so that counts and charts show something; some of it stays in somebody's hands."""
    with graphvine.open(house.daemon.where) as graph:
        claims = graph.claims("article", "worker-2")
        graph.seed("article", [f"Garden, bed {n}" for n in range(60)])
        for _ in range(4):
            for claim in claims.claim(9):
                claims.complete(claim, linking(graph, claim, [f"{claim.key}, row 1"]))
        claims.claim(7)


def take(browser: Browser, house: House, target: Path, path: str, options: dict[str, Any]) -> None:
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(f"{house.address}/ui/{path}")
    page.locator("#line[data-state=good]").wait_for()
    page.locator("main h1").wait_for()
    page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
    if path.startswith("overview"):
        page.locator(".uplot").first.wait_for()
    page.wait_for_timeout(2_500)  # until the drawing has found its places
    page.screenshot(path=target)
    context.close()
    print(f"{target} ({target.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()
