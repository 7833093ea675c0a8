"""The manager in a storm: events in any order, doubled, late and lost, managers that die and come back as ghosts.

Every run drives the real manager on a real store by a random script, and looks at every page after every step. What
must hold is the document's: at most so many scrapes, one owner, no page claimed twice, states that only go forward
but for retry and recovery, and an end that is safe.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.workers.common.pages import Page
from graphvine.workers.scrape.batches import Batch, submit
from graphvine.workers.scrape.errors import BatchBusy, BatchLost
from graphvine.workers.scrape.events import (
    Event,
    ScrapeFailed,
    ScrapeFinished,
    SummaryFailed,
    SummaryFinished,
    SummaryPartial,
)
from graphvine.workers.scrape.hook import BatchEnd
from graphvine.workers.scrape.in_flight import PageJob
from graphvine.workers.scrape.manager import Manager
from tests.pipelines.scrape.support import local, rows
from tests.support.stores import Place

RUNS_EACH = 25
SLOTS, PAGES = 3, 5
ORDER = {"idle": 0, "scraping": 1, "scraped": 2, "summarizing": 3, "completed": 4, "failed": 5}
SETTINGS = local(max_scrapes=SLOTS, max_summaries=2, manager_seconds=30, silent_seconds=60)


def events_of(job: PageJob, chance: random.Random) -> list[Event]:
    """What the worker of this job will say, in order."""
    seq, token = job.claim.seq, job.claim.token
    if job.scrapes:
        if chance.random() < 0.25:
            return [ScrapeFailed(seq, token, "away", permanent=chance.random() < 0.3)]
        return [ScrapeFinished(seq, token, Page("text", "Vines", f"Vines climb {token}."), {"status": 200})]
    said: list[Event] = [SummaryPartial(seq, token, f"so far {token} {part}", "words") for part in range(2)]
    if chance.random() < 0.2:
        return [*said, SummaryFailed(seq, token, "no words", permanent=chance.random() < 0.3)]
    return [*said, SummaryFinished(seq, token, f"final {token}", "words")]


class Storm:
    """One run."""

    def __init__(self, graph: Graph, clock: ManualClock, name: str, seed: int) -> None:
        self.graph, self.clock, self.chance = graph, clock, random.Random(seed)
        self.batch: Batch = submit(graph, name, [f"http://site{n % 2}.example/{n}" for n in range(PAGES)])
        self.manager = self.lead()
        self.ghosts: list[Manager] = []
        self.undelivered: list[Event] = []
        self.delivered: list[Event] = []
        self.before = rows(graph, self.batch)
        self.going_back: set[str] = set()
        self.started: set[tuple[int, int]] = set()
        self.finished: list[str] = []

    def lead(self) -> Manager:
        manager = Manager(self.graph, self.batch, SETTINGS, worker=f"manager-{self.chance.random()}")
        manager.lease.take()
        return manager

    def take(self, manager: Manager) -> list[PageJob]:
        jobs = [*manager.claim_scrapes(), *manager.claim_summaries()]
        for job in jobs:
            key = (job.claim.seq, job.claim.token)
            assert key not in self.started, "the same claim was given out twice"
            self.started.add(key)
            self.undelivered += events_of(job, self.chance)
        return jobs

    def step(self) -> None:
        action = self.chance.choices(
            ["claim", "deliver", "double", "late", "lose", "wait", "die", "ghost", "rival"],
            [6, 14, 2, 2, 1, 2, 0.7, 1, 0.7],
        )[0]
        getattr(self, f"do_{action}")()
        self.check()

    def do_claim(self) -> None:
        self.take(self.manager)

    def do_deliver(self) -> None:
        """Some events at once, in any order."""
        some = [self.pick(self.undelivered) for _ in range(self.chance.randint(0, min(4, len(self.undelivered))))]
        self.apply(some)

    def do_double(self) -> None:
        if self.undelivered:
            event = self.pick(self.undelivered)
            self.apply([event, event])

    def do_late(self) -> None:
        """What was delivered once is delivered again, whatever has happened since."""
        if self.delivered:
            self.apply([self.chance.choice(self.delivered)])

    def do_lose(self) -> None:
        if self.undelivered:
            self.pick(self.undelivered)

    def do_wait(self, most: float = 70) -> None:
        self.clock.forward(self.chance.choice([0.1, 1, 10, most]))
        held = {row["url"] for row in self.before.values() if row["lease"] > 0}
        self.going_back |= held  # those that nothing was heard of may be given up
        self.manager.expire()
        try:
            self.manager.beat()
        except BatchLost:
            self.do_die()

    def do_die(self) -> None:
        """The manager falls silent, and another takes over."""
        self.clock.forward(SETTINGS.manager_seconds + 1)
        self.going_back |= {url for url, row in self.before.items() if row["lease"] > 0}
        self.ghosts.append(self.manager)
        self.manager = self.lead()

    def do_ghost(self) -> None:
        """A manager that was thought dead goes on as if nothing had happened: nothing of it may take effect."""
        if not self.ghosts:
            return
        ghost = self.chance.choice(self.ghosts)
        assert ghost.claim_scrapes() == [] and ghost.claim_summaries() == []
        some = [event for event in [*self.undelivered, *self.delivered] if ghost.holds(event)]
        assert ghost.apply(some) == [] and rows(self.graph, self.batch) == self.before
        with pytest.raises(BatchLost):
            ghost.beat()

    def do_rival(self) -> None:
        """A second manager is refused while the first lives."""
        self.manager.beat()
        with pytest.raises(BatchBusy):
            self.lead()

    def apply(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, ScrapeFailed | SummaryFailed) and self.manager.holds(event):
                self.going_back.add(self.url(event))
        if self.chance.random() < 0.5:
            self.manager.apply(events)
        else:
            _, jobs = self.manager.apply_and_claim(events)
            for job in jobs:
                self.started.add((job.claim.seq, job.claim.token))
                self.undelivered += events_of(job, self.chance)
        self.delivered += events

    def url(self, event: Event) -> str:
        return next(url for url, row in self.before.items() if row["seq"] == event.seq)

    def pick(self, events: list[Event]) -> Event:
        return events.pop(self.chance.randrange(len(events)))

    def check(self) -> None:
        """The invariants, over every page."""
        now = rows(self.graph, self.batch)
        assert len(now) == PAGES
        slots = [row["slot"] for row in now.values() if row["state"] == "scraping"]
        assert len(slots) <= SLOTS and len(set(slots)) == len(slots) and all(1 <= slot <= SLOTS for slot in slots)
        for url, row in now.items():
            self.check_page(url, self.before[url], row)
        self.before, self.going_back = now, set()

    def check_page(self, url: str, old: dict[str, Any], new: dict[str, Any]) -> None:
        if old["state"] in ("completed", "failed"):
            assert new == old, f"{url} was at rest"
        if ORDER[new["state"]] < ORDER[old["state"]]:
            assert url in self.going_back, f"{url} went from {old['state']} to {new['state']}"
        held = new["state"] in ("scraping", "summarizing")
        assert held == (new["lease"] > 0) == (new["claimed_by"] is not None and new["claimed_at"] is not None) or (
            new["state"] == "completed"
        )
        if held:
            assert self.manager.holds_claim(new["seq"], new["lease"]), f"{url} is in nobody's hands"
        if new["state"] in ("scraped", "summarizing", "completed"):
            assert new["scraped"], f"{url} is {new['state']} and nothing of it is saved"
        if new["state"] == "completed":
            assert str(new["summary"]).startswith("final"), new["summary"]

    def end(self) -> None:
        """With no more storm, everything comes to its end, and the batch is finished once."""
        for _ in range(400):
            self.take(self.manager)
            if not self.undelivered and self.manager.active == 0 and self.manager.left_over() == 0:
                break
            if self.undelivered:
                self.do_deliver()
            else:
                self.do_wait()
            self.check()
        else:
            raise AssertionError(f"no end: {[row['state'] for row in self.before.values()]}")
        end = BatchEnd(self.graph, self.batch, self.manager.lease, SETTINGS)
        assert end.finish(None)
        assert {row["state"] for row in rows(self.graph, self.batch).values()} <= {"completed", "failed"}
        for ghost in self.ghosts:
            assert not BatchEnd(self.graph, self.batch, ghost.lease, SETTINGS).reopen()
        self.manager.lease.release()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "part" in metafunc.fixturenames:
        parts = 10_000 // RUNS_EACH if metafunc.config.getoption("--full") else 1
        metafunc.parametrize("part", range(parts))


def test_the_invariants_hold_in_every_storm(part: int, template: Place, tmp_path: Path) -> None:
    clock = ManualClock()
    with template.copy_to(tmp_path / "store").open(clock, backoff_seconds=0.5, max_lost_claims=100) as graph:
        for run in range(RUNS_EACH):
            seed = part * RUNS_EACH + run
            storm = Storm(graph, clock, f"storm-{seed}", seed)
            try:
                for _ in range(storm.chance.randint(8, 30)):
                    storm.step()
                storm.end()
            except Exception as error:
                raise AssertionError(f"in the storm of seed {seed}: {error}") from error
