"""Everybody can use it: by keyboard alone, on a phone, in the dark, with a screen reader."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.lanes.browser.conftest import OpenPage
from tests.lanes.browser.house import House

FOCUSED = "() => document.activeElement.id || document.activeElement.textContent.trim()"
# What the eye needs: the ratio of luminances by the accessibility guidelines of the web.
CONTRAST = """(selector) => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => { const [r, g, b] = numbers(colour).slice(0, 3).map((part) => {
    const share = part / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  return [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()).map((one) => {
    let ground = one;
    while (ground && (numbers(getComputedStyle(ground).backgroundColor)[3] ?? 1) === 0) ground = ground.parentElement;
    const pair = [light(getComputedStyle(one).color), light(getComputedStyle(ground ?? document.body).backgroundColor)];
    return [(Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05), one.outerHTML.slice(0, 80)]; });
}"""


def test_the_graph_is_walked_by_keyboard(page: Page) -> None:
    centre = page.locator("#picture g.centre")
    expect(centre.locator("title")).to_have_text("Article Vine")
    page.locator("#walk-key").focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.matches('g.node')"):
            break
    expect(centre).to_be_focused()
    page.keyboard.press("ArrowUp")
    focused = page.locator("#picture g.node:focus")
    name = focused.locator("title").text_content() or ""
    assert name != "Article Vine"
    assert focused.locator("circle").evaluate("(one) => getComputedStyle(one).strokeWidth") == "4px", "focus is seen"
    page.keyboard.press("Enter")
    expect(centre.locator("title")).to_have_text(name)
    expect(centre).to_be_focused()
    page.keyboard.press("Backspace")
    expect(centre.locator("title")).to_have_text("Article Vine")


def test_the_order_of_focus_is_that_of_the_page(page: Page) -> None:
    """Every step of Tab goes on in the page, is visible, and shows where it is."""
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Skip to the queues"
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "main"
    seen: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement === document.body"):
            break
        seen.append(page.evaluate(FOCUSED))
        ring = page.evaluate(
            "() => { const at = document.activeElement, style = getComputedStyle(at);"
            " return at.matches('g.node') || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2); }"
        )
        assert ring, f"focus can't be seen at {seen[-1]}"
    wanted = ["walk-label", "walk-key", "search-words", "search-where", "failures-pipeline", "failures-contains"]
    assert [one for one in seen if one in wanted] == wanted


def test_a_failure_is_requeued_by_keyboard_and_focus_is_not_lost(page: Page, house: House) -> None:
    button = page.locator("#failed button").first
    key = (button.get_attribute("aria-label") or "").removeprefix("Requeue ")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Token")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#said")).to_have_text("Not done: it needs the token.")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Token")).to_be_focused()
    page.keyboard.type(house.token)
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_have_text(f"{key} is back in the queue.")
    assert page.evaluate("() => document.activeElement !== document.body"), "focus fell out of the page"
    assert house.state_of(key) == "discovered"


def test_every_field_and_button_has_a_name(page: Page) -> None:
    nameless = page.evaluate(
        "() => [...document.querySelectorAll('button, input, select, progress, [role=button], svg[role]')].filter((one) =>"
        " !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim())).map((one) => one.outerHTML)"
    )
    assert nameless == []
    assert page.locator("#said").get_attribute("aria-live") == "polite"
    assert page.locator("h1").count() == 1 and page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_in_light_and_dark(open_page: OpenPage, scheme: str) -> None:
    page = open_page(color_scheme=scheme, viewport={"width": 1200, "height": 900})
    expect(page.locator("#picture g.centre")).to_be_visible()
    ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (sum(ground[:3]) < 150) == (scheme == "dark")
    ratios = page.evaluate(CONTRAST, "p, dt, dd, h2, h3, a, button:not(:disabled), .badge, label, li, summary")
    assert len(ratios) > 50
    assert [one for one in ratios if one[0] < 4.5] == []


@pytest.mark.parametrize("width", [320, 390, 768])
def test_nothing_runs_out_of_a_phone_s_width(open_page: OpenPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 800}, has_touch=True, is_mobile=True)
    picture = page.locator("#picture")
    expect(picture.locator("g.centre")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    for button in page.locator("button:visible:not(.link)").all():
        box = button.bounding_box()
        assert box is not None and box["height"] >= 36 and box["x"] >= 0 and box["x"] + box["width"] <= width
    picture.locator("g.node:not(.centre)").first.tap()
    expect(page.locator("#said")).to_contain_text("neighbour")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
