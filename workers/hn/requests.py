"""The requests of this pipeline: add, pull, search, reindex, transitions by hand, retry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import msgspec

from graphvine.requests import BadRequest, Request, argument, local, option

if TYPE_CHECKING:
    from graphvine.workers.hn.ingest.ingest import Taken
    from graphvine.workers.hn.pull import Pulled
    from graphvine.workers.hn.search import Page

_RUNS, _BY_HAND = "graphvine.workers.hn.runs:", "graphvine.workers.hn.transitions:"
# Items in one request: a delivery of many is sent in parts, each taken in as a whole.
_ITEMS_AT_ONCE = 10_000
Id = Annotated[int, msgspec.Meta(ge=1, le=1 << 53)]
Number = Annotated[int, msgspec.Meta(ge=-(1 << 53), le=1 << 53)]
Stories = Annotated[int, msgspec.Meta(ge=1, le=500)]
Name = Annotated[str, msgspec.Meta(max_length=200)]
Reason = Annotated[str, msgspec.Meta(max_length=2_000)]
Sort = Literal["relevance", "date", "score"]
Type = Literal["story", "comment", "job", "poll", "pollopt", "ask", "show"]
# The lists of the API, by what they are called here.
LISTS = ("top", "new", "best", "ask", "show", "job")
Facet = Literal["type", "by", "year"]


def _ids(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() and len(part) <= 15 and int(part) > 0 for part in parts):
        raise BadRequest("hn pull", "ids", f"give ids with commas between them, such as 1,2,3, not {text!r}")
    return [int(part) for part in parts]


def _seconds(text: str) -> int:
    """A year, a day, a moment or a number of seconds, as seconds since 1970."""
    if text.isascii() and text.isdigit() and 5 <= len(text) <= 12:
        return int(text)
    if len(text) == 4 and text.isascii() and text.isdigit():
        text = f"{text}-01-01"
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest(
            "hn search", "", f"{text!r:.40} is no time: write 2012, 2012-01-31, 2012-01-31T18:00, or seconds"
        ) from None
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())


class AddRequest(Request["Taken"], verb="hn add", runs=f"{_RUNS}run_add", where="call"):
    """Take in items, as the API gives them; `fetched_at` (ms) is the time of copies that say none."""

    items: Any
    source: str
    fetched_at: int
    settings: Any = local()

    def parts(self) -> Iterator[Self]:
        items = iter(self.items)
        yield self.replace(items=list(islice(items, _ITEMS_AT_ONCE)))
        while part := list(islice(items, _ITEMS_AT_ONCE)):
            yield self.replace(items=part)


class PullRequest(Request["Pulled"], verb="hn pull", runs=f"{_RUNS}run_pull", where="job"):
    """Fetch from the API: ids, a list (top, new, best, ask, show, job), a user, a range, what is new, what changed, or
    a thread. One of them."""

    ids: Annotated[Sequence[Id], msgspec.Meta(max_length=100_000)] = option(
        (), "These items.", metavar="ID,ID", parse=_ids
    )
    top: Stories | None = option(None, "The top stories.", metavar="N")
    new: Stories | None = option(None, "The newest stories.", metavar="N")
    best: Stories | None = option(None, "The best stories.", metavar="N")
    ask: Stories | None = option(None, "Ask HN.", metavar="N")
    show: Stories | None = option(None, "Show HN.", metavar="N")
    job: Stories | None = option(None, "Jobs.", metavar="N")
    user: Name | None = option(None, "What a user has written.", metavar="NAME")
    first: Id | None = option(None, "Every id from here ...", "--from", metavar="ID")
    last: Id | None = option(None, "... to here.", "--to", metavar="ID")
    since_last: bool = option(False, "Everything since the last time.")
    updates: bool = option(False, "Items that changed lately.")
    thread: Id | None = option(None, "An item and its thread.", metavar="ID")
    settings: Any = local()

    def check(self) -> None:
        between = self.first is not None or self.last is not None
        lists = [getattr(self, name) for name in LISTS]
        one = (self.ids, *lists, self.user, between, self.since_last, self.updates, self.thread)
        if sum(bool(given) for given in one) != 1:
            raise self.refuse(
                "", "say what to pull, in one way: ids, top, new, best, ask, show, job, a user, from and to,"
                " since-last, updates, or a thread",
            )  # fmt: skip
        if between and self.last is None:
            raise self.refuse("last", "from and to belong together")


class HNSearchRequest(Request["Page"], verb="hn search", runs=f"{_RUNS}run_search", where="call"):
    """Find items by words, by their fields, and by the thread that they stand in. Times are seconds since 1970."""

    words: Annotated[str, msgspec.Meta(max_length=1_000)] = argument(
        "", 'Words, "phrases", -exclusions.', "WORDS", join=True
    )
    author: Name | None = option(None, "By this user.", metavar="NAME")
    not_author: Name | None = option(None, "Not by this user.", metavar="NAME")
    type: Type | None = option(None, "story, comment, job, poll, pollopt; ask, show.", metavar="TYPE")
    min_score: Number | None = option(None, "At least this score.", metavar="N")
    max_score: Number | None = option(None, "At most this score.", metavar="N")
    after: Number | None = option(None, "Since 2012-01-31, or seconds.", metavar="TIME", parse=_seconds)
    before: Number | None = option(None, "Up to that time.", metavar="TIME", parse=_seconds)
    under: Id | None = option(None, "Below this item.", metavar="ID")
    story_by: Name | None = option(None, "Below stories by them.", metavar="NAME")
    reply_to: Name | None = option(None, "In reply to this user.", metavar="NAME")
    sort: Sort = option("relevance", "relevance, date or score.", metavar="ORDER")
    limit: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = option(10, "Most items to show.", metavar="N")
    offset: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = option(0, "Items to pass over.", metavar="N")
    facets: Annotated[Sequence[Facet], msgspec.Meta(max_length=3)] = option(
        (), "Count by type, by, year; several with commas.", metavar="NAME,NAME",
        parse=lambda text: [part.strip() for part in text.split(",") if part.strip()],
    )  # fmt: skip


class HNReindexRequest(Request[int], verb="hn reindex", runs=f"{_RUNS}run_reindex", where="job"):
    """Rebuild the search index of items from the graph."""


class AdvanceRequest(Request[str], verb="hn advance", runs=f"{_BY_HAND}advance_one", where="call"):
    """Take an item through one transition, automatic or manual. Returns its new state."""

    id: Id
    transition: Name


class MarkFailedRequest(Request[None], verb="hn mark-failed", runs=f"{_BY_HAND}mark_failed"):
    """Mark an item as failed."""

    id: Id
    reason: Reason = "marked as failed by hand"


class RetryItemsRequest(Request[int], verb="hn retry", runs=f"{_BY_HAND}retry"):
    """Process failed items again: within three tries, and a day after they failed. Returns how many."""

    ids: Annotated[Sequence[Id], msgspec.Meta(max_length=10_000)]
