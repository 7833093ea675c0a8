"""Hostile files from a seed: each comes with the states it may end in, and the items that must survive it."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.pipelines.uploads.making import Item, as_array, as_lines, items, packed

DONE, PART, BAD = "completed", "partial_success", "failed"
IDS_A_FILE = 40
_NESTED = (33, 100, 900, 2_000, 30_000)
_ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, "", "text", [], {}, [[]], [None], {"a": {"b": []}}, "\x00", "x" * 3_000, 1 << 70, -(1 << 70),
)  # fmt: skip


@dataclass(frozen=True)
class Hostile:
    data: bytes
    states: frozenset[str]
    good: frozenset[int]  # must be in the graph, whatever the state, unless the file itself is at fault
    file_fault: bool = False  # it must be
    told: str = field(default="", compare=False)


def hostile(number: int) -> Hostile:
    """The file with this number."""
    chance = random.Random(number)
    count = chance.randrange(1, 12)
    good = items(count, first=1 + number * IDS_A_FILE, seed=number)
    # The parent of each must survive, or its place in the thread would tell of something else.
    for item in good:
        item.pop("parent", None)
        item["type"] = "story"
    make = chance.choice(_WAYS)
    return make(chance, good)


def _file(
    data: bytes, states: str | tuple[str, ...], good: list[Item], told: str, *, file_fault: bool = False
) -> Hostile:
    named = (states,) if isinstance(states, str) else states
    return Hostile(data, frozenset(named), frozenset(item["id"] for item in good), file_fault, told)


def _form(chance: random.Random, values: list[Any]) -> bytes:
    way = chance.choice(["plain", "plain", "gzip", "zstd"])
    text = as_lines(values) if chance.random() < 0.5 else as_array(values, chance.choice([None, None, 1]))
    return packed((b"\xef\xbb\xbf" if chance.random() < 0.2 else b"") + text, way)


def _spoilt(chance: random.Random, good: list[Item], text: str, told: str, states: tuple[str, ...]) -> Hostile:
    """One item is replaced by a text of its own."""
    at = chance.randrange(len(good))
    texts = [json.dumps(item) for item in good]
    texts[at] = text.replace("ID", str(good[at]["id"]))
    lines = chance.random() < 0.5
    whole = "\n".join(texts) + "\n" if lines else "[" + ", ".join(texts) + "]"
    rest = [item for place, item in enumerate(good) if place != at]
    # A single line that can't be read is no JSON Lines, but nothing.
    data = packed(whole.encode("utf-8", "surrogateescape"), chance.choice(["plain", "gzip", "zstd"]))
    return _file(data, (*states, *((BAD,) if not rest else ())), rest, told)


def cut_array(chance: random.Random, good: list[Item]) -> Hostile:
    whole = as_array(good)
    return _file(whole[: chance.randrange(len(whole))], BAD, [], "cut array", file_fault=True)


def cut_lines(chance: random.Random, good: list[Item]) -> Hostile:
    whole = as_lines(good)
    at = chance.randrange(len(whole))
    kept = good[: whole[:at].count(b"\n")]
    return _file(whole[:at], (DONE, PART) if kept else (BAD, DONE), kept, "cut lines")


def odd_fields(chance: random.Random, good: list[Item]) -> Hostile:
    at = chance.randrange(len(good))
    spoilt = dict(good[at])
    name = chance.choice(
        ["id", "type", "by", "time", "title", "text", "url", "score", "kids", "parent", "deleted", "x"]
    )
    spoilt[name] = chance.choice(_ODD)
    rest = [item for item in good if item is not good[at]]
    values: list[Any] = [spoilt if item is good[at] else item for item in good]
    return _file(_form(chance, values), (DONE, PART, *((BAD,) if not rest else ())), rest, f"odd {name}")


def odd_items(chance: random.Random, good: list[Item]) -> Hostile:
    values: list[Any] = [*good, *chance.choices(_ODD, k=chance.randrange(1, 4))]
    chance.shuffle(values)
    return _file(_form(chance, values), PART, good, "odd items")


def huge_numbers(chance: random.Random, good: list[Item]) -> Hostile:
    number = chance.choice(["1e999", "-1e999", "9" * 30, "9" * 5_000, "1E400", "0.1e-999", "-" + "9" * 25])
    name = chance.choice(["id", "time", "score", "x"])
    text = f'{{"type": "story", "{name}": {number}' + ("" if name == "id" else ', "id": ID') + "}"
    return _spoilt(chance, good, text, f"huge {name}", (DONE, PART))


def deep(chance: random.Random, good: list[Item]) -> Hostile:
    levels = chance.choice(_NESTED)
    opens, closes = chance.choice([("[", "]"), ('{"a":', "}")])
    inner = opens * levels + "1" + closes * levels
    text = chance.choice([f'{{"id": ID, "type": "story", "x": {inner}}}', inner])
    return _spoilt(chance, good, text, f"{levels} deep", (PART,))


def surrogates(chance: random.Random, good: list[Item]) -> Hostile:
    half = chance.choice(["\\ud800", "\\udfff", "a\\ud83db", "\\ud83d\\ud83d"])
    name = chance.choice(["by", "title", "text", "x", "url"])
    return _spoilt(chance, good, f'{{"id": ID, "type": "story", "{name}": "{half}"}}', "surrogate", (DONE, PART))


def not_utf8(chance: random.Random, good: list[Item]) -> Hostile:
    wrong = bytes([chance.choice([0xFF, 0xC0, 0x80, 0xED, 0xF8])]).decode("utf-8", "surrogateescape")
    return _spoilt(chance, good, f'{{"id": ID, "type": "story", "title": "a{wrong}b"}}', "not UTF-8", (PART,))


def no_json(chance: random.Random, good: list[Item]) -> Hostile:
    text = chance.choice(
        ["{'id': ID}", '{"id": ID,}', '{"id": 0ID}', '{"id" ID}', "NaN", '{"id": Infinity}', "undefined", '{id: ID}',
         '{"id": ID} // why', "{\"id\": ID, \"title\": \"tab\there\x01\"}"]
    )  # fmt: skip
    return _spoilt(chance, good, text, f"no JSON: {text}", (PART,))


def duplicate_keys(chance: random.Random, good: list[Item]) -> Hostile:
    text = '{"id": 5, "type": "essay", "id": ID, "type": "story", "score": -1, "score": 3}'
    found = _spoilt(chance, good, text, "duplicate keys", (DONE,))
    return Hostile(found.data, frozenset({DONE}), frozenset(item["id"] for item in good), told=found.told)


def binary(chance: random.Random, good: list[Item]) -> Hostile:
    data = chance.randbytes(chance.randrange(1, 3_000))
    head = chance.choice(
        [b"", b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"\x00", b"\xff\xfe"]
    )
    return _file(head + data, BAD, [], "binary", file_fault=True)


def broken_packing(chance: random.Random, good: list[Item]) -> Hostile:
    way = chance.choice(["gzip", "zstd"])
    whole = packed(as_lines(good), way)
    roll = chance.random()
    if roll < 0.4:
        return _file(whole[: chance.randrange(4, len(whole))], BAD, [], f"cut {way}", file_fault=True)
    if roll < 0.6:
        return _file(whole + chance.randbytes(9).replace(b"\0", b"x"), BAD, [], f"more behind {way}", file_fault=True)
    at = chance.randrange(len(whole))
    flipped = whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :]
    return _file(flipped, (BAD, DONE, PART), [], f"flipped {way}")


def nothing(chance: random.Random, good: list[Item]) -> Hostile:
    data = chance.choice(
        [b"", b" ", b"\n\n", b"\xef\xbb\xbf", b"[]", b"[ ]\n", gzip.compress(b""), packed(b" ", "zstd")]
    )
    return _file(data, BAD, [], "nothing", file_fault=True)


def no_file_of_items(chance: random.Random, good: list[Item]) -> Hostile:
    whole = as_array(good)
    data = chance.choice(
        [b"42", b'"text"', b"null", b"true", b"-", b"[1] [2]", whole + b"]", whole + whole, b"]" + whole, b"[" + whole,
         whole.replace(b"]", b",]"), whole.replace(b"[", b"[,", 1), whole[1:-1] + b",", whole.decode().encode("utf-16")]
    )  # fmt: skip
    # A lone object behind which a comma stands is a line that can't be read.
    return _file(data, BAD, [], "no file of items", file_fault=True)


def wild(chance: random.Random, good: list[Item]) -> Hostile:
    """Bytes changed, put in and taken out anywhere in lines: whatever line is untouched must survive."""
    lines = [json.dumps(item).encode() for item in good]
    touched = set()
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(lines))
        touched.add(at)
        line, place = lines[at], chance.randrange(len(lines[at]) + 1)
        more = chance.choice([b"", bytes([chance.randrange(256)]), b'"', b"{", b"]", b"\\", b"\x00", b","])
        lines[at] = (line[:place] + more + line[place + chance.randrange(3) :]).replace(b"\n", b" ")
    kept = [item for place, item in enumerate(good) if place not in touched]
    states = (DONE, PART) if kept else (DONE, PART, BAD)
    return _file(b"\n".join(lines), states, kept, "wild lines")


def wild_array(chance: random.Random, good: list[Item]) -> Hostile:
    whole = bytearray(as_array(good))
    for _ in range(chance.randrange(1, 5)):
        whole[chance.randrange(len(whole))] = chance.choice(b'"{}[],:\\ \x00\xffa1')
    return _file(bytes(whole), (DONE, PART, BAD), [], "wild array")


_WAYS: list[Callable[[random.Random, list[Item]], Hostile]] = [
    cut_array, cut_lines, odd_fields, odd_items, huge_numbers, deep, surrogates, not_utf8, no_json, duplicate_keys,
    binary, broken_packing, nothing, no_file_of_items, wild, wild_array,
]  # fmt: skip
WAYS = [way.__name__ for way in _WAYS]
