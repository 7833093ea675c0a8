"""A mixed load that a process carries until it is killed: claims, completions, failures, large units, checkpoints."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphvine.clock import ManualClock
from graphvine.engines.kuzu.marks import Marks
from graphvine.engines.kuzu.session import Session
from graphvine.graph import Graph
from graphvine.outcomes import Postpone
from graphvine.records import Step, Unit
from tests.crash.journal import Journal, faults
from tests.support.articles import linking
from tests.support.processes import Send, die_after
from tests.support.stores import Place

# Enough for pages to be reused and indexes to split, few enough to look at all of them after each kill.
MOST_ROWS = 3_000
BIG, LOADED = 800, 400
_SETTINGS: dict[str, Any] = {
    "checkpoint_memory_mb": 1, "checkpoint_log_mb": 1, "max_retries": 10**6, "max_lost_claims": 10**6,
    "backoff_seconds": 0.001, "backoff_max_seconds": 0.001,
}  # fmt: skip


def carry(send: Send, place: Place, generation: int, seed: int, aim: str | None, delay: float, thorough: bool) -> None:
    """Open what the last one left, check it against the journal, and work.

    The end comes so long after it is about to do what is aimed at: to open, or a step of the work. Without an aim, so
    long after it has begun to work.
    """
    random.seed(seed)
    if aim == "opening":
        die_after(delay)
    # Claims of the dead are stale at once: each generation lives a day later.
    clock = ManualClock(1_750_000_000_000 + generation * 86_400_000)
    graph = place.open(clock, **_SETTINGS, sync=random.random() < 0.2)
    send(("up", graph.engine.recovered))  # type: ignore[attr-defined]  # embedded engines have it
    journal = Journal(place.folder / "journal")
    check(graph, journal, thorough)
    graph.reap("article")
    send(("fine", graph.query("MATCH (a:Article) RETURN count(*)").rows[0][0]))
    if aim is None:
        die_after(delay)
    load = Load(graph, journal, clock, generation, Announcer(send, aim, delay))
    threads = [threading.Thread(target=load.work, args=(number,), daemon=True) for number in range(2)]
    for thread in threads:
        thread.start()
    load.disturb()


def check(graph: Graph, journal: Journal, thorough: bool) -> None:
    wrong = faults(graph, journal)
    assert not wrong, wrong[:10]
    if thorough:
        ailments = [finding for finding in graph.doctor() if not finding.ok]
        assert not ailments, ailments
        return
    titles = [row[0] for row in graph.query("MATCH (a:Article) RETURN a.title", max_rows=10**6).rows]
    for title in random.sample(titles, min(60, len(titles))):
        text = "MATCH (a:Article {title: $key}) RETURN a.title"
        assert graph.engine.look_up(text, title) == [[title]], f"{title} is not found by its key"  # type: ignore[attr-defined]


class Announcer:
    """Has the process die soon after a dangerous step begins, and tells the parent if it lived to see its end."""

    def __init__(self, send: Send, aim: str | None, delay: float) -> None:
        self._send, self._aim, self._delay, self._left = send, aim, delay, random.randrange(1, 3)
        self._lock = threading.Lock()
        real_run, real_commit, real_mark = Session.run, Session.commit, Marks.set

        def run(session: Session, text: str, *given: Any) -> None:
            word = text.split(maxsplit=1)[0]
            self.around(word, lambda: real_run(session, text, *given))

        def commit(session: Session) -> None:
            self.around("COMMIT", lambda: real_commit(session))

        def mark(marks: Marks, *given: Any) -> None:
            # The commit is in the log and nobody knows of it yet: a moment too short to hit, so it is drawn out.
            draw_out = 0.02 if aim == "MARK" else 0.0
            self.around("MARK", lambda: (threading.Event().wait(draw_out), real_mark(marks, *given)))

        setattr(Marks, "set", mark)  # noqa: B010  the types of methods are not for changing
        setattr(Session, "run", run)  # noqa: B010
        setattr(Session, "commit", commit)  # noqa: B010
        self.big = False

    def around(self, step: str, work: Callable[[], object]) -> None:
        if step != self._aim or (step == "COMMIT" and not self.big):
            work()
            return
        with self._lock:
            self._left -= 1
            now = self._left == 0
        if now:
            self._send(("about", step))
            die_after(self._delay)
        work()
        if now:
            self._send(("past", step))


class Load:
    def __init__(
        self, graph: Graph, journal: Journal, clock: ManualClock, generation: int, announcer: Announcer
    ) -> None:
        self.graph, self.journal, self.clock = graph, journal, clock
        self.generation, self.announcer = generation, announcer
        self._names = iter(range(10**9))
        self._rows = graph.query("MATCH (a:Article) RETURN count(*)").rows[0][0]

    def work(self, number: int) -> None:
        """One worker: claims, and ends its claims in one way or another."""
        claims = self.graph.claims("article", f"{self.generation}-{number}")
        while True:
            self.clock.forward(1)
            for claim in claims.claim(random.choice([1, 3, 10]), max_depth=1):
                chance = random.random()
                if chance < 0.15:
                    self.journal.tries("fail", claim.key)
                    claims.fail(claim, "busy")
                    self.journal.done("fail", claim.key)
                elif chance < 0.25:
                    claims.release([claim])
                elif claim.depth == 1:
                    claims.complete(claim)
                else:
                    result = f"result of {claim.key} by {claim.token}"
                    others = random.sample(["seed 0-0 1", "seed 0-0 2", "seed 0-0 3"], random.randrange(3))
                    found = [result, *(title for title in others if title != claim.key)]
                    self.journal.tries("complete", claim.key, claim.token, len(found))
                    claims.complete(claim, linking(self.graph, claim, found))
                    self.journal.done("complete", claim.key, claim.token)

    def disturb(self) -> None:
        """Everything else: seeds, large units, loads, checkpoints, heartbeats, reads."""
        while True:
            random.choices([self.seed, self.large_unit, self.load, self.checkpoint, self.look], [3, 3, 2, 4, 2])[0]()

    def seed(self, size: int = 20) -> None:
        name = f"seed {self.generation}-{next(self._names)}"
        self.journal.tries("seed", name, size)
        rows = [{"title": f"{name} {number}", "seq": 0} for number in range(size)]
        halves = (rows[: size // 2], rows[size // 2 :])  # in one unit: both or none
        now = self.clock.now_ms()
        self.graph.run(Unit.of([Step("article.seed", {"rows": half, "now": now}) for half in halves]))
        self.journal.done("seed", name)
        self._rows += size

    def large_unit(self) -> None:
        self.announcer.big = True
        if self._rows < MOST_ROWS:
            self.seed(BIG)
        else:  # as large, and at no cost in rows
            claims = self.graph.claims("article", f"{self.generation}-large")
            held = claims.claim(BIG)
            claims.heartbeat(held)
            claims.settle([Postpone(claim, "", number % 2) for number, claim in enumerate(held)])
        self.announcer.big = False

    def load(self) -> None:
        name = f"{self.generation}-{next(self._names)}"
        self.journal.tries("load", name, LOADED)
        ids = [f"load {name} {number}" for number in range(LOADED)]
        columns = {"id": ids, "pipeline": [name] * LOADED, "kind": ["load"] * LOADED}
        self.graph.engine.bulk_load("Failure", columns)
        self.journal.done("load", name)

    def checkpoint(self) -> None:
        self.graph.engine.checkpoint()  # type: ignore[attr-defined]

    def look(self) -> None:
        self.graph.status()


def first(send: Send, place: Place) -> None:
    """The store that the first generation finds."""
    place.folder.mkdir(parents=True)
    with place.open(**_SETTINGS) as graph:
        journal = Journal(Path(place.folder / "journal"))
        journal.tries("seed", "seed 0-0", 100)
        graph.seed("article", [f"seed 0-0 {number}" for number in range(100)])
        journal.done("seed", "seed 0-0")


def last(send: Send, place: Place, generation: int) -> str:
    """After the last kill, the doctor looks at all of it."""
    with place.open(ManualClock(1_750_000_000_000 + generation * 86_400_000), **_SETTINGS) as graph:
        check(graph, Journal(place.folder / "journal"), True)
        return str(graph.engine.recovered)  # type: ignore[attr-defined]
