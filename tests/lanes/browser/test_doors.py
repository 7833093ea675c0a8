"""The page at other doors: a command that holds the graph and tells no status, and a service that all can reach."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from graphvine.settings import Settings
from graphvine.workers.serve.settings import ServeSettings
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place


def test_where_nobody_tells_the_page_asks(browser: Browser, place: Place) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0))
    page = browser.new_page()
    try:
        page.goto(served.address)
        total = page.get_by_label("Pipeline article").locator("[data-figure=total]")
        expect(total).to_have_text("0")
        served.graph.seed("article", ["Vine", "Ivy"])
        expect(total).to_have_text("2")
        expect(page.locator("#picture g.centre title")).to_have_text("Article Vine")
    finally:
        page.context.close()
        served.close()


def test_beyond_loopback_the_token_is_asked_for_at_once(browser: Browser, place: Place) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(host="0.0.0.0", port=0))
    page = browser.new_page()
    try:
        served.graph.seed("article", ["Vine"])
        page.goto(served.address)
        expect(page.get_by_role("dialog", name="Enter the access token")).to_be_visible()
        assert page.locator("article").count() == 0, "nothing is shown without it"
        page.get_by_role("textbox", name="Token").fill(TOKEN)
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("#line")).to_have_text("live")
        expect(page.get_by_label("Pipeline article").locator("[data-figure=total]")).to_have_text("1")
        page.reload()
        expect(page.locator("#line")).to_have_text("live")
        assert page.get_by_role("dialog").count() == 0, "it is asked for once"
    finally:
        page.context.close()
        served.close()
