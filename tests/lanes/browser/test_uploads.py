"""Uploads in the dashboard: a file is chosen and sent, its progress shown, what failed is told and tried again."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.lanes.browser.house import House


def test_a_file_is_uploaded_and_followed_to_its_end(page: Page, house: House, tmp_path: Path) -> None:
    items = [
        {"id": 100 + n, "type": "story", "title": f"Leaf {n}", "by": "ada", "time": 1_700_000_000 + n}
        for n in range(40)
    ]
    lines = [json.dumps(item) for item in items] + ['{"id": "no number", "type": "story"}']
    file = tmp_path / "leaves <b>bold.jsonl"
    file.write_text("\n".join(lines))
    page.get_by_label("A file of items").set_input_files(file)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.get_by_role("textbox", name="Token").fill(house.token)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#said")).to_have_text(f"{file.name} is uploaded.")
    row = page.locator("#upload-list > li").filter(has_text=file.name)
    expect(row.locator("[data-part=state]")).to_have_text("partial_success")
    expect(row.locator("[data-part=told]")).to_contain_text("40 of 41 items, 1 failed")
    assert row.locator("progress").evaluate("(bar) => bar.value / bar.max") == 1
    row.get_by_text("What was wrong").click()
    expect(row.locator("details li")).to_have_count(1)
    expect(row.locator("details li")).to_contain_text("id")
    row.get_by_role("button", name="Retry what failed").click()
    expect(page.locator("#said")).to_have_text(f"{file.name} is being retried.")
    expect(page.get_by_label("Pipeline hn_item").locator("[data-figure=total]")).to_have_text("43")
