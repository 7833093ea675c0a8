"""An item on its way into the graph: what was given, what became of it, and where it stands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec

TYPES = ("story", "comment", "job", "poll", "pollopt")
FIREBASE, POST, BULK_UPLOAD, UNKNOWN = "FIREBASE_API", "SINGLE_POST", "BULK_UPLOAD", "UNKNOWN"
# The most that a number of ours can be and stay exact everywhere, in JSON too.
MAX_ID = (1 << 53) - 1
# The columns of an item's content, in the order of the table.
CONTENT = (
    "type", "by", "time", "title", "text", "plain", "url", "score", "descendants", "parent", "poll", "kids", "parts",
    "deleted", "dead", "extra",
)  # fmt: skip
# Where `extra` keeps what was wrong with a field that is optional.
NOTES = "_notes"
# What could not be read as an item comes as an object with the reason under this name.
UNREADABLE = "_unreadable"
_ENCODER = msgspec.json.Encoder(order="deterministic")
_DERIVED = frozenset({"plain", "extra"})
_RAW_CHARACTERS = 200_000


class Draft(msgspec.Struct, eq=False):  # made by the million, in a sixth of the time of a class with an __init__
    """One copy of an item. `content` is there once it is validated; `reason` says why it was refused."""

    id: int
    given: Mapping[str, Any]
    source: str
    fetched_at: int
    state: str = "initial_state"
    content: dict[str, Any] = {}  # a copy for each
    hash: int = 0
    reason: str = ""
    failed_in: str = ""
    outcome: str = ""
    trace: str | None = None
    story: int | None = None
    # 1: a comment without a parent, 2: an option without a poll; 3, 4: the same, found in a list of kids or parts.
    wants: int = 0
    document: Any = None

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """Of two accepted copies of one item, the one that ranks higher is the newer."""
        kids = self.content.get("kids") or ()
        return self.fetched_at, self.content.get("descendants") or 0, len(kids), self.hash

    @property
    def above(self) -> int | None:
        """The item that this one stands below: its parent, or its poll."""
        content = self.content
        found: int | None = content.get("parent") or content.get("poll")
        return found

    def refuse(self, reason: str, trace: str | None = None) -> None:
        """It goes no further: the state that it had reached is kept beside the reason."""
        self.reason, self.trace, self.failed_in = reason, trace, self.state
        self.state = "failed"

    def let_go(self) -> None:
        """Nobody asks for its content any more."""
        self.given, self.content = {}, {}

    def as_it_is(self) -> tuple[Any, ...]:
        """What `be_again` needs to make it so again."""
        return tuple(dict(value) if name == "content" else value for name, value in self._values())

    def be_again(self, before: tuple[Any, ...]) -> None:
        for (name, _), value in zip(self._values(), before, strict=True):
            setattr(self, name, dict(value) if name == "content" else value)

    def _values(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self.__struct_fields__]

    def raw(self) -> str | None:
        """What was given, as JSON that every engine can store; None where it is too much to keep."""
        given = self.given
        if self.wants:  # as the columns would tell it: it may have been accepted before, and may be again
            given = {"id": self.id, **{name: self.content[name] for name in CONTENT if name not in _DERIVED
                                       and self.content.get(name) is not None},
                     **json.loads(self.content.get("extra") or "{}")}  # fmt: skip
        text = json.dumps(given, sort_keys=True, default=str)
        return text if len(text) <= _RAW_CHARACTERS else None


def hash_of(given: Mapping[str, Any]) -> int:
    """A number that equal contents share, whatever the order of their fields; 63 bits."""
    try:
        text = _ENCODER.encode(given)
    except (TypeError, ValueError, UnicodeEncodeError):
        text = json.dumps(given, sort_keys=True, default=str).encode()
    return number_of(text)


def number_of(text: bytes) -> int:
    """63 bits of the hash of a text."""
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1


def id_of(given: object) -> int:
    """The id of what was given; a ValueError says what is wrong with it."""
    if type(given) is dict and type(id := given.get("id")) is int and 0 < id <= MAX_ID:
        return id  # as nearly all have it
    if not isinstance(given, Mapping):
        raise ValueError(f"an item is an object with fields, not {type(given).__name__}")
    found = given.get("id", given.get("hnId"))
    if found is None:
        if UNREADABLE in given:
            raise ValueError(str(given[UNREADABLE]))
        raise ValueError("id: there is none")
    if type(found) is float and found.is_integer():
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int):
        raise ValueError(f"id: {_short(found)} is not a whole number")
    if not 0 < found <= MAX_ID:
        raise ValueError(f"id: {_short(found)} is not between 1 and {MAX_ID}")
    return found


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"
