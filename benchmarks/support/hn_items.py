"""Items like those of Hacker News, in the order of their ids, as lines of JSON: the same for every run of one size."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_START = 1_300_000_000
SYLLABLES = ("gra", "ph", "vi", "ne", "lo", "ta", "mer", "so", "qui", "den", "ru", "sta", "ble", "con", "tor")


def vocabulary(size: int = 20_000) -> list[str]:
    chance = random.Random(5)
    return ["".join(chance.choices(SYLLABLES, k=chance.randrange(1, 5))) for _ in range(size)]


def items(count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """One story in eight; comments below one of the last few hundred items, a few of them far back."""
    chance, words = random.Random(seed), vocabulary()
    # Common words come often, as they do in a language.
    weights = [1 / (rank + 10) for rank in range(len(words))]
    pool = chance.choices(words, weights, k=200_000)
    for id in range(1, count + 1):
        at = chance.randrange(len(pool) - 120)
        item: dict[str, Any] = {"id": id, "by": f"user{chance.randrange(count // 20 + 5)}", "time": _START + 7 * id}
        if id == 1 or chance.random() < 0.12:
            item |= {
                "type": "story",
                "title": " ".join(pool[at : at + 8]),
                "score": chance.randrange(300),
                "descendants": 0,
            }
            item["url"] = f"https://site{chance.randrange(5000)}.example/{id}"
        else:
            back = 1 + int(chance.expovariate(0.01)) if chance.random() < 0.97 else chance.randrange(1, id)
            text = (
                f"{' '.join(pool[at : at + 20])} don&#x27;t<p>{' '.join(pool[at + 20 : at + chance.randrange(21, 90)])}"
            )
            item |= {"type": "comment", "parent": max(1, id - back), "text": text}
        yield item


def write(path: Path, count: int) -> None:
    with path.open("w") as file:
        for item in items(count):
            file.write(json.dumps(item) + "\n")
