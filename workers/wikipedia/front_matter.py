"""The properties at the top of a document."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\r?\n(.{0,100000}?)\r?\n\1[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"([\w][\w .-]{0,99}?)[ \t]*:(?:[ \t]+(.*))?$")
# Of a document's front matter so much is kept.
_MAX_PROPERTIES, _MAX_VALUE_CHARACTERS = 200, 10_000
_CATEGORIES = ("tags", "categories", "category", "tag", "keywords")


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The properties at the top of a document (TOML between +++, the plain part of YAML between ---), and the rest.

    What is broken there is left where it stands, as text: nothing is lost.
    """
    found = _FRONT.match(text.removeprefix("\ufeff"))
    if found is None:
        return {}, text
    rest = text.removeprefix("\ufeff")[found.end() :]
    properties: dict[str, Any] = {}
    if found[1] == "+++":
        try:
            given: Mapping[str, Any] = tomllib.loads(found[2])
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}, text
        for name, value in given.items():
            keep(properties, name, value)
        return properties, rest
    key = ""
    for line in found[2].splitlines():
        item = line.strip()
        if not item or item.startswith("#"):
            continue
        pair = _PAIR.match(line)
        if pair:
            key = pair[1]
            keep(properties, key, _value(pair[2] or ""))
        elif key and item.startswith("- "):
            kept = properties.get(key)
            keep(properties, key, [*(kept if isinstance(kept, list) else []), _value(item[2:])])
        elif key and line[:1] in " \t":
            kept = properties.get(key)
            keep(properties, key, f"{kept}\n{item}" if isinstance(kept, str) and kept else item)
        else:
            return {}, text
    return properties, rest


def _value(text: str) -> Any:
    """A scalar of YAML, or a list in brackets; anything else is the text as it stands."""
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]":
        return [_value(one) for one in text[1:-1].split(",") if one.strip()]
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text):
        return float(text)
    return "" if text in ("|", ">", "null", "~") else text


def keep(properties: dict[str, Any], name: str, value: Any) -> None:
    """Take a property in, cut to its limits."""
    if len(properties) < _MAX_PROPERTIES or name in properties:
        kept = value[:_MAX_VALUE_CHARACTERS] if isinstance(value, str | list) else value
        plain = isinstance(kept, str | int | float | bool | list)
        properties[name[:100]] = kept if plain else str(kept)[:_MAX_VALUE_CHARACTERS]


def categories(properties: Mapping[str, Any]) -> Iterator[str]:
    """The categories that the front matter names."""
    for name in _CATEGORIES:
        value = properties.get(name)
        values = value if isinstance(value, list) else str(value).split(",") if value else ()
        for one in values:
            if text := " ".join(html.unescape(str(one)).lstrip("#").split()):
                yield text
