"""Why a page could not be had: one error with a kind, since callers only ask whether trying again can help."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Literal

from graphvine.errors import GraphvineError

Kind = Literal[
    "address", "private", "robots", "status", "too_large", "timeout", "connection", "certificate", "redirects",
    "protocol", "name",
]  # fmt: skip


class FetchError(GraphvineError):
    """The page could not be had; `permanent` says that another try would end the same way."""

    def __init__(
        self, kind: Kind, url: str, reason: str, *, permanent: bool, retry_after_seconds: float | None = None,
        body: bytes = b"",
    ) -> None:  # fmt: skip
        """`body` is what an answer with an error status says itself, as far as it was read."""
        super().__init__(kind, url, reason)
        self.kind, self.url, self.reason, self.body = kind, url, reason, body
        self.permanent, self.retry_after_seconds = permanent, retry_after_seconds

    def __str__(self) -> str:
        return f"{self.url[:300]}: {self.reason}"


class FetchPartsMissing(GraphvineError):
    """The packages that fetch are not installed."""

    def __init__(self, missing: str) -> None:
        super().__init__(f"fetching needs {missing}, which is not installed: run `pip install 'graphvine[scrape]'`")
        self.missing = missing


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
