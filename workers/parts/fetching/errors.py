"""Why a page could not be had: one error with a kind, since callers only ask whether trying again can help."""

from __future__ import annotations

from typing import Literal

from graphvine.errors import GraphvineError

Kind = Literal[
    "address", "private", "robots", "status", "too_large", "timeout", "connection", "certificate", "redirects",
    "protocol", "name",
]  # fmt: skip


class FetchError(GraphvineError):
    """The page could not be had; `permanent` says that another try would end the same way."""

    def __init__(
        self, kind: Kind, url: str, reason: str, *, permanent: bool, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(kind, url, reason)
        self.kind, self.url, self.reason = kind, url, reason
        self.permanent, self.retry_after_seconds = permanent, retry_after_seconds

    def __str__(self) -> str:
        return f"{self.url[:300]}: {self.reason}"


class FetchPartsMissing(GraphvineError):
    """The packages that fetch are not installed."""

    def __init__(self, missing: str) -> None:
        super().__init__(f"fetching needs {missing}, which is not installed: run `pip install 'graphvine[scrape]'`")
        self.missing = missing
