"""The dashboard as people use it: counts that move, a requeue, a walk, a search."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

import graphvine
from tests.lanes.browser.house import MISSING, WILD, House
from tests.support.articles import linking

A_RATE = re.compile(r"[1-9].*/(s|min)|0\.[1-9]/s")


def give_token(page: Page, token: str) -> None:
    page.get_by_role("textbox", name="Token").fill(token)
    page.get_by_role("button", name="Continue").click()


def test_counts_move_while_work_runs(page: Page, house: House) -> None:
    """A worker in another process takes five at a time; each step is seen without the page being loaded again."""
    card = page.get_by_label("Pipeline article")
    state = page.locator("[data-state-count=processed]")
    with graphvine.open(house.daemon.where) as graph:
        graph.seed("article", [f"Leaf {n}" for n in range(15)])
        claims = graph.claims("article", "a worker elsewhere")
        before = int((state.text_content() or "").replace(",", ""))
        for step in range(1, 4):
            taken = claims.claim(5)
            assert len(taken) == 5
            if step == 1:
                expect(page.locator("#worker-list")).to_contain_text("a worker elsewhere")
                expect(card.locator("[data-figure=claimed]")).to_have_text("5")
            for claim in taken:
                claims.complete(claim, linking(graph, claim, [f"{claim.key} twig"]) if step == 3 else ())
            expect(state).to_have_text(str(before + 5 * step))
        expect(card.locator("[data-part=rate]")).to_have_text(A_RATE)
        expect(card.locator("[data-part=eta]")).to_contain_text("done in")
        assert card.locator("polyline").get_attribute("points")
        while rest := claims.claim(50):
            for claim in rest:
                claims.complete(claim)
    expect(card.locator("[data-part=eta]")).to_have_text("queue empty")


def test_a_failed_item_is_requeued_by_a_click(page: Page, house: House, owner: httpx.Client) -> None:
    failed = page.locator("#failed")
    expect(failed.get_by_role("listitem").filter(has_text="No such page")).to_contain_text("there is no page")
    failed.get_by_role("button", name="Requeue No such page").click()
    give_token(page, "a wrong one")
    expect(page.locator("#token-why")).to_have_text("The token was not the right one.")
    give_token(page, house.token)
    expect(page.locator("#said")).to_have_text("No such page is back in the queue.")
    expect(failed.get_by_text("No such page", exact=True)).to_have_count(0)
    assert house.state_of("No such page") == "discovered"
    assert page.evaluate("sessionStorage.getItem('graphvine-token')") == house.token
    # Asked for once: the next click needs no token.
    failed.get_by_role("button", name="Requeue Nor this one").click()
    expect(page.locator("#said")).to_have_text("Nor this one is back in the queue.")
    assert house.state_of("Nor this one") == "discovered"
    owner.post("/pipelines/article/exclude", json={"keys": MISSING[:1] + MISSING[2:]}).raise_for_status()


def test_the_token_can_be_refused(page: Page, house: House) -> None:
    page.get_by_role("button", name="Pause article").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#said")).to_have_text("Not done: it needs the token.")
    expect(page.get_by_label("Pipeline article").locator(".badge")).not_to_contain_text("paused")
    page.get_by_role("button", name="Pause article").click()
    give_token(page, house.token)
    expect(page.get_by_label("Pipeline article").locator(".badge")).to_have_text("paused: by the dashboard")
    page.get_by_role("button", name="Resume article").click()
    expect(page.get_by_label("Pipeline article").locator(".badge")).not_to_contain_text("paused")


def test_the_graph_is_drawn_and_walked(page: Page) -> None:
    picture = page.locator("#picture")
    expect(picture.locator("g.centre title")).to_have_text("Article Vine")
    assert picture.locator("g.node").count() > 5 and picture.locator("line.edge").count() >= 5
    other = picture.locator("g.node:not(.centre)[aria-label^='Article']").first
    name = other.locator("title").text_content()
    other.click()
    expect(picture.locator("g.centre title")).to_have_text(name or "")
    expect(page.locator("#node-name")).to_have_text(name or "")
    expect(page.locator("#node-properties")).to_contain_text("expansion state")
    page.get_by_role("button", name="Back").click()
    expect(picture.locator("g.centre title")).to_have_text("Article Vine")
    page.locator("#neighbours-title").click()
    page.locator("#neighbours button").first.click()
    expect(picture.locator("g.centre title")).not_to_have_text("Article Vine")


def test_the_drawing_grows_with_the_graph(page: Page, house: House) -> None:
    with graphvine.open(house.daemon.where) as graph:
        graph.seed("article", ["A new trellis"])
        page.get_by_label("Key").fill("A new trellis")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("#picture g.centre title")).to_have_text("Article A new trellis")
        expect(page.locator("#picture g.node")).to_have_count(1)
        claims = graph.claims("article", "a gardener")
        for claim in claims.claim(50):
            links = ["Post", "Wire"] if claim.key == "A new trellis" else []
            claims.complete(claim, linking(graph, claim, links) if links else ())
        expect(page.locator("#picture g.node")).to_have_count(3)
        for claim in claims.claim(50):
            claims.complete(claim)


def test_what_somebody_types_is_not_overwritten(page: Page) -> None:
    expect(page.locator("#picture g.centre")).to_be_visible()
    page.get_by_label("Key").fill("Iv")
    status = "() => fetch('/status').then((answer) => answer.ok)"
    with page.expect_response(lambda answer: "/neighbourhood" in answer.url):  # the page looks again by itself
        assert page.evaluate(status)
    expect(page.get_by_label("Key")).to_have_value("Iv")


@pytest.mark.parametrize(
    ("where", "words", "first"),
    [("articles", "climbing vine", ""), ("Hacker News", "trellises", "comment 2 by bob")],
)
def test_a_search_answers_and_leads_into_the_graph(page: Page, where: str, words: str, first: str) -> None:
    page.get_by_role("combobox", name="In", exact=True).select_option(label=where)
    page.get_by_label("Words", exact=True).fill(words)
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#search-told")).to_contain_text("found.")
    hit = page.locator("#found button").first
    if first:
        expect(hit).to_have_text(first)
    hit.click()
    expect(page.locator("#said")).to_contain_text("neighbour")
    expected = "Article" if where == "articles" else "HNItem"
    expect(page.locator("#node-name")).to_contain_text(expected)


def test_a_search_without_hits_says_so(page: Page) -> None:
    page.get_by_label("Words", exact=True).fill("zzzzqqqq")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#search-told")).to_have_text("Nothing found.")


def test_machines_are_drawn_with_their_counts(page: Page, owner: httpx.Client) -> None:
    for machine in owner.get("/machines").json():
        page.locator("#machine-choice").get_by_role("button", name=machine["pipeline"], exact=True).click()
        for state in machine["states"]:
            box = page.locator(f"#machine g[data-state-name={state['name']}]")
            expect(box.locator(".count")).to_have_text(f"{machine['counts'][state['name']]:,}")
        between = {(move["source"], move["target"]) for move in machine["moves"] if move["source"] != move["target"]}
        assert page.locator("#machine path.move").count() == len({one for one in between if one[0]})
        assert page.locator("#moves tbody tr").count() == len(machine["moves"])


def test_what_comes_from_the_graph_is_text(page: Page, complaints: list[str]) -> None:
    page.get_by_label("Key").fill(WILD)
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#node-name")).to_have_text(f"Article {WILD}")
    expect(page.locator("#failed").get_by_text(WILD, exact=True)).to_be_visible()
    assert page.locator("main img").count() == 0
    refused = page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; return ''; } catch (e) { return e.name; } }"
    )
    assert refused == "TypeError", "the policy lets no text become markup"
    complaints[:] = [one for one in complaints if "TrustedHTML" not in one]
