"""A pipeline of a user's own has a card on the dashboard, as every other."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from graphvine.workers.cli.new_pipeline import write
from tests.support.daemons import QUICK_DAEMON, DaemonProcess


def test_a_pipeline_in_the_users_folder_has_a_card(browser: Browser, tmp_path: Path) -> None:
    write("gadgets", tmp_path)
    (tmp_path / "graphvine.toml").write_text(f'pipelines_folder = "gadgets"\n{QUICK_DAEMON}')
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
