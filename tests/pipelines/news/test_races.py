"""Updaters and processors at once: the document's race table, every interleaving of their steps, and many of both."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import pytest

from graphvine.graph import Graph
from graphvine.workers.news.article import article_id
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.queue import TopicQueue
from graphvine.workers.news.updater import Updater
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import (
    Steps,
    additions,
    articles,
    checkpoint,
    in_order,
    local,
    newsdata,
    passed,
    process,
    queue,
    update,
)
from tests.support.threads import together
from tests.support.waiting import WAIT_LIMIT


def ids(site: Site, *numbers: int) -> list[str]:
    return [article_id(f"{site.url}/page/{number}") for number in numbers]


def test_the_race_table_of_the_document(graph: Graph, site: Site) -> None:
    """A to G as the table has them: both read, then both write, twice."""
    a, b, c, d, e, f, g = ids(site, 1, 2, 3, 4, 5, 6, 7)
    site.add(1, 2, 3)
    update(graph, site)
    assert additions(graph) == [a, b, c] and checkpoint(graph) == ""
    # T0: both read.
    merging = TopicQueue(
        graph,
        "BTC",
        lambda step: (
            site.add(4, 5) and update(graph, site) if step == "additions_read" and len(site.items) == 3 else None
        ),
    )
    # T1: the updater appends D and E, after the processor read and before it writes.
    merged = merging.merge()
    assert additions(graph)[:3] == [a, b, c] and merged.missing == []
    assert queue(graph)[:3] == [a, b, c], "nothing of what was read is lost"
    # T2: the updater trims by the checkpoint that it reads, and appends; the processor merges what is after it.
    process(graph, max_articles_per_run=1)
    site.add(6, 7)
    run = update(graph, site)
    assert run.trimmed == 5 and additions(graph) == [f, g]
    after = process(graph, max_articles_per_run=1)
    assert after.checkpoint == g and queue(graph) == [c, d, e, f, g]
    in_order(graph)


def test_an_updater_that_trims_between_reading_and_writing_of_a_merge_takes_nothing_away(
    graph: Graph, site: Site
) -> None:
    c, d = ids(site, 3, 4)
    site.add(1, 2)
    update(graph, site)
    process(graph, max_articles_per_run=1)
    site.add(3)
    update(graph, site)
    told: list[str] = []

    def meanwhile(step: str) -> None:
        if step == "additions_read" and not told:
            told.append(step)
            assert process(graph, max_articles_per_run=1).merged == 1, "another processor is quicker"
            site.add(4)
            assert update(graph, site).trimmed == 1

    merged = TopicQueue(graph, "BTC", meanwhile).merge()
    assert merged.checkpoint == d and queue(graph) == [c, d] and additions(graph) == [d]
    in_order(graph)


# Before each step the worker stands still, so a worker has one more place to stop at than steps that are told.
UPDATER = ("index_read", "page_fetched", "stored")
PROCESSOR = (
    "additions_read",
    "merged",
    "additions_read",
    "repaired",
    "front_read",
    "loaded",
    "content_saved",
    "summary_saved",
    "finished",
)


def schedules(updater: int) -> Iterator[str]:
    """Every order of the steps of an updater (U) and a processor (P)."""
    steps = updater + len(PROCESSOR)
    for places in combinations(range(steps), updater):
        yield "".join("U" if place in places else "P" for place in range(steps))


@pytest.mark.long("plays every interleaving")
def test_every_interleaving_of_updater_and_processor(graph: Graph, site: Site, full: bool) -> None:
    """Each time one article is in the log to be merged, another is being added, and one is processed.

    That a page was fetched is a step that touches nothing in the graph: by default the updater does not stop there.
    """
    aloof = set() if full else {"page_fetched"}
    chosen: dict[str, Any] = {"max_articles_per_run": 1, "mentions": False}
    tried, rounds = 0, Counter[bool]()
    for number, schedule in enumerate(schedules(len(UPDATER) - len(aloof))):
        site.items.clear()
        site.add(2 * number)
        update(graph, site, **chosen)
        site.add(2 * number + 1)
        heard = _interleaved(graph, site, schedule, chosen, aloof)
        case = f"{schedule}: updater {heard['U']}, processor {heard['P']}"
        # What was stored between the first look at the log and the last is merged by a further round.
        again = heard["P"] == [*PROCESSOR[:3], *PROCESSOR[1:]]
        assert heard["U"] == list(UPDATER) and (again or heard["P"] == list(PROCESSOR)), case
        rounds[again] += 1
        in_order(graph)
        assert passed(graph)["sentiment"] == number + 1 and len(articles(graph)) == 2 * (number + 1), case
        tried += 1
    assert tried == (220 if full else 55) and rounds[True] > 0 and rounds[False] > 0
    rest = process(graph, max_articles_per_run=1000, mentions=False)
    assert (
        rest.rebuilt == 0
        and rest.remaining == 0
        and {row["state"] for row in articles(graph).values()} == {"processed"}
    )
    assert passed(graph) == dict.fromkeys(("additions", "content", "summary", "sentiment"), 2 * tried), "none twice"
    assert checkpoint(graph) == additions(graph)[-1]
    pages = [path for path in site.traffic.asked if path.startswith("/page/")]
    assert len(pages) == len(set(pages)) == 2 * tried


def _interleaved(
    graph: Graph, site: Site, schedule: str, chosen: dict[str, Any], aloof: set[str]
) -> dict[str, list[str]]:
    """Run both, each in a thread, step by step in this order; steps beyond it are run in the end."""
    steps = {"U": Steps(aloof), "P": Steps()}
    settings = local(**chosen)
    works: dict[str, Callable[[], object]] = {
        "U": Updater(graph, settings, providers=[newsdata(site)], on_step=steps["U"]).run_once,
        "P": Processor(graph, settings, on_step=steps["P"]).run_once,
    }
    raised: list[BaseException] = []

    def work(who: str) -> None:
        try:
            steps[who]("begin")
            works[who]()
        except BaseException as error:
            raised.append(error)
        finally:
            steps[who].over()

    threads = {who: threading.Thread(target=work, args=(who,)) for who in works}
    for who, thread in threads.items():
        thread.start()
        steps[who].wait()
    for who in schedule:
        if threads[who].is_alive():
            steps[who].go()
            steps[who].wait()
    for who, thread in threads.items():
        steps[who].free = True
        steps[who].go()
        thread.join(WAIT_LIMIT)
        assert not thread.is_alive()
    assert raised == []
    return {who: one.heard[1:] for who, one in steps.items()}


def test_several_updaters_and_processors_at_once(graph: Graph, site: Site, full: bool) -> None:
    total, workers = (600, 4) if full else (60, 3)
    site.per_page = 20
    site.add(*range(total // 2))
    over = threading.Event()

    def updating() -> int:
        found = 0
        for turn in range(6):
            if turn == 2:
                with site.lock:
                    fresh = total > len(site.items)
                if fresh:
                    site.add(*range(len(site.items), min(total, len(site.items) + total // workers)))
            found += update(graph, site, max_pages=50).found
        return found

    def processing() -> int:
        removed = 0
        while True:
            ended = over.is_set()
            run = process(graph, mentions=False)
            removed += run.removed
            if ended and run.remaining == 0 and run.loaded == 0:
                return removed

    def all_updating() -> int:
        try:
            return sum(together([updating] * workers)) + update(graph, site, max_pages=50).found
        finally:
            over.set()

    found, *removed = together([all_updating, *([processing] * workers)])
    expected = len({item.number for item in site.items})
    assert found == expected and sum(removed) == expected, "none lost, none twice"
    assert {row["state"] for row in articles(graph).values()} == {"processed"}
    assert passed(graph)["content"] == passed(graph)["sentiment"] == expected
    assert len([path for path in site.traffic.asked if path.startswith("/page/")]) == expected
    in_order(graph)
