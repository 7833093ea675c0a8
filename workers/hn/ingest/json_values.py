"""JSON to values, quickly where that goes, and as tolerant as JSON itself where it does not."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import msgspec

quick_decode = msgspec.json.Decoder().decode
UNDECODED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class NotJson(ValueError):
    """A text that is no JSON; says why."""


def decoded(text: bytes) -> Any:
    """One value."""
    try:
        return quick_decode(text)
    except UNDECODED:
        pass
    # The quick decoder refuses some that are JSON (half characters as escapes, numbers beyond all bounds): those are
    # for the checks of the fields, which name the field.
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise NotJson("nested too deep to be read: give an item a line") from None
    except UnicodeDecodeError as error:
        raise NotJson(f"not UTF-8: byte {error.start} can't be read") from None
    except ValueError as error:
        raise NotJson(f"not JSON: {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
