"""A real browser at a real daemon: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.lanes.browser.house import House, open_house
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT

# WebGL by software: there is no graphics card to ask.
ARGUMENTS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
expect.set_options(timeout=1000 * WAIT_LIMIT)
OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def house(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A daemon whose graph holds the sample wiki, a thread, and some articles that failed."""
    folder: Path = tmp_path_factory.mktemp("house") / "store"
    with open_house(template.copy_to(folder).folder) as opened:
        yield opened


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained of; a test that provokes a complaint takes it out."""
    return []


@pytest.fixture
def open_page(browser: Browser, house: House, complaints: list[str]) -> Iterator[OpenPage]:
    """Open the dashboard. A complaint of the browser (an error, a broken rule of the policy) fails the test."""
    contexts: list[Any] = []

    def opened(path: str = "", **options: Any) -> Page:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(1000 * WAIT_LIMIT)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda told: complaints.append(told.text) if _is_complaint(told) else None)
        page.on("request", lambda sent: None if _is_ours(sent.url, house) else complaints.append(f"asks {sent.url}"))
        page.goto(f"{house.address}/ui/{path}")
        page.locator("#line[data-state=good]").wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page(viewport={"width": 1440, "height": 900})


@pytest.fixture(scope="session")
def owner(house: House) -> Iterator[httpx.Client]:
    with house.client() as client:
        yield client


def _is_complaint(told: Any) -> bool:
    # A refusal for want of the token is how the page learns that it has to ask for it.
    return told.type == "error" and "401 (Unauthorized)" not in told.text


def _is_ours(address: str, house: House) -> bool:
    return address.startswith((f"{house.address}/", "data:"))
