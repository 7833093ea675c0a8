"""What can go wrong with the news as a whole; what is wrong with one article stands on its row.

GraphvineError
|- ProviderError        a provider can't be asked, or answers what can't be read
|- NoProvider           nothing says where news are to come from
|- UnknownArticle       there is no such article
|- ProcessorOnly        news are not work for the common loop
|- NewsPartsMissing     a package that is needed is not installed
"""

from __future__ import annotations

from graphvine.errors import GraphvineError


class ProviderError(GraphvineError):
    """A provider can't be asked, or answers what can't be read."""

    def __init__(self, provider: str, reason: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(f"{provider}: {reason}")
        self.provider, self.reason, self.retry_after_seconds = provider, reason, retry_after_seconds


class NoProvider(GraphvineError):
    """Nothing says where news are to come from."""


class UnknownArticle(GraphvineError):
    """There is no such article."""

    def __init__(self, key: str) -> None:
        super().__init__(f"there is no article {key!r}: 'graphvine news list' shows those that are there")
        self.key = key


class ProcessorOnly(GraphvineError):
    """News are not work for the common loop."""


class NewsPartsMissing(GraphvineError):
    """A package that is needed is not installed."""

    def __init__(self, what: str, missing: str) -> None:
        super().__init__(f"{what} needs {missing}, which is not installed: run `pip install 'graphvine[news]'`")
        self.missing = missing
