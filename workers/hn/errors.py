"""What can go wrong with Hacker News."""

from __future__ import annotations

from graphvine.errors import GraphvineError


class NoSuchItem(GraphvineError):
    """The graph does not hold this item."""

    def __init__(self, id: int) -> None:
        super().__init__(f"there is no item {id} in the graph: fetch it with 'graphvine hn pull --ids {id}'")
        self.id = id


class TransitionNotAllowed(GraphvineError):
    """A transition that this item can't make now."""

    def __init__(self, id: int, transition: str, reason: str) -> None:
        super().__init__(f"item {id} can't go through {transition}: {reason}")
        self.id, self.transition, self.reason = id, transition, reason


class SourceAway(GraphvineError):
    """The API does not answer as it should."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} can't be read: {reason}")
        self.url, self.reason = url, reason


class NoSuchUser(GraphvineError):
    """Hacker News does not know this user."""

    def __init__(self, user: str) -> None:
        super().__init__(f"Hacker News knows no user {user!r:.40}: upper and lower case matter in names")
        self.user = user
