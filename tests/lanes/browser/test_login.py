"""Ways to the page: a link that logs in, a service that all can reach, one that goes away, a pipeline of a user's own."""

from __future__ import annotations

import socket
from pathlib import Path

from playwright.sync_api import Browser, expect

import graphvine
from graphvine.settings import Settings
from graphvine.trust import trust
from graphvine.workers.cli.new_pipeline import write
from graphvine.workers.serve.settings import ServeSettings
from tests.lanes.browser.house import House
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place


def test_a_link_logs_in_once(browser: Browser, house: House) -> None:
    with house.client() as client:
        link = house.address + client.post("/login/codes").raise_for_status().json()["path"]
    for attempt, said in enumerate(("You are logged in.", "this link was used already")):
        page = browser.new_context().new_page()
        page.goto(link)
        expect(page.locator("#said")).to_contain_text(said)
        assert "code" not in page.url, "the code does not stay in the address"
        assert (page.evaluate("sessionStorage.getItem('graphvine-token')") == house.token) == (attempt == 0)
        page.context.close()


def test_beyond_loopback_the_token_is_asked_for_at_once(browser: Browser, place: Place) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(host="0.0.0.0", port=0))
    page = browser.new_page()
    try:
        served.graph.seed("article", ["Vine"])
        page.goto(served.address)
        expect(page.get_by_role("dialog", name="Log in")).to_be_visible()
        assert page.locator("article").count() == 0, "nothing is shown without it"
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("dialog").get_by_role("button", name="Log in").click()
        expect(page.locator("#line")).to_have_text("live")
        expect(page.get_by_label("Pipeline article").locator("[data-figure=total]")).to_have_text("1")
        page.reload()
        expect(page.locator("#line")).to_have_text("live")
        assert page.get_by_role("dialog").count() == 0, "it is asked for once"
    finally:
        page.context.close()
        served.close()


def test_a_kill_is_seen_and_the_page_goes_on_afterwards(browser: Browser, place: Place) -> None:
    (place.folder / "graphvine.toml").write_text(QUICK_DAEMON)
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = str(found.getsockname()[1])
    page = browser.new_page()
    with DaemonProcess(place.folder, "--port", port, "--worker", "article=0") as first:
        page.goto(first.ready().address)
        expect(page.locator("#line")).to_have_text("live")
        expect(page.get_by_label("Pipeline article")).to_be_visible()
        first.kill()
        expect(page.locator("#line")).to_have_text("connecting …")
        expect(page.get_by_role("alert")).to_contain_text("The service does not answer.")
    with DaemonProcess(place.folder, "--port", port, "--worker", "article=0") as second:
        second.ready()
        expect(page.locator("#line")).to_have_text("live")
        with graphvine.open(second.where) as graph:
            graph.seed("article", ["Vine", "Ivy"])
        expect(page.get_by_label("Pipeline article").locator("[data-figure=total]")).to_have_text("2")
    page.context.close()


def test_a_pipeline_in_the_users_folder_has_a_card(browser: Browser, tmp_path: Path) -> None:
    write("gadgets", tmp_path)
    (tmp_path / "graphvine.toml").write_text(f'pipelines_folder = "gadgets"\n{QUICK_DAEMON}')
    trust(tmp_path / "graphvine.toml")
    with DaemonProcess(tmp_path) as daemon:
        service = daemon.ready()
        page = browser.new_context().new_page()
        page.goto(service.address)
        card = page.get_by_label("Pipeline gadgets")
        expect(card).to_contain_text("Gadgets: say here what it does")
        page.request.post(
            f"{service.address}/pipelines/gadgets/seeds", data={"keys": ["one", "two", "..."]},
            headers={"Authorization": f"Bearer {service.token}"},
        )  # fmt: skip
        expect(card.locator("[data-figure=total]")).to_have_text("3")
        expect(card.locator("[data-figure=failed]")).to_have_text("1")
        page.context.close()
