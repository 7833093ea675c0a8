"""Errors of the pipeline as a whole; the error of one article is on its row.

GraphvineError
|- ProviderError        a provider can't be reached, or its answer can't be parsed
|- NoProvider           no provider is configured
|- UnknownArticle       there is no such article
|- NewsPartsMissing     a package that is needed is not installed
"""

from __future__ import annotations

from graphvine.errors import GraphvineError


class ProviderError(GraphvineError):
    """A provider can't be reached, or its answer can't be parsed."""

    def __init__(
        self, provider: str, reason: str, *, retry_after_seconds: float | None = None, permanent: bool = False
    ) -> None:
        """`permanent`: it does not help to wait, something has to be changed first, such as a key."""
        super().__init__(f"{provider}: {reason}")
        self.provider, self.reason = provider, reason
        self.retry_after_seconds, self.permanent = retry_after_seconds, permanent


class NoProvider(GraphvineError):
    """No provider is configured."""


class UnknownArticle(GraphvineError):
    """There is no such article."""

    def __init__(self, key: str) -> None:
        super().__init__(f"there is no article {key!r}: 'graphvine news list' shows the articles")
        self.key = key


class NewsPartsMissing(GraphvineError):
    """A package that is needed is not installed."""

    def __init__(self, what: str, missing: str) -> None:
        super().__init__(f"{what} needs {missing}, which is not installed: run `pip install 'graphvine[news]'`")
        self.missing = missing
