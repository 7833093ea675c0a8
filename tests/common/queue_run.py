"""Operations at random on a real store and on the model; after each, the two must be equal.

Seeded and weighted, so that most of them have something to do: a run that claims nothing shows nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict

from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost, UnitFailed
from graphvine.graph import Graph
from graphvine.records import Claim, Step, Unit
from tests.common.model import MAX_LOST, MAX_RETRIES, SUSPECT_AT, WORDS, Model
from tests.support.articles import keys, linking, links, rows
from tests.support.stores import Place

TITLES = "abcdefgh"
WEIGHTS = {
    "claim": 20, "time_passes": 12, "complete": 8, "fail": 8, "release": 4, "heartbeat": 4, "reap": 12, "seed": 5,
    "requeue": 4, "exclude": 1, "set_word": 5, "pause_or_resume": 1, "checkpoint": 2, "reopen": 2, "failing_unit": 1,
}  # fmt: skip


class QueueRun:
    def __init__(self, place: Place, seed: int) -> None:
        self.chance = random.Random(seed)
        self.clock = ManualClock()
        self.place, self.model = place, Model()
        self.claims: list[tuple[str, Claim]] = []  # every one that was ever given, lost ones too
        self.window_rows = self.chance.choice([2, 20_000])
        self.trace: list[str] = [f"a window of {self.window_rows} rows"]
        self.did: Counter[str] = Counter()
        self.graph = self.open()

    def open(self) -> Graph:
        return self.place.open(
            self.clock, max_retries=MAX_RETRIES, max_lost_claims=MAX_LOST, window_rows=self.window_rows
        )

    def run(self, steps: int) -> Counter[str]:
        """Returns what happened, and how often."""
        try:
            self.seed()
            for name in self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()), k=steps):
                getattr(self, name)()
                self.compare()
            assert not [finding for finding in self.graph.doctor() if not finding.ok]
        except Exception as error:
            raise AssertionError("\n".join([*self.trace[-40:], repr(error)])) from error
        finally:
            self.graph.close()
        return self.did

    @property
    def now(self) -> int:
        return self.clock.now_ms()

    def note(self, *words: object) -> None:
        self.trace.append(f"{self.now}: {' '.join(map(str, words))}")

    def some(self, most: int, least: int = 1) -> list[str]:
        return self.chance.sample(TITLES, self.chance.randint(least, most))

    def picked(self) -> tuple[str, Claim] | None:
        """A claim that is good, mostly; or one of the last, which may be lost or have ended."""
        held = [(worker, claim) for worker, claim in self.claims if self.model.holds(claim)]
        among = held if held and self.chance.random() < 0.7 else self.claims[-6:]
        return self.chance.choice(among) if among else None

    def adopt(self, titles: list[str], depth: int) -> None:
        """Take new rows into the model: they have numbers above all others, in the order in which they were given."""
        found = rows(self.graph)
        new = [title for title in titles if title not in self.model.articles]
        numbers = [found[title]["seq"] for title in new]
        highest = max((row.seq for row in self.model.articles.values()), default=0)
        assert numbers == sorted(numbers) and all(number > highest for number in numbers)
        for title, number in zip(new, numbers, strict=True):
            self.model.add(title, number, depth, self.now)

    def seed(self) -> None:
        titles = self.some(4)
        self.note("seed", titles)
        new = len(set(titles) - set(self.model.articles))
        assert self.graph.seed("article", titles) == new
        self.adopt(titles, 0)

    def claim(self) -> None:
        worker, limit = self.chance.choice(["w1", "w2", "w3", "w4", "w5"]), self.chance.randint(1, 4)
        states = self.chance.choice([None, None, None, {"discovered"}, {"loaded"}])
        ready = [] if self.model.paused else self.model.ready(self.now, states)
        self.note("claim", worker, limit, states, "of", ready)
        claims = self.graph.claims("article", worker)
        taken = claims.claim(limit, states)
        suspects = [title for title in ready if self.model.suspect(title)]
        if claims.held_back:
            had = [claim for name, claim in self.claims if name == worker]
            assert not taken and had, "it holds something, and a suspect is worked on alone"
            assert suspects or any(claim.lost_claims >= SUSPECT_AT for claim in had)
            self.did["held back"] += 1
        elif suspects:
            assert bool(taken) and set(keys(taken)) <= set(ready), keys(taken)
            assert len(taken) == 1 or not set(keys(taken)) & set(suspects), "a suspect is worked on alone"
        else:
            assert keys(taken) == ready[:limit], keys(taken)
        assert not {claim.token for claim in taken} & {claim.token for _, claim in self.claims}
        for claim in taken:
            row = self.model.articles[claim.key]
            known = (claim.seq, claim.depth, claim.retry_count, claim.lost_claims, claim.failure_count)
            assert known == (row.seq, row.expansion_depth, row.retry_count, row.lost_claims, row.failure_count)
            self.model.take(claim, worker, self.now)
            assert claim.state == self.model.articles[claim.key].expansion_state
            self.claims.append((worker, claim))
            self.did["claimed a suspect" if suspects and claim.key in suspects else "claimed"] += 1
            self.did["claimed a loaded one"] += claim.state == "loaded"

    def complete(self) -> None:
        if (picked := self.picked()) is None:
            return
        worker, claim = picked
        titles = [title for title in self.some(3, 0) if title != claim.key]
        self.note("complete", claim.key, claim.token, titles)
        steps = linking(self.graph, claim, titles)
        if self.ends(self.model.holds(claim), lambda: self.graph.claims("article", worker).complete(claim, steps)):
            self.model.finish(claim, self.now)
            self.adopt(titles, claim.depth + 1)
            self.model.links |= {(claim.key, title) for title in titles}
            self.did["completed"] += 1

    def fail(self) -> None:
        if (picked := self.picked()) is None:
            return
        worker, claim = picked
        permanent, after = self.chance.random() < 0.2, self.chance.choice([None, None, 0.5, 60.0])
        self.note("fail", claim.key, claim.token, permanent, after)
        again = not permanent and claim.retry_count + 1 < MAX_RETRIES
        held = self.model.holds(claim, *([claim.state] if again else ["claimed", "loaded"]))
        claims = self.graph.claims("article", worker)
        if self.ends(held, lambda: claims.fail(claim, "boom", permanent=permanent, retry_after_seconds=after)):
            due = rows(self.graph)[claim.key]["due"] if again else None
            if due is not None:
                longest, asked = 5_000 * 2**claim.retry_count, (after or 0) * 1_000
                assert max(longest / 2, asked) - 1 <= due - self.now <= max(longest, asked)
            self.model.fail(claim, "boom", self.now, due)
            self.did["failed for good" if due is None else "failed for now"] += 1

    def release(self) -> None:
        if (picked := self.picked()) is None:
            return
        worker, claim = picked
        self.note("release", claim.key, claim.token)
        held = self.model.holds(claim, claim.state)
        if self.ends(held, lambda: self.graph.claims("article", worker).release([claim])):
            self.model.release(claim, self.now)
            self.did["released"] += 1

    def heartbeat(self) -> None:
        asked = {claim.seq: claim for _, claim in self.chance.sample(self.claims[-6:], min(len(self.claims), 3))}
        self.note("heartbeat", keys(asked.values()))
        lost = {claim for claim in asked.values() if not self.model.holds(claim)}
        found: set[Claim] = set()
        try:
            self.graph.claims("article", "any").heartbeat(asked.values())
        except ClaimLost as error:
            found = set(error.claims)
        assert found == lost
        tokens = {claim.token for claim in asked.values()}
        for claim in asked.values():
            # One statement for all: a row is kept alive by any token of the worker, an old claim on it or not.
            if self.model.articles[claim.key].lease in tokens:
                self.model.beat(claim, self.now)
                self.did["heartbeats"] += 1

    def reap(self) -> None:
        timeout = self.chance.choice([1, 300])
        self.note("reap", timeout)
        reaped = self.graph.reap("article", timeout)
        assert (reaped.reclaimed, reaped.given_up) == self.model.reap(timeout * 1000, self.now), reaped
        assert reaped.aligned == 0
        self.did["reclaimed"] += reaped.reclaimed
        self.did["given up"] += reaped.given_up

    def time_passes(self) -> None:
        self.clock.forward(self.chance.choice([0.3, 1, 5, 31, 301]))

    def requeue(self) -> None:
        there = [title for title in self.some(4) if title in self.model.articles]
        self.note("requeue", there)
        failed = [title for title in there if self.model.articles[title].expansion_state in ("failed", "skipped")]
        assert self.graph.requeue("article", keys=there) == len(failed)
        for title in failed:
            self.model.requeue(title, self.now)
            self.did["requeued"] += 1

    def exclude(self) -> None:
        title = self.chance.choice(list(self.model.articles))
        self.note("exclude", title)
        out = self.model.articles[title].expansion_state in ("discovered", "failed", "skipped")
        assert self.graph.exclude("article", [title]) == out
        if out:
            self.model.exclude(title, self.now)
            self.did["excluded"] += 1

    def set_word(self) -> None:
        title, word = self.chance.choice(list(self.model.articles)), self.chance.choice(WORDS)
        self.note("set by hand", title, word)
        self.graph.execute(f"MATCH (a:Article {{title: '{title}'}}) SET a.expansion_state = '{word}'")
        self.model.set_word(title, word, self.now)
        self.did["set by hand"] += 1

    def pause_or_resume(self) -> None:
        self.note("pause or resume")
        self.model.paused = not self.model.paused
        if self.model.paused:
            self.graph.pause("article", "a test")
        else:
            self.graph.resume("article")

    def checkpoint(self) -> None:
        self.note("checkpoint")
        assert self.graph.engine.checkpoint()  # type: ignore[attr-defined]  # embedded engines have it

    def reopen(self) -> None:
        self.note("reopen")
        self.graph.close()
        self.graph = self.open()

    def failing_unit(self) -> None:
        self.note("a failing unit")
        good = {"title": "never", "seq": 0}
        broken = {"claim": 0, "title": "broken", "depth": "very deep", "seq": 0}
        steps = [("article.seed", [good]), ("article.discover", [broken])]
        try:
            self.graph.run(Unit.of(Step(name, {"rows": given, "now": self.now}) for name, given in steps))
        except UnitFailed:
            return
        raise AssertionError("the unit was to fail")

    def ends(self, held: bool, act: Callable[[], None]) -> bool:
        """Whether the claim could end so; where it could not, ClaimLost must say it."""
        try:
            act()
        except ClaimLost:
            assert not held, "the claim was good"
            self.did["lost"] += 1
            return False
        assert held, "the claim was lost, and nobody said so"
        return True

    def compare(self) -> None:
        found = rows(self.graph)
        expected = {title: {"title": title, **asdict(row)} for title, row in self.model.articles.items()}
        different = {title: (found.get(title), expected.get(title)) for title in {*found, *expected}
                     if found.get(title) != expected.get(title)}  # fmt: skip
        assert not different, f"found and expected: {different}"
        assert links(self.graph) == sorted(self.model.links)
        noted = self.graph.query("MATCH (f:Failure) RETURN f.row, count(*)").rows
        assert dict(noted) == {title: len(slots) for title, slots in self.model.failures.items()}
