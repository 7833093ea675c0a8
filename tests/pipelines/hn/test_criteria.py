"""Each criterion on both of its sides."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphvine.workers.hn.ingest.item import TYPES, Draft
from graphvine.workers.hn.ingest.processors import complete, hierarchy_valid, retryable, valid

NOW = datetime(2025, 6, 15, tzinfo=UTC)


def draft(id: int = 10, source: str = "SINGLE_POST", **content: Any) -> Draft:
    made = Draft(id, {}, source, 0)
    made.content = content
    return made


@pytest.mark.parametrize("type", TYPES)
def test_valid_lets_every_type_through(type: str) -> None:
    assert valid(draft(type=type)) == ""


@pytest.mark.parametrize(
    ("id", "content", "field"), [(0, {"type": "story"}, "id"), (5, {}, "type"), (5, {"type": "x"}, "type")]
)
def test_valid_refuses(id: int, content: dict[str, Any], field: str) -> None:
    assert valid(draft(id, **content)).startswith(f"{field}: ")


@pytest.mark.parametrize("check", [hierarchy_valid, complete])
@pytest.mark.parametrize(
    "content",
    [
        {"type": "story"},
        {"type": "job"},
        {"type": "poll"},
        {"type": "comment", "parent": 9},
        {"type": "pollopt", "poll": 9},
    ],
)
def test_hierarchy_and_complete_let_through(check: Any, content: dict[str, Any]) -> None:
    assert check(draft(**content)) == ""


@pytest.mark.parametrize("check", [hierarchy_valid, complete])
@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({"type": "comment"}, "parent"), ({"type": "pollopt"}, "poll"), ({"type": "comment", "poll": 5}, "parent"),
    ],
)  # fmt: skip
def test_hierarchy_and_complete_refuse(check: Any, content: dict[str, Any], field: str) -> None:
    assert check(draft(**content)).startswith(f"{field}: ")


def test_complete_refuses_what_was_never_ingested_or_validated() -> None:
    assert "never" in complete(draft(source="", type="story"))
    assert "never" in complete(draft())


@pytest.mark.parametrize(
    ("tries", "ago", "allowed"),
    [
        (0, timedelta(0), True), (2, timedelta(hours=23, minutes=59), True), (3, timedelta(0), False),
        (0, timedelta(hours=24), False), (9, timedelta(days=9), False), (1, None, True),
    ],
)  # fmt: skip
def test_retryable(tries: int, ago: timedelta | None, allowed: bool) -> None:
    row = {"retryCount": tries, "lastFailureAt": None if ago is None else NOW - ago}
    assert (retryable(row, NOW) == "") is allowed
