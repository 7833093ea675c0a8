"""Operations at random on a real store and on the model; after each, the two must be equal."""

from __future__ import annotations

from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost, UnitFailed
from graphvine.graph import Graph
from graphvine.records import Claim, Step, Unit
from tests.properties.model import MAX_LOST, MAX_RETRIES, WORDS, Model
from tests.support.articles import keys, linking, links, rows
from tests.support.stores import Place

TITLES = st.sampled_from("abcdefgh")
SOME = st.lists(TITLES, min_size=1, max_size=4, unique=True)
WORKERS = st.sampled_from(["w1", "w2", "w3"])
PICK = st.integers(0, 1_000)


class QueueMachine(RuleBasedStateMachine):
    template: ClassVar[Place]
    folder: ClassVar[Path]
    _numbers: ClassVar[Any] = count()

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.place = self.template.copy_to(self.folder / str(next(self._numbers)))
        self.model = Model()
        self.claims: list[tuple[str, Claim]] = []  # every one that was ever given, lost ones too
        self.window_rows = 20_000
        self.graph = self.open()

    def open(self) -> Graph:
        return self.place.open(
            self.clock, max_retries=MAX_RETRIES, max_lost_claims=MAX_LOST, window_rows=self.window_rows
        )

    def teardown(self) -> None:
        ailments = [finding for finding in self.graph.doctor() if not finding.ok]
        self.graph.close()
        assert not ailments

    @property
    def now(self) -> int:
        return self.clock.now_ms()

    def picked(self, pick: int) -> tuple[str, Claim]:
        return self.claims[-1 - pick % min(len(self.claims), 6)]

    def adopt(self, titles: list[str], depth: int) -> None:
        """Take new rows into the model: they have numbers above all others, in the order in which they were given."""
        found = rows(self.graph)
        new = [title for title in titles if title not in self.model.articles]
        numbers = [found[title]["seq"] for title in new]
        highest = max((row.seq for row in self.model.articles.values()), default=0)
        assert numbers == sorted(numbers) and all(number > highest for number in numbers)
        for title, number in zip(new, numbers, strict=True):
            self.model.add(title, number, depth, self.now)

    @initialize(window_rows=st.sampled_from([2, 20_000]))
    def size_the_window(self, window_rows: int) -> None:
        self.window_rows = window_rows
        self.reopen()

    @rule(titles=SOME)
    def seed(self, titles: list[str]) -> None:
        new = len(set(titles) - set(self.model.articles))
        assert self.graph.seed("article", titles) == new
        self.adopt(titles, 0)

    @rule(worker=WORKERS, limit=st.integers(1, 4), states=st.sampled_from([None, {"discovered"}, {"loaded"}]))
    def claim(self, worker: str, limit: int, states: set[str] | None) -> None:
        ready = [] if self.model.paused else self.model.ready(self.now, states)
        taken = self.graph.claims("article", worker).claim(limit, states)
        suspects = [title for title in ready if self.model.suspect(title)]
        if suspects:
            assert bool(taken) and set(keys(taken)) <= set(ready)
            assert len(taken) == 1 or not set(keys(taken)) & set(suspects), "a suspect is worked on alone"
        else:
            assert keys(taken) == ready[:limit]
        assert not {claim.token for claim in taken} & {claim.token for _, claim in self.claims}
        for claim in taken:
            row = self.model.articles[claim.key]
            known = (claim.seq, claim.depth, claim.retry_count, claim.lost_claims, claim.failure_count)
            assert known == (row.seq, row.expansion_depth, row.retry_count, row.lost_claims, row.failure_count)
            self.model.take(claim, worker, self.now)
            assert claim.state == self.model.articles[claim.key].expansion_state
            self.claims.append((worker, claim))

    @precondition(lambda self: self.claims)
    @rule(pick=PICK, titles=st.lists(TITLES, max_size=3, unique=True))
    def complete(self, pick: int, titles: list[str]) -> None:
        worker, claim = self.picked(pick)
        titles = [title for title in titles if title != claim.key]
        steps = linking(self.graph, claim, titles)
        if self.ends(self.model.holds(claim), lambda: self.graph.claims("article", worker).complete(claim, steps)):
            self.model.finish(claim, self.now)
            self.adopt(titles, claim.depth + 1)
            self.model.links |= {(claim.key, title) for title in titles}

    @precondition(lambda self: self.claims)
    @rule(pick=PICK, permanent=st.booleans(), after=st.sampled_from([None, 0.5, 60.0]))
    def fail(self, pick: int, permanent: bool, after: float | None) -> None:
        worker, claim = self.picked(pick)
        again = not permanent and claim.retry_count + 1 < MAX_RETRIES
        held = self.model.holds(claim, *([claim.state] if again else ["claimed", "loaded"]))
        claims = self.graph.claims("article", worker)
        if self.ends(held, lambda: claims.fail(claim, "boom", permanent=permanent, retry_after_seconds=after)):
            due = rows(self.graph)[claim.key]["due"] if again else None
            if due is not None:
                longest = 5_000 * 2**claim.retry_count
                assert max(longest / 2, (after or 0) * 1_000) - 1 <= due - self.now <= max(longest, (after or 0) * 1_000)
            self.model.fail(claim, "boom", self.now, due)

    @precondition(lambda self: self.claims)
    @rule(pick=PICK)
    def release(self, pick: int) -> None:
        worker, claim = self.picked(pick)
        if self.ends(
            self.model.holds(claim, claim.state), lambda: self.graph.claims("article", worker).release([claim])
        ):
            self.model.release(claim, self.now)

    @precondition(lambda self: self.claims)
    @rule(picks=st.lists(PICK, min_size=1, max_size=3))
    def heartbeat(self, picks: list[int]) -> None:
        asked = {claim.seq: claim for claim in (self.picked(pick)[1] for pick in picks)}
        lost = {claim for claim in asked.values() if not self.model.holds(claim)}
        try:
            self.graph.claims("article", "any").heartbeat(asked.values())
            found: set[Claim] = set()
        except ClaimLost as error:
            found = set(error.claims)
        assert found == lost
        for claim in set(asked.values()) - lost:
            self.model.beat(claim, self.now)

    @rule(timeout=st.sampled_from([1, 300]))
    def reap(self, timeout: int) -> None:
        reaped = self.graph.reap("article", timeout)
        assert (reaped.reclaimed, reaped.given_up) == self.model.reap(timeout * 1000, self.now)
        assert reaped.aligned == 0

    @rule(seconds=st.sampled_from([0.3, 1, 5, 31, 301]))
    def time_passes(self, seconds: float) -> None:
        self.clock.forward(seconds)

    @precondition(lambda self: self.model.articles)
    @rule(titles=SOME)
    def requeue(self, titles: list[str]) -> None:
        there = [title for title in titles if title in self.model.articles]
        failed = [title for title in there if self.model.articles[title].expansion_state == "failed"]
        assert self.graph.requeue("article", keys=there) == len(failed)
        for title in failed:
            self.model.requeue(title, self.now)

    @rule(title=TITLES)
    def exclude(self, title: str) -> None:
        row = self.model.articles.get(title)
        if row is not None:
            out = row.expansion_state in ("discovered", "failed")
            assert self.graph.exclude("article", [title]) == out
            if out:
                self.model.exclude(title, self.now)

    @rule(title=TITLES, word=st.sampled_from(WORDS))
    def set_word(self, title: str, word: str) -> None:
        if title in self.model.articles:
            self.graph.execute(f"MATCH (a:Article {{title: '{title}'}}) SET a.expansion_state = '{word}'")
            self.model.set_word(title, word, self.now)

    @rule()
    def pause_or_resume(self) -> None:
        self.model.paused = not self.model.paused
        if self.model.paused:
            self.graph.pause("article", "a test")
        else:
            self.graph.resume("article")

    @rule()
    def checkpoint(self) -> None:
        assert self.graph.engine.checkpoint()  # type: ignore[attr-defined]  # embedded engines have it

    @rule()
    def reopen(self) -> None:
        self.graph.close()
        self.graph = self.open()

    @rule()
    def failing_unit(self) -> None:
        now = self.now
        good = {"title": "never", "seq": 0}
        broken = {"claim": 0, "title": "broken", "depth": "very deep", "seq": 0}
        steps = [Step("article.seed", {"rows": [good], "now": now}), Step("article.discover", {"rows": [broken], "now": now})]
        try:
            self.graph.run(Unit.of(steps))
        except UnitFailed:
            return
        raise AssertionError("the unit was to fail")

    def ends(self, held: bool, act: Any) -> bool:
        """Whether the claim could end so; where it could not, ClaimLost must say it."""
        try:
            act()
        except ClaimLost:
            assert not held, "the claim was good"
            return False
        assert held, "the claim was lost, and nobody said so"
        return True

    @invariant()
    def the_store_equals_the_model(self) -> None:
        found = rows(self.graph)
        expected = {title: {"title": title, **asdict(row)} for title, row in self.model.articles.items()}
        assert found == expected
        assert links(self.graph) == sorted(self.model.links)
        noted = self.graph.query("MATCH (f:Failure) RETURN f.row, count(*)").rows
        assert dict(noted) == {title: len(slots) for title, slots in self.model.failures.items()}
