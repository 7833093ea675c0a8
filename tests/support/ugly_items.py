"""A seeded generator of items and files as people really have them. The same number gives the same case."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass
from typing import Any

# So many ids belong to one case.
IDS = 8
_TEXTS = [
    "", "plain", "<p>a & b</p>", "AT&T &amp; <i>x</i>", "\u0000nul", "Ärger 葡萄 \U0001f347", "a\u2028b", "<script>x</script>",
    "x" * 3_000, '"quoted" [1] {"id": 7}', "\\ud800 \\n", "&#x27;&gt;", "\ufeffmark", "]]>",
]  # fmt: skip
# What is optional and wrong: the item stays.
_ODD: list[tuple[str, Any]] = [
    ("score", -1), ("score", "many"), ("descendants", -1), ("url", "http://"), ("url", "javascript:x"), ("url", 7),
    ("time", 0), ("time", 99_999_999_999), ("kids", "none"), ("kids", [1.5, None]), ("title", None), ("by", ""),
    ("dead", "perhaps"), ("deleted", None), ("odd", {"a": [1, {"b": None}]}), ("text", ["a"]), ("extra", "x"),
]  # fmt: skip


@dataclass(frozen=True)
class UglyItems:
    """A case: the values that are handed over, the ids that must be in the graph, and who stands below whom."""

    values: list[Any]
    ids: tuple[int, ...]
    edges: frozenset[tuple[int, int]]
    word: str


def ugly_items(seed: int) -> UglyItems:
    """A story with comments in a form that people have."""
    draw = random.Random(f"items {seed}")
    first = 1 + seed * IDS
    ids = list(range(first, first + draw.randrange(2, IDS)))
    word = f"zq{seed}w"
    items = [_item(draw, id, first, word) for id in ids]
    edges = frozenset((item["parent"], item["id"]) for item in items if "parent" in item)
    make = draw.choice([_api, _api, _hits, _tree, _rows, _floats, _by_id, _post])
    values = make(draw, items)
    if make in (_api, _hits, _rows, _floats):
        draw.shuffle(values)
    return UglyItems(values, tuple(ids), edges, word)


def _item(draw: random.Random, id: int, first: int, word: str) -> dict[str, Any]:
    item: dict[str, Any] = {"id": id, "by": draw.choice(["pg", "a_b-c", "X"]), "time": 1_300_000_000 + id}
    text = draw.choice(_TEXTS)
    if id == first:
        return item | {"type": "story", "title": f"{word} {text}"[:200], "score": draw.randrange(500)}
    return item | {"type": "comment", "parent": draw.randrange(first, id), "text": f"{word} {text}"}


def _api(draw: random.Random, items: list[dict[str, Any]]) -> list[Any]:
    made = []
    for item in items:
        odd = dict(draw.sample(_ODD, draw.randrange(3)))
        # A title or a text that is wrong would take the word along by which the item is looked for.
        made.append(
            item | {name: value for name, value in odd.items() if name not in ("title", "text") or name not in item}
        )
    return made


def _hits(draw: random.Random, items: list[dict[str, Any]]) -> list[Any]:
    hits = []
    for item in items:
        hit = {
            "objectID": str(item["id"]), "author": item["by"], "created_at_i": item["time"], "points": item.get("score"),
            "title": item.get("title"), "comment_text": item.get("text"), "parent_id": item.get("parent"),
            "story_id": items[0]["id"], "_tags": [item["type"], f"author_{item['by']}"], "_highlightResult": {},
        }  # fmt: skip
        hits.append(hit)
    return [{"hits": hits, "nbHits": len(hits), "page": 0}] if draw.random() < 0.5 else hits


def _tree(draw: random.Random, items: list[dict[str, Any]]) -> list[Any]:
    nodes: dict[int, dict[str, Any]] = {}
    for item in items:
        nodes[item["id"]] = {
            "id": item["id"], "author": item["by"], "created_at_i": item["time"], "type": item["type"],
            "title": item.get("title"), "text": item.get("text"), "points": item.get("score"),
            "parent_id": item.get("parent"), "story_id": items[0]["id"], "children": [], "options": [],
        }  # fmt: skip
        if "parent" in item:
            nodes[item["parent"]]["children"].append(nodes[item["id"]])
    return [nodes[items[0]["id"]]]


def _rows(draw: random.Random, items: list[dict[str, Any]]) -> list[Any]:
    """As BigQuery or SQLite exports them: numbers as text, flags as numbers, lists as text."""
    flag = draw.choice([0, "0", "false", None])
    return [
        {name: str(value) if isinstance(value, int) else value for name, value in item.items()}
        | {"dead": flag, "deleted": flag, "timestamp": "2011-03-13 07:06:40 UTC", "kids": draw.choice(["", "[]", None])}
        for item in items
    ]


def _floats(draw: random.Random, items: list[dict[str, Any]]) -> list[Any]:
    return [{name: float(one) if isinstance(one, int) else one for name, one in item.items()} for item in items]


def _by_id(draw: random.Random, items: list[dict[str, Any]]) -> list[Any]:
    return [{str(item["id"]): item for item in items}]


def _post(draw: random.Random, items: list[dict[str, Any]]) -> list[Any]:
    return [{"post": items[0], "comments": items[1:]}]


def ugly_file(seed: int, values: list[Any]) -> bytes:
    """These values as a file: an array or lines, pretty or not, with a mark, blanks or packed."""
    draw = random.Random(f"file {seed}")
    ascii_only = draw.random() < 0.5
    if len(values) == 1 and draw.random() < 0.5:
        text = json.dumps(values[0], ensure_ascii=ascii_only, indent=draw.choice([None, 2]))
    elif draw.random() < 0.5:
        text = json.dumps(values, ensure_ascii=ascii_only, indent=draw.choice([None, None, 1]))
    else:
        end = draw.choice(["\n", "\r\n", "\n\n", " \n"])
        indent = draw.choice([None, None, 2])  # objects over many lines follow one another, too
        text = end.join(json.dumps(value, ensure_ascii=ascii_only, indent=indent) for value in values)
        text += draw.choice(["", end])
    blank = draw.choice(["", "", "\n", " \r\n"])
    data = draw.choice([b"", b"", b"\xef\xbb\xbf"]) + (blank + text + blank).encode()
    return gzip.compress(data, 1, mtime=0) if draw.random() < 0.3 else data
