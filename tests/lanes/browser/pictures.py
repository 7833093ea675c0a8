"""Make the pictures of the documentation: python -m tests.lanes.browser.pictures [FOLDER]"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

import graphvine
from tests.lanes.browser.house import House, open_house
from tests.support.articles import linking
from tests.tools.package_tree import REPOSITORY

PICTURES = {
    "dashboard-light.png": {"color_scheme": "light", "viewport": {"width": 1000, "height": 1240}},
    "dashboard-dark.png": {"color_scheme": "dark", "viewport": {"width": 1000, "height": 1240}},
    "dashboard-phone.png": {"color_scheme": "dark", "viewport": {"width": 390, "height": 1100}},
}
STEPS, AT_ONCE = 5, 12


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "docs"
    with (
        tempfile.TemporaryDirectory() as folder,
        open_house(Path(folder), graph="wiki.kuzu") as house,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for number, (name, options) in enumerate(PICTURES.items()):
            take(browser, house, target / name, options, f"Garden {number}")
        browser.close()


def take(browser: Browser, house: House, target: Path, options: dict[str, object], title: str) -> None:
    """A picture while something is in work, so that counts, rates and heartbeats show something."""
    context = browser.new_context(**options)  # type: ignore[arg-type]  # the options stand in one table
    page = context.new_page()
    page.goto(house.address)
    expect(page.locator("#picture g.centre")).to_be_visible()
    with graphvine.open(house.daemon.where) as graph:
        graph.seed("article", [f"{title}, bed {n}" for n in range(STEPS * AT_ONCE)])
        claims = graph.claims("article", "worker-2")
        done = page.locator("[data-state-count=processed]")
        for step in range(STEPS):
            before = done.text_content() or ""
            for claim in claims.claim(AT_ONCE - 3 * (step % 3)):
                claims.complete(claim, linking(graph, claim, [f"{claim.key}, row {step}"]))
            expect(done).not_to_have_text(before)
        held = claims.claim(7)
        expect(page.get_by_label("Pipeline article").locator("[data-figure=claimed]")).to_have_text("7")
        page.screenshot(path=target)
        claims.release(held)
        while rest := claims.claim(50):
            for claim in rest:
                claims.complete(claim)
    context.close()
    print(f"{target} ({target.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()
