"""The forms in which people have items: each is turned into items as the API gives them, or refused in a sentence.

Known forms: items of the API; Algolia's hits and trees; those of node-hnapi, a service that many pages use; rows of a
database, with numbers, flags and lists as text (BigQuery, SQLite); objects that hold items under their ids, as `hits`
or `items` or in lists of any other name (`stories`, GraphQL's `data`), or a `post` with its `comments`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphvine.errors import GraphvineError
from graphvine.workers.hn.ingest.item import TYPES, UNREADABLE
from graphvine.workers.hn.ingest.table_rows import (
    MOMENTS,
    NUMBERS,
    from_row,
    infer_type,
    is_row,
    names_its_poll_parent,
    number,
    seconds,
)

API, HITS, TREES, ROWS, BY_ID, POST, NODE = (
    "items of the API", "Algolia's hits", "Algolia's trees", "rows of a database", "items under their ids",
    "a post with its comments", "items of node-hnapi",
)  # fmt: skip
# Deeper than any thread of Hacker News; and what one value may hold.
_DEEPEST, _MOST = 10_000, 1_000_000
_OF_AN_ITEM = frozenset({"type", "title", "by", "author", "text", "parent", "kids", "children", "comments", "replies"})
# So many objects may be wrapped around a list of items.
_WRAPPED = 3
# What Algolia adds to help a page that shows hits.
_FOR_SHOW = frozenset({"_highlightResult", "_snippetResult", "_tags", "objectID"})
_BELOW = ("children", "comments", "replies")
_HOLDING = frozenset({*_BELOW, "options"})
_ALGOLIA = {
    "author": "by", "points": "score", "num_points": "score", "created_at_i": "time", "num_comments": "descendants",
    "story_text": "text", "comment_text": "text", "parent_id": "parent", "user": "by", "content": "text",
    "comments_count": "descendants",
}  # fmt: skip
_OF_ALGOLIA = frozenset({"author", "created_at_i", "objectID"})
_OF_NODE = frozenset({"user", "time_ago", "comments_count"})
_RENAMED = _OF_ALGOLIA | _OF_NODE
_TYPES_OF_NODE = {"link": "story", "ask": "story"}


class UnknownForm(GraphvineError, ValueError):
    """A value that holds items in a form that is not known, or not whole."""


def items_of(value: Any) -> Iterator[tuple[str, Any]]:
    """The items that one value holds, each with the form in which it came. What is no object is for the intake."""
    if not isinstance(value, Mapping):
        yield API, value
    elif "id" not in value and "hnId" not in value and "objectID" not in value:
        yield from _within(value)
    else:
        yield from _item(value)


def converted(values: Iterable[Any], forms: Counter[str]) -> Iterator[Any]:
    """The items of many values. What holds items in a way that is not known comes as one that is rejected, whole."""
    for value in values:
        if _is_plain(value):
            forms[API] += 1
            yield value
            continue
        try:
            found = list(items_of(value))
        except UnknownForm as error:
            yield {UNREADABLE: str(error)}
            continue
        for form, item in found:
            forms[form] += 1
            yield item


def form_of(value: Any) -> str | None:
    """The form in which a value comes; None where it holds no item."""
    try:
        return next((form for form, item in items_of(value) if isinstance(item, Mapping)), None)
    except UnknownForm:
        return None


def is_tree(value: Any) -> bool:
    """Whether one value holds several items."""
    if not isinstance(value, Mapping):
        return False
    if "id" in value or "hnId" in value or "objectID" in value:
        return not _HOLDING.isdisjoint(value) and any(_objects(value.get(name)) for name in _HOLDING)
    return _container(value) is not None


def one_item(value: Any) -> Any:
    """The item that a value holds, where it is one alone; UnknownForm where it holds several."""
    if _is_plain(value):
        return value
    if is_tree(value):
        raise UnknownForm("this holds several items, where one is expected")
    return next((item for _, item in items_of(value)), value)


def _is_plain(value: Any) -> bool:
    """Whether this is an item as the API gives it; a closer look takes three times as long."""
    plain = type(value) is dict and type(value.get("id")) is int and value.keys().isdisjoint(_SIGNS)
    return plain and type(value.get("by")) is not dict and not is_row(value)


def _container(value: Mapping[str, Any]) -> str | None:
    if any(isinstance(value.get(name), list) for name in ("hits", "items")):
        return "list"
    if any(isinstance(value.get(name), Mapping) for name in ("post", "story")) and isinstance(
        value.get("comments"), list
    ):
        return POST
    if _by_place(value):
        return "lists"
    if value and all(str(key).isascii() and str(key).isdigit() for key in value):
        return BY_ID
    return "lists" if _lists_in(value) else None


def _lists_in(value: Mapping[str, Any], depth: int = _WRAPPED) -> list[Any]:
    """The items in an object's lists, whatever their names; in one object inside it, where that is all it wraps.

    An object with fields of an item is one that lacks its id: what it holds is not all.
    """
    if not _OF_AN_ITEM.isdisjoint(value):
        return []
    lists = [one for one in value.values() if isinstance(one, list) and one and all(map(_has_id, one))]
    lists.append(_by_place(value))
    inside = [one for one in value.values() if isinstance(one, Mapping) and not _has_id(one)]
    if not any(lists) and depth and len(inside) == 1:
        return _lists_in(inside[0], depth - 1)
    return [item for one in lists for item in one]


def _by_place(value: Mapping[str, Any]) -> list[Any]:
    """Items under the numbers of their places: 0, 1, 2, ..."""
    if "0" not in value:
        return []
    places = [one for key, one in value.items() if str(key).isascii() and str(key).isdigit()]
    in_order = all(str(place) in value for place in range(len(places)))
    return places if in_order and all(map(_has_id, places)) else []


def _has_id(value: Any) -> bool:
    return isinstance(value, Mapping) and ("id" in value or "objectID" in value)


def _within(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    kind = _container(value)
    if kind == "lists":
        for one in _lists_in(value):
            yield from items_of(one)
        return
    if kind == "list":
        for one in next(value[name] for name in ("hits", "items") if isinstance(value.get(name), list)):
            yield from items_of(one)
    elif kind == POST:
        top = next(value[name] for name in ("post", "story") if isinstance(value.get(name), Mapping))
        if "id" not in top and "objectID" not in top:
            raise UnknownForm("this looks like a post with its comments, but the post has no id")
        yield from ((POST, item) for _, item in _tree({**top, "comments": value["comments"]}))
    elif kind == BY_ID:
        for key, one in value.items():
            if not isinstance(one, Mapping):
                yield BY_ID, one if one is not None else f"null under the id {key}"
                continue
            own = one.get("id", one.get("hnId", int(key)))
            if str(own) != key and own != int(key):
                raise UnknownForm(f"items under their ids: the one under {key} says that its id is {own!r:.40}")
            yield from ((BY_ID if form == API else form, item) for form, item in _item({**one, "id": int(key)}))
    else:
        yield API, value


_SIGNS = frozenset({*_ALGOLIA, *_RENAMED, *_BELOW, "created_at", "options", *MOMENTS})


def _item(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if isinstance(author := value.get("by"), Mapping) and isinstance(author.get("id"), str):
        value = {**value, "by": author["id"]}  # a whole user, as programs put it there that asked for both
    if any(_objects(value.get(name)) for name in (*_BELOW, "options")):
        yield from _tree(value)
    elif "by" in value and "objectID" not in value and is_row(value):  # BigQuery's tables have `author` beside `by`
        yield ROWS, from_row(value)
    elif value.keys() & _RENAMED:
        form = NODE if value.keys().isdisjoint(_OF_ALGOLIA) else TREES if "objectID" not in value else HITS
        yield form, _from_algolia(value)
    elif is_row(value):
        yield ROWS, from_row(value)
    else:
        yield API, value


def _objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, Mapping) for one in value)


def _tree(top: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """An item and all that is inside it, each with its parent; the order of the children is kept."""
    form = TREES if top.keys() & _OF_ALGOLIA else NODE if top.keys() & _OF_NODE else POST
    ahead: list[tuple[Mapping[str, Any], int | None, str, int]] = [(top, None, "parent", 0)]
    count = 0
    while ahead:
        value, above, field, depth = ahead.pop()
        count += 1
        if depth > _DEEPEST or count > _MOST:
            raise UnknownForm(f"more than {_DEEPEST:,} levels or {_MOST:,} items in one tree: give an item a line")
        item = _from_algolia(value) if value.keys() & _RENAMED else _plain(value)
        if above is not None:
            item.setdefault("type", "comment" if field == "parent" else "pollopt")
            if item.get(field) is None:
                item[field] = above
        elif "type" not in item:
            item["type"] = "story"
        inner = [(name, one) for name in (*_BELOW, "options") for one in _listed(name, value, item)]
        for name, one in inner:
            if not isinstance(one, Mapping) and not isinstance(one, int):
                raise UnknownForm(f"{name} of item {item.get('id')}: {one!r:.40} is neither an item nor an id")
        for listing, names in (("kids", _BELOW), ("parts", ("options",))):
            listed = [one for name, one in inner if name in names]
            if listed:
                ids = [one if isinstance(one, int) else one.get("id", one.get("objectID")) for one in listed]
                item[listing] = [number(id) for id in ids]
        yield form, item
        id = item.get("id")
        for name, one in reversed(inner):
            if isinstance(one, Mapping):
                ahead.append((one, id, "poll" if name == "options" else "parent", depth + 1))


def _listed(name: str, value: Mapping[str, Any], item: Mapping[str, Any]) -> list[Any]:
    held = value.get(name)
    if not held or isinstance(held, int | float):  # none, or only how many
        return []
    if not isinstance(held, list):
        raise UnknownForm(f"{name} of item {item.get('id')}: {held!r:.40} is no list")
    return held


def _from_algolia(value: Mapping[str, Any]) -> dict[str, Any]:
    item: dict[str, Any] = {}
    for name, one in value.items():
        if name in _FOR_SHOW or name in _BELOW or name == "options" or one is None:
            continue
        item.setdefault(_ALGOLIA.get(name, name), one)
    item["id"] = number(value.get("id", value.get("objectID")))
    if isinstance(value.get("children"), list) and all(isinstance(one, int) for one in value["children"]):
        item["kids"] = list(value["children"])  # hits list ids, trees whole items
    tags = value.get("_tags")
    if "type" not in item and isinstance(tags, list):
        item["type"] = next((tag for tag in tags if tag in TYPES), None)
    if "time" not in item and isinstance(value.get("created_at"), str):
        item["time"] = seconds(value["created_at"])
    for name in NUMBERS:
        if name in item:
            item[name] = number(item[name])
    if item.get("type") is None:
        item["type"] = infer_type(item)
    item["type"] = _TYPES_OF_NODE.get(item["type"], item["type"]) if type(item["type"]) is str else item["type"]
    if names_its_poll_parent(item):
        item["poll"] = item.pop("parent")
    if item.get("type") in ("story", "job", "poll") and item.get("parent") is None:
        item.pop("parent", None)
    return {name: one for name, one in item.items() if one is not None}


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    item = from_row(value) if is_row(value) else dict(value)
    for name in (*_BELOW, "options"):
        item.pop(name, None)
    return item
