"""Prints a batch: a live table with summaries as they grow, a final table, or JSON."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from graphvine.graph import Graph
from graphvine.workers.cli.output import one_line, plural, screen, show_json, table
from graphvine.workers.scrape.batches import find, results
from graphvine.workers.scrape.events import ScrapeEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphvine.workers.cli.output import Listing


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

    def drawn(self) -> Listing:
        pages = sorted(self._pages.values(), key=lambda page: page.state not in _IN_WORK)[:_SHOWN]
        rows = [(page.state, one_line(page.url, 60), one_line(_known(page), 80)) for page in pages]
        ended = ", ".join(f"{count:,} {state}" for state, count in sorted(self._ended.items())) or "none done yet"
        return table(("state", "page", "what is known"), rows, title=f"batch {self._batch}: {ended}")


def _known(page: ScrapeEvent) -> str:
    """The end of a text that grows is what is new in it."""
    text = page.error or page.text or page.title
    return "..." + text[-76:] if page.state in _IN_WORK and len(text) > 80 else text


# More pages than this are not printed one by one.
_MOST_SHOWN = 50
_NOTES = {"standing_by": "standing by: {}", "hook_failed": "the hook failed: {}", "paused": "scrape_item is paused: {}"}


async def show_lines(pages: AsyncGenerator[ScrapeEvent, None], graph: Graph) -> ScrapeEvent | None:
    """Every event as a line of JSON, then every page. Returns the event of the finished batch, None if it is not."""
    last = ScrapeEvent("", "")
    async with aclosing(pages) as events:
        async for event in events:
            last = event if event.name == "batch_finished" else last
            show_json({name: value for name, value in asdict(event).items() if value}, indent=None)
            sys.stdout.flush()
    if last.batch:
        for result in results(graph, find(graph, last.batch)):
            show_json({"name": "result", "batch": last.batch, **asdict(result)}, indent=None)
    return last if last.batch else None


async def show_table(pages: AsyncGenerator[ScrapeEvent, None], graph: Graph) -> ScrapeEvent | None:
    """A live table while it runs, then what became of the pages. Returns the same."""
    last = ScrapeEvent("", "")
    name = ""
    with _live() as show:
        async with aclosing(pages) as events:
            async for event in events:
                name = event.batch
                last = event if event.name == "batch_finished" else last
                show(event)
    if name:
        _print_results(graph, name, last)
    return last if last.batch else None


@contextmanager
def _live() -> Iterator[Callable[[ScrapeEvent], None]]:
    if not sys.stderr.isatty():
        yield _note
        return
    from rich.live import Live

    shown = LiveTable()
    with Live(shown.drawn(), console=screen(stderr=True), transient=True, refresh_per_second=8) as live:

        def show(event: ScrapeEvent) -> None:
            shown.take(event)
            live.update(shown.drawn())
            _note(event)

        yield show


def _note(event: ScrapeEvent) -> None:
    counted = event.counts
    if event.name == "retrying":
        print(f"{plural(counted['failed'], 'page')} failed before: trying again", file=sys.stderr)
    elif event.name == "stored":
        said = f"{plural(counted['completed'], 'page')} already done: the stored result is shown; --again scrapes anew"
        print(said, file=sys.stderr)
    elif event.name == "backing_off":
        said = f"{plural(counted['waiting'], 'page')} waiting after a failure, the first for {counted['seconds']} s"
        print(f"{said}; --now skips the wait", file=sys.stderr)
    elif event.name in _NOTES:
        said = event.error or "'graphvine resume scrape_item' lets it go on"
        print(_NOTES[event.name].format(one_line(said, 200)), file=sys.stderr)


def _print_results(graph: Graph, name: str, last: ScrapeEvent) -> None:
    console = screen()
    pages = results(graph, find(graph, name))
    shown = [page for _, page in zip(range(_MOST_SHOWN + 1), pages, strict=False)]
    if len(shown) <= _MOST_SHOWN:
        rows: list[tuple[Any, ...]] = [
            (page.state, page.url, one_line(page.title or "", 60), one_line(page.error or page.summary or "", 300))
            for page in shown
        ]
        console.print(table(("state", "page", "title", "summary, or why not"), rows))
    if last.batch:
        counts = ", ".join(f"{count:,} {state}" for state, count in sorted(last.counts.items()))
        print(f"batch {name}: {counts}")
        if last.counts.get("failed"):
            print("'graphvine failed scrape_item' says why some failed")
    else:
        print(f"batch {name} is not finished: 'graphvine scrape --batch {name}' goes on with it")
    if len(shown) > _MOST_SHOWN:
        print(f"{plural(sum(last.counts.values()), 'page')}: 'graphvine console' shows them, as (:ScrapeItem)")
