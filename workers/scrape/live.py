"""The live table of a batch: what is in work, with summaries as they grow, and what came of the last pages."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING

from graphvine.workers.cli.output import table
from graphvine.workers.cli.text import one_line
from graphvine.workers.scrape.events import ScrapeEvent

if TYPE_CHECKING:
    from rich.table import Table

_IN_WORK = ("scraping", "summarizing")
_ENDED_SHOWN = 8
_SHOWN = 24


class LiveTable:
    """Takes events, and can be drawn at any moment."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, ScrapeEvent] = OrderedDict()
        self._ended: Counter[str] = Counter()
        self._batch = ""

    def take(self, event: ScrapeEvent) -> None:
        self._batch = event.batch
        if not event.url:
            return
        self._pages.pop(event.url, None)
        self._pages[event.url] = event
        if event.state in ("completed", "failed"):
            self._ended[event.state] += 1
            done = [url for url, page in self._pages.items() if page.state in ("completed", "failed")]
            for url in done[:-_ENDED_SHOWN]:
                del self._pages[url]

    def drawn(self) -> Table:
        pages = sorted(self._pages.values(), key=lambda page: page.state not in _IN_WORK)[:_SHOWN]
        rows = [(page.state, one_line(page.url, 60), one_line(_known(page), 80)) for page in pages]
        ended = ", ".join(f"{count:,} {state}" for state, count in sorted(self._ended.items())) or "none done yet"
        return table(("state", "page", "what is known"), rows, title=f"batch {self._batch}: {ended}")


def _known(page: ScrapeEvent) -> str:
    """The end of a text that grows is what is new in it."""
    text = page.error or page.text or page.title
    return "..." + text[-76:] if page.state in _IN_WORK and len(text) > 80 else text
