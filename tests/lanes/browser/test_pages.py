"""Every page: it opens at its address, light and dark, on a screen and on a phone, without a complaint of the browser."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import graphvine
from tests.lanes.browser.conftest import OpenPage
from tests.lanes.browser.house import WILD, House
from tests.tools.parts import BUNDLE, UI_FOLDER

PAGES = {
    "overview": "Overview", "queue/article?state=failed": "Queue", "row/article?key=Vine": "Vine",
    "graph?label=Article&key=Vine": "Graph", "query": "Query", "search?q=vine": "Search", "threads/1": "Thread 1",
    "news": "News", "scrape": "Scrape", "uploads": "Uploads", "jobs": "Jobs", "machines/article": "Machines",
    "workers": "Workers", "settings": "Settings", "log": "Log", "api": "HTTP API",
}  # fmt: skip
SCREENS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1440, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1440, "height": 900}},
    "phone": {
        "color_scheme": "dark", "viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True
    },
    "light phone": {
        "color_scheme": "light", "viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True
    },
}  # fmt: skip
AXE = UI_FOLDER / "node_modules" / "axe-core" / "axe.min.js"


def settled(page: Page) -> None:
    page.locator("main h1").wait_for()
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


@pytest.fixture
def at_work(house: House) -> Iterator[None]:
    """Somebody works on articles meanwhile: counts, events and rows change while pages are looked at."""
    over = threading.Event()

    def work() -> None:
        with graphvine.open(house.daemon.where) as graph:
            claims = graph.claims("article", "a gardener")
            graph.seed("article", [f"Bed {number}" for number in range(2_000)])
            while not over.wait(0.1) and (taken := claims.claim(3)):
                claims.complete(taken)
            while taken := claims.claim(500):
                claims.complete(taken)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.mark.parametrize("screen", SCREENS)
def test_every_page_opens_and_nothing_runs_out_of_its_width(
    open_page: OpenPage, house: House, at_work: None, screen: str
) -> None:
    page = open_page(**SCREENS[screen])
    for path, title in PAGES.items():
        page.goto(f"{house.address}/ui/{path}")
        settled(page)
        expect(page.locator("main h1")).to_have_text(title)
        width = SCREENS[screen]["viewport"]["width"]
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, path
        assert page.locator("main p.error").count() == 0, f"{path}: {page.locator('main p.error').first.text_content()}"
    ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (sum(ground[:3]) < 150) == ("light" not in screen)


@pytest.mark.parametrize("screen", ["light", "phone"])
def test_axe_finds_nothing_serious(browser: Browser, house: House, screen: str) -> None:
    """axe puts a script of its own into the page, which the policy would refuse: here alone it is put aside."""
    context = browser.new_context(bypass_csp=True, **SCREENS[screen])
    page = context.new_page()
    found = {}
    for path in PAGES:
        page.goto(f"{house.address}/ui/{path}")
        settled(page)
        page.evaluate(AXE.read_text("utf-8"))
        result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        serious = [
            (one["id"], [node["html"][:160] for node in one["nodes"][:3]])
            for one in result["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        if serious:
            found[path] = serious
    context.close()
    assert found == {}


def test_reload_and_back_keep_the_place(page: Page, house: House) -> None:
    page.get_by_role("link", name="Queue", exact=True).click()
    page.get_by_role("link", name="hn_item").click()
    page.get_by_label("States").get_by_role("button", name="completed").click()
    page.wait_for_url("**/ui/queue/hn_item?state=completed")
    page.get_by_role("link", name="A graph of vines").click()
    expect(page.locator("main h1")).to_have_text("1")
    page.reload()
    expect(page.locator("main h1")).to_have_text("1")
    page.go_back()
    expect(page.get_by_role("button", name="completed", pressed=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("button", name="all", exact=True, pressed=True)).to_be_visible()
    page.goto(f"{house.address}/ui/no/such/page")
    expect(page.locator("main h1")).to_have_text("Not found")


def test_every_page_is_reached_by_keyboard(page: Page) -> None:
    """The first stop skips to the page; then every stop is seen."""
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the page"
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        at = page.evaluate(
            "() => { const at = document.activeElement, style = getComputedStyle(at);"
            " return [at.textContent.trim(), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]; }"
        )
        assert at[1], f"focus can't be seen at {at[0]}"
        seen.append(at[0])
    assert [one for one in seen if one in ("Overview", "Queue", "Graph", "Log", "API")] == [
        "Overview",
        "Queue",
        "Graph",
        "Log",
        "API",
    ]


def test_what_comes_from_the_graph_is_text(open_page: OpenPage, complaints: list[str]) -> None:
    page = open_page("queue/article?state=failed", viewport={"width": 1440, "height": 900})
    page.get_by_role("link", name=WILD).click()
    expect(page.locator("main h1")).to_have_text(WILD)
    assert page.locator("main img").count() == 0
    refused = page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; return ''; } catch (e) { return e.name; } }"
    )
    assert refused == "TypeError", "the policy lets no text become markup"
    complaints[:] = [one for one in complaints if "TrustedHTML" not in one]


def test_little_is_loaded_before_the_graph_is_opened(open_page: OpenPage) -> None:
    loaded: set[str] = set()
    page = open_page(viewport={"width": 1440, "height": 900})
    page.on("request", lambda sent: loaded.add(sent.url))
    page.reload()
    for name in ("Queue", "Query", "Search", "Uploads", "Jobs", "Machines", "Workers", "Overview"):
        page.get_by_role("link", name=name, exact=True).click()
        settled(page)
    parts = [Path(one.split("/static/")[1]) for one in loaded if "/static/assets/" in one]
    assert len(parts) > 8
    assert sum(len(gzip.compress((BUNDLE / one).read_bytes())) for one in parts) < 300_000
