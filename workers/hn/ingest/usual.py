"""Items of the usual form: checked in one call of compiled code, a quarter of the time of a look at each field.

What is here is what `validate` would accept as it is: a known type, no field beyond these, none of them empty, out of
bounds or in need of a change, but for the text, which is cleaned. Anything else is None, and for `validate` to judge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from graphvine.workers.hn.ingest.item import MAX_ID, number_of

# Hacker News opened in 2006; an item of tomorrow may come from a clock that is ahead, one of next week may not.
EARLIEST, AHEAD_SECONDS = 1_136_073_600, 86_400
MAX_NAME, MAX_TITLE, MAX_URL, MAX_TEXT, MAX_LIST = 100, 5_000, 4_000, 200_000, 50_000
MAX_NUMBER = (1 << 53) - 1
# Most addresses: what needs no closer look, which takes ten times as long. The host is the first group.
PLAIN_URL = re.compile(r"https?://([A-Za-z0-9.-]++)(?::[0-9]{1,4})?(?:[/?#][!-~]*+)?")

_Count = Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
_Id = Annotated[int, Meta(ge=1, le=MAX_ID)]


class _Item(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """In the order of the names, so that its JSON is that of the object that was given, and with it its hash.

    A field that is not there is None; one that is given as null is not usual.
    """

    by: Annotated[str, Meta(min_length=1, max_length=MAX_NAME)] = None  # type: ignore[assignment]
    descendants: _Count = None  # type: ignore[assignment]
    id: _Id = None  # type: ignore[assignment]
    kids: Annotated[list[_Id], Meta(min_length=1, max_length=MAX_LIST)] = None  # type: ignore[assignment]
    parent: _Id = None  # type: ignore[assignment]
    score: _Count = None  # type: ignore[assignment]
    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)] = None  # type: ignore[assignment]
    time: Annotated[int, Meta(ge=EARLIEST, le=MAX_NUMBER)] = None  # type: ignore[assignment]
    title: Annotated[str, Meta(min_length=1, max_length=MAX_TITLE)] = None  # type: ignore[assignment]
    type: Literal["story", "comment", "job", "poll"] = None  # type: ignore[assignment]
    url: Annotated[str, Meta(min_length=1, max_length=MAX_URL)] = None  # type: ignore[assignment]


_encode = msgspec.json.Encoder().encode
_NUL = b"\\u0000"


def usual(given: Mapping[str, Any], fetched_at: int) -> tuple[dict[str, Any], int] | None:
    """The content of an item, its text not cleaned yet, and its hash; None where it is not of the usual form."""
    try:
        item: Any = msgspec.convert(given, _Item)  # whatever is not there is None
        encoded = _encode(item)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return None
    if item.type is None or _NUL in encoded:
        return None
    if item.time is not None and item.time > fetched_at // 1000 + AHEAD_SECONDS:
        return None
    if item.url is not None and PLAIN_URL.fullmatch(item.url) is None:
        return None
    content = {
        "type": item.type, "by": item.by, "time": item.time, "title": item.title, "text": item.text, "url": item.url,
        "score": item.score, "descendants": item.descendants, "parent": item.parent,
        "kids": item.kids and list(dict.fromkeys(item.kids)),
    }  # fmt: skip
    return content, number_of(encoded)
