"""Rows of a database as items: numbers, flags, lists and moments are text there (BigQuery, SQLite, ClickHouse)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

NUMBERS = ("id", "hnId", "parent", "poll", "time", "score", "descendants", "fetchedAt")
_DIGITS = re.compile(r"\s*-?\d{1,17}(?:\.0+)?\s*")
MOMENTS = ("timestamp", "time_ts", "timeISO")
_ROW_FLAGS = frozenset({"dead", "deleted"})
_ROW_LISTS = frozenset({"kids", "parts"})
_ROW_TEXTS = frozenset({*NUMBERS, *MOMENTS, *_ROW_FLAGS, "kids", "parts"})
_FLAGS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


def is_row(value: Mapping[str, Any]) -> bool:
    """Whether numbers, flags or lists are text, as exports of databases have them."""
    for name, one in value.items():  # one pass: every item of an upload comes through here
        kind = type(one)
        if (kind is str and name in _ROW_TEXTS) or (kind is int and name in _ROW_FLAGS):
            return True
        if kind is list and one and type(one[0]) is str and name in _ROW_LISTS:
            return True
    return names_its_poll_parent(value)


def names_its_poll_parent(value: Mapping[str, Any]) -> bool:
    """An option of a poll, as tables have it that know nothing but parents."""
    return value.get("type") == "pollopt" and value.get("poll") is None and value.get("parent") is not None


def from_row(value: Mapping[str, Any]) -> dict[str, Any]:
    item = {name: one for name, one in value.items() if one is not None and one != ""}
    for name in NUMBERS:
        if name in item:
            item[name] = number(item[name])
    for name in ("parent", "poll"):
        if item.get(name) == 0:
            del item[name]
    for name in ("dead", "deleted"):
        one = item.get(name)
        if isinstance(one, str | int):
            item[name] = _FLAGS.get(str(one).strip().lower(), one)
    for name in ("kids", "parts"):
        if isinstance(item.get(name), list):
            item[name] = [number(one) for one in item[name]]
        elif isinstance(item.get(name), str):
            words = re.split(r"[\s,;]+", item[name].strip("[](){} \t"))
            item[name] = [number(word.strip("\"'")) for word in words if word]
    moment = next((item[name] for name in MOMENTS if isinstance(item.get(name), str)), None)
    if "time" not in item and moment is not None:
        item["time"] = seconds(moment)
    elif isinstance(item.get("time"), str):
        item["time"] = seconds(item["time"])
    if names_its_poll_parent(item):
        item["poll"] = item.pop("parent")
    if item.get("author") == item.get("by"):
        item.pop("author", None)
    if "type" not in value and (kind := infer_type(item)):
        item["type"] = kind
    return item


def infer_type(item: Mapping[str, Any]) -> str | None:
    """What an item is in a table of stories or of comments alone, which does not say it."""
    if item.get("parent") is not None:
        return "comment"
    return "story" if item.get("title") else None


def number(value: Any) -> Any:
    """A number that is written as text; anything else stays as it is, for the checks that name the field."""
    return int(value.partition(".")[0]) if isinstance(value, str) and _DIGITS.fullmatch(value) else value


def seconds(text: str) -> Any:
    try:
        found = datetime.fromisoformat(text.strip().removesuffix(" UTC").replace("Z", "+00:00"))
    except ValueError:
        return text
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
