"""What can go wrong with the derived index. Nothing of it touches the graph, which is the truth."""

from __future__ import annotations

from collections.abc import Sequence

from graphvine.errors import GraphvineError, did_you_mean


class SearchError(GraphvineError):
    """Something about searching."""


class SearchPartsMissing(SearchError):
    """A package that searching needs is not installed."""

    def __init__(self, missing: str) -> None:
        super().__init__(f"searching needs the package {missing}: run `pip install 'graphvine[search]'`")
        self.missing = missing


class RebuildNeeded(SearchError):
    """The index is broken, or was written by another version. It is a cache: nothing is lost."""

    def __init__(self, folder: str, reason: str) -> None:
        super().__init__(f"the search index {folder} needs to be rebuilt ({reason}): run `graphvine reindex`")
        self.folder, self.reason = folder, reason


class OtherVersion(RebuildNeeded):
    """Whole, and written by a version of Graphvine or of tantivy whose indexes differ."""


class IndexBusy(SearchError):
    """Another process, or another object of this one, has the index open."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"the search index {folder} is open elsewhere: go through the process that holds the graph")
        self.folder = folder


class IndexClosed(SearchError):
    """Used after close."""

    def __init__(self) -> None:
        super().__init__("this search index is closed: open it again")


class StampWentBack(SearchError):
    """The index already holds more than it is given: the graph was replaced by an older one."""

    def __init__(self, folder: str, has: int, given: int) -> None:
        super().__init__(f"the search index {folder} is at stamp {has}, the graph at {given}: run `graphvine reindex`")
        self.folder, self.has, self.given = folder, has, given


class BadDocument(SearchError):
    """A document that can't be indexed; nothing of its batch was."""

    def __init__(self, kind: str, id: str, field: str, reason: str) -> None:
        super().__init__(f"{kind} {id!r} can't be indexed: its {field} {reason}")
        self.kind, self.id, self.field, self.reason = kind, id, field, reason


class UnknownField(SearchError):
    """A filter or an order by something that the index does not hold."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"the search index has no field {name!r}{did_you_mean(name, known)}")
        self.name, self.known = name, tuple(known)
