"""The Queue page: what is done to many rows is counted first, and done in slices."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import graphvine
from graphvine.errors import ClaimLost
from graphvine.outcomes import GiveUp
from tests.lanes.browser.conftest import OpenPage
from tests.lanes.browser.house import House
from tests.lanes.browser.test_work import SCREEN, drain, log_in


def test_hundreds_are_requeued_after_their_number_is_said(open_page: OpenPage, house: House) -> None:
    with graphvine.open(house.daemon.where) as graph:
        drain(graph)
        graph.seed("article", [f"Weed {n:04}" for n in range(620)])
        claims = graph.claims("article", "a gardener")
        while taken := claims.claim(200):
            claims.settle([GiveUp(claim, "eaten by snails") for claim in taken])
        page = open_page("queue/article?state=failed&contains=snails", viewport=SCREEN)
        expect(page.get_by_test_id("matching")).to_have_text("620 rows")
        table = page.get_by_role("table", name="Rows of article")
        assert table.get_by_role("row").count() < 60, "only what can be seen is drawn"
        table.locator(".body").evaluate("(box) => box.scrollTo(0, box.scrollHeight)")
        expect(table.get_by_role("link", name="Weed 0619")).to_be_visible()
        table.locator(".body").evaluate("(box) => box.scrollTo(0, 37 * 300)")
        expect(table.get_by_role("link", name="Weed 0301")).to_be_visible()
        table.locator(".body").evaluate("(box) => box.scrollTo(0, 0)")
        expect(table.get_by_role("link", name="Weed 0000")).to_be_visible()
        page.get_by_role("button", name="Requeue …").click()
        dialog = page.get_by_role("dialog", name="Requeue 620 rows?")
        dialog.get_by_role("button", name="Cancel").click()
        assert graph.query(
            "MATCH (a:Article) WHERE a.last_error = 'eaten by snails' AND a.expansion_state = 'failed' RETURN count(*)"
        ).rows == [[620]]
        page.get_by_role("button", name="Requeue …").click()
        dialog.get_by_role("button", name="Requeue 620 rows").click()
        log_in(page, house.token)
        expect(page.locator("#said")).to_have_text("620 rows requeued.")
        expect(page.get_by_test_id("matching")).to_have_text("0 rows")
        drain(graph)


def test_rows_are_prioritised_and_released_after_their_number_is_said(open_page: OpenPage, house: House) -> None:
    with graphvine.open(house.daemon.where) as graph:
        drain(graph)
        graph.seed("article", [f"Sprout {n:02}" for n in range(20)])
        claims = graph.claims("article", "a gardener who sleeps")
        held = claims.claim(3)
        page = open_page("queue/article?contains=sprout", viewport=SCREEN)
        expect(page.get_by_test_id("matching")).to_have_text("20 rows")
        for key in ("Sprout 11", "Sprout 17"):
            page.get_by_label(f"Choose {key}").check()
        page.get_by_role("button", name="Prioritise …").click()
        page.get_by_role("dialog").get_by_role("button", name="Prioritise 2 rows").click()
        log_in(page, house.token)
        expect(page.locator("#said")).to_have_text("2 rows prioritised.")
        expect(page.get_by_role("table").get_by_text("ready, first")).to_have_count(2)
        page.get_by_role("button", name="Release …").click()
        page.get_by_role("dialog", name="Release 3 rows?").get_by_role("button", name="Release 3 rows").click()
        expect(page.locator("#said")).to_have_text("3 rows released.")
        with pytest.raises(ClaimLost):
            claims.complete(held)
        first = claims.claim(3)
        assert [claim.key for claim in first] == ["Sprout 11", "Sprout 17", "Sprout 00"]
        page.get_by_role("button", name="Requeue …").click()
        expect(page.locator("#said")).to_have_text("None of these rows failed: there is nothing to requeue.")
        page.get_by_label("Until").fill("2020-01-01T00:00")
        expect(page.get_by_test_id("matching")).to_have_text("0 rows")
        page.reload()
        expect(page.get_by_label("Until")).to_have_value("2020-01-01T00:00")
        page.get_by_label("Until").fill("")
        page.get_by_label("Since").fill("2020-01-01T00:00")
        expect(page.get_by_test_id("matching")).to_have_text("20 rows")
        claims.complete(first)
        drain(graph)
