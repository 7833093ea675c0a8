"""The service goes away and comes back: the page says so, and goes on without being loaded again."""

from __future__ import annotations

import socket

from playwright.sync_api import Browser, expect

import graphvine
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.stores import Place


def test_a_kill_is_told_and_the_page_goes_on_afterwards(browser: Browser, place: Place) -> None:
    (place.folder / "graphvine.toml").write_text(QUICK_DAEMON)
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = str(found.getsockname()[1])
    page = browser.new_page()
    with DaemonProcess(place.folder, "--port", port, "--worker", "article=0") as first:
        page.goto(first.ready().address)
        expect(page.locator("#line")).to_have_text("live")
        expect(page.get_by_label("Pipeline article").locator("[data-figure=total]")).to_have_text("0")
        first.kill()
        expect(page.locator("#line")).to_have_text("not connected")
        expect(page.locator("#said")).to_have_text("The connection is lost; trying again.")
    with DaemonProcess(place.folder, "--port", port, "--worker", "article=0") as second:
        second.ready()
        expect(page.locator("#said")).to_have_text("Connected again.")
        with graphvine.open(second.where) as graph:
            graph.seed("article", ["Vine", "Ivy"])
        expect(page.get_by_label("Pipeline article").locator("[data-figure=total]")).to_have_text("2")
    page.context.close()
