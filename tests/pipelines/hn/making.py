"""Items like those of Hacker News, made by a seed: threads wide and deep, polls, copies, and things that are broken."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

DELIVERED = 1_750_000_000_000
_START = 1_400_000_000
_WORDS = [
    f"{a}{b}" for a in ("gra", "vi", "no", "lu", "ter", "ma", "so") for b in ("ph", "ne", "de", "x", "sto", "ri", "ck")
]
Item = dict[str, Any]


@dataclass
class Made:
    """What was made, and what must come of it."""

    items: list[Item] = field(default_factory=list)
    parent: dict[int, int] = field(default_factory=dict)  # of what must be completed
    option_of: dict[int, int] = field(default_factory=dict)
    completed: dict[int, Item] = field(default_factory=dict)  # the copy that must win
    failed: dict[int, str] = field(default_factory=dict)  # the field that the reason must name
    nameless: int = 0

    def tree(self) -> set[tuple[int, int]]:
        """Edges that must be there: to every completed item whose parent is a row."""
        rows = {*self.completed, *self.failed}
        return {(above, below) for below, above in self.parent.items() if above in rows}


def make(count: int, seed: int = 1, deep: int = 500) -> Made:
    """About so many items, copies included. Ids leave gaps: a parent in a gap never comes."""
    chance = random.Random(seed)
    made = Made()
    ids = sorted(chance.sample(range(1, 3 * count), count))
    threads: list[int] = []
    chain: int | None = None
    left_in_chain = 0
    for at, id in enumerate(ids):
        roll = chance.random()
        if at == count // 3:
            chain, left_in_chain = id, deep
        if left_in_chain and chain is not None and at > count // 3:
            item = _comment(chance, id, chain)
            chain, left_in_chain = id, left_in_chain - 1
            _keep(made, chance, item, item["parent"])
        elif at == count // 3 or roll < 0.12 or not threads:
            _keep(made, chance, _story(chance, id))
        elif roll < 0.13:
            _keep(made, chance, _story(chance, id) | {"type": "poll"})
        elif roll < 0.15 and any(made.completed[t]["type"] == "poll" for t in threads[-30:]):
            poll = next(t for t in reversed(threads) if made.completed[t]["type"] == "poll")
            item = {
                "id": id,
                "type": "pollopt",
                "poll": poll,
                "text": _text(chance),
                "by": "pollster",
                "time": _START + id,
            }
            made.option_of[id] = poll
            _keep(made, chance, item | {"score": chance.randrange(50)})
        elif roll < 0.17:
            missing = chance.randrange(1, id)
            _keep(made, chance, _comment(chance, id, missing), missing)
        elif roll < 0.20:
            _break(made, chance, id)
        else:
            above = threads[-1 - min(int(chance.expovariate(0.08)), len(threads) - 1)]
            _keep(made, chance, _comment(chance, id, above), above)
        if id in made.completed:
            threads.append(id)
            del threads[:-400]
    made.items += [{"type": "story"}, {"id": -4, "type": "story"}, {"id": "seven", "type": "job"}]
    made.nameless = 3
    return made


def shuffled(made: Made, seed: int) -> list[Item]:
    items = list(made.items)
    random.Random(seed).shuffle(items)
    return items


def _keep(made: Made, chance: random.Random, item: Item, parent: int | None = None) -> None:
    id = item["id"]
    made.items.append(item)
    made.completed[id] = item
    if parent is not None:
        made.parent[id] = parent
    roll = chance.random()
    if roll < 0.05:
        made.items.append(dict(item))  # the very same again
    elif roll < 0.10:
        made.items.append(item | {"text": "an older copy", "fetchedAt": DELIVERED - 5_000})
    elif roll < 0.15:
        newer = item | {"score": 9_999, "fetchedAt": DELIVERED + 5_000}
        made.items.append(newer)
        made.completed[id] = newer
    elif roll < 0.17:
        made.items.append(item | {"type": "none", "fetchedAt": DELIVERED + 9_000})  # refused, however new it is


def _break(made: Made, chance: random.Random, id: int) -> None:
    item = _comment(chance, id, max(1, id - 3))
    field, value = chance.choice(
        [
            ("type", "essay"), ("type", None), ("type", 7), ("type", ["comment"]), ("parent", None), ("parent", "x"),
            ("parent", 0),
        ]
    )  # fmt: skip
    item[field] = value
    made.items.append(item)
    made.failed[id] = field


def _story(chance: random.Random, id: int) -> Item:
    item = {
        "id": id, "type": chance.choice(["story"] * 9 + ["job"]), "by": f"user{chance.randrange(300)}",
        "time": _START + id, "title": " ".join(chance.choices(_WORDS, k=6)), "score": chance.randrange(500),
        "descendants": 0,
    }  # fmt: skip
    return item | ({"url": f"https://example{chance.randrange(90)}.org/{id}"} if chance.random() < 0.8 else {})


def _comment(chance: random.Random, id: int, parent: int) -> Item:
    return {
        "id": id, "type": "comment", "by": f"user{chance.randrange(300)}", "time": _START + id, "parent": parent,
        "text": _text(chance),
    }  # fmt: skip


def _text(chance: random.Random) -> str:
    words = " ".join(chance.choices(_WORDS, k=chance.randrange(5, 60)))
    roll = chance.random()
    if roll < 0.4:
        return words
    if roll < 0.9:
        return f'I don&#x27;t know.<p>{words}<p>See <a href="https:&#x2F;&#x2F;example.org" rel="nofollow">this</a>'
    return f"{words}<script>alert(1)</script><b onclick=x>bold"
