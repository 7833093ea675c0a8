"""What an HTTP status means for another try."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

_MAY_PASS = frozenset({408, 421, 425, 429})


@dataclass(frozen=True, slots=True)
class Trouble:
    reason: str
    permanent: bool


def judge(status: int) -> Trouble | None:
    """None for an answer that has a page in it."""
    if 200 <= status < 300 and status not in (204, 205):
        return None
    try:
        words = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = str(status)
    if status in (204, 205):
        return Trouble(f"the site answers {words}: there is no page", permanent=True)
    return Trouble(f"the site answers {words}", permanent=status < 500 and status not in _MAY_PASS)


def retry_after(value: str, longest: float) -> float | None:
    """Seconds to wait, from a number or a date; None where it says neither."""
    value = value.strip()
    if value.isdigit():
        return min(float(value[:9]), longest)
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return min(max((at - datetime.now(UTC)).total_seconds(), 0.0), longest)
