"""What a process does when it is killed between two steps: each scene opens a store and works on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import graphvine
from graphvine.clock import ManualClock
from graphvine.errors import StoreReopened
from graphvine.graph import Graph
from graphvine.outcomes import Done
from graphvine.records import Step, Unit
from tests.crash.stopping import Stopper
from tests.support.articles import linking, states
from tests.support.group_commits import share_a_commit
from tests.support.processes import Send
from tests.support.stores import Place

BULK, LARGE = 300, 2_000
Scene = Callable[[Place, Stopper], None]


def prepare(send: Send, place: Place) -> dict[str, str]:
    """A store with a history: in the database, and in the log."""
    place.folder.mkdir(parents=True, exist_ok=True)
    with place.open() as graph:
        graph.seed("article", [f"old {number}" for number in range(40)])
        claims = graph.claims("article", "w")
        claims.complete(claims.claim(10))
        graph.engine.checkpoint()  # type: ignore[attr-defined]  # embedded engines have it
        graph.seed("article", [f"young {number}" for number in range(20)])
        held = claims.claim(5)
        claims.complete(held[0], linking(graph, held[0], ["linked"]))
        claims.fail(held[1], "busy")
        return states(graph)


def act(send: Send, scene: str, place: Place, stop_at: int | None) -> list[str]:
    """Play a scene to its end, or up to a step; returns the steps that there were."""
    stopper = Stopper(send, place.engine, stop_at)
    SCENES[scene](place, stopper)
    return stopper.seen


def look(send: Send, place: Place) -> dict[str, Any]:
    """Open the store as the next process would, look at everything, and work on."""
    with place.open(ManualClock(1_760_000_000_000)) as graph:
        seen = {
            "recovered": graph.engine.recovered,  # type: ignore[attr-defined]  # embedded engines have it
            "states": states(graph),
            "ailments": [finding for finding in graph.doctor() if not finding.ok],
        }
        assert graph.seed("article", ["after the kill"]) == 1
        graph.reap("article")
        claims = graph.claims("article", "after")
        claims.complete(claims.claim(5_000))
        graph.engine.checkpoint()  # type: ignore[attr-defined]
        assert states(graph)["after the kill"] == "processed"
    return seen


def checkpoint(place: Place, stopper: Stopper) -> None:
    with place.open() as graph:
        stopper.arm()
        graph.engine.checkpoint()  # type: ignore[attr-defined]


def commit(place: Place, stopper: Stopper) -> None:
    with place.open() as graph:
        claims = graph.claims("article", "w")
        (claim,) = claims.claim(1)
        stopper.arm()
        claims.complete(claim, linking(graph, claim, [f"result {number}" for number in range(50)]))


def group_commit(place: Place, stopper: Stopper) -> None:
    """Three claims that are completed at once: their units share a transaction, and their callers wait for its sync."""
    with place.open() as graph:
        claims = graph.claims("article", "w")
        held = claims.claim(3)
        units = [partial(claims.complete, claim, linking(graph, claim, [f"result of {claim.key}"])) for claim in held]
        share_a_commit(graph, units, before=stopper.arm)


def exchanging_group(place: Place, stopper: Stopper) -> None:
    """Six workers settle what they have and claim what comes next: two statements for all of them, one commit."""
    with place.open() as graph:
        units = _exchanging(graph, 6)
        share_a_commit(graph, units, before=stopper.arm)


def failing_exchange(place: Place, stopper: Stopper) -> None:
    """The same beside a unit that fails behind their shared statements: each is run again, alone."""
    with place.open() as graph:
        units = _exchanging(graph, 4)
        broken = {"claim": 0, "title": "broken", "depth": "very deep", "seq": 0}
        unit = Unit.of([_seed(graph, "never"), Step("article.discover", {"rows": [broken], "now": 0})])
        errors = share_a_commit(graph, [partial(graph.run, unit), *units], before=stopper.arm)
        assert [type(error) for error in errors] == [StoreReopened, *[type(None)] * 4]


def _exchanging(graph: Graph, workers: int) -> list[Callable[[], object]]:
    several = [graph.claims("article", f"w{number}") for number in range(workers)]
    held = [claims.claim(1) for claims in several]
    return [
        partial(claims.settle_and_claim, [Done(claim) for claim in one], 1)
        for claims, one in zip(several, held, strict=True)
    ]


def failing_group(place: Place, stopper: Stopper) -> None:
    """The same beside a unit that fails: the store is reopened, and each unit is run again, alone."""
    with place.open() as graph:
        claims = graph.claims("article", "w")
        held = claims.claim(2)
        units: list[Callable[[], object]] = [partial(claims.complete, claim) for claim in held]
        broken = {"claim": 0, "title": "broken", "depth": "very deep", "seq": 0}
        unit = Unit.of([_seed(graph, "never"), Step("article.discover", {"rows": [broken], "now": 0})])
        errors = share_a_commit(graph, [units[0], partial(graph.run, unit), units[1]], before=stopper.arm)
        assert [type(error) for error in errors] == [type(None), StoreReopened, type(None)]


def large_commit(place: Place, stopper: Stopper) -> None:
    with place.open() as graph:
        stopper.arm()
        graph.run(Unit.of([_seed(graph, *(f"{part} {number}" for number in range(LARGE))) for part in ("a", "b")]))


def claim(place: Place, stopper: Stopper) -> None:
    with place.open() as graph:
        stopper.arm()
        assert len(graph.claims("article", "w").claim(1)) == 1


def opening(place: Place, stopper: Stopper) -> None:
    stopper.arm()
    place.open().close()


def restore(place: Place, stopper: Stopper) -> None:
    stopper.arm()
    graphvine.restore(place.folder.parent / "backup", place.where, force=True)


def backup(place: Place, stopper: Stopper) -> None:
    with place.open() as graph:
        stopper.arm()
        graph.backup(place.folder / "copy")


def bulk_load(place: Place, stopper: Stopper) -> None:
    with place.open() as graph:
        stopper.arm()
        parts = [_columns(1_000_000, BULK), _columns(2_000_000, BULK)]
        graph.engine.bulk_load("Article", parts)


def typed_copy(place: Place, stopper: Stopper) -> None:
    file = place.folder / "rows.csv"
    file.write_text("".join(f"bulk {number}\n" for number in range(2 * BULK)))
    with place.open() as graph:
        stopper.arm()
        graph.execute(f"COPY Article(title) FROM '{file}'")


def failing_unit(place: Place, stopper: Stopper) -> None:
    with place.open() as graph:
        stopper.arm()
        broken = {"claim": 0, "title": "broken", "depth": "very deep", "seq": 0}
        try:
            graph.run(Unit.of([_seed(graph, "never"), Step("article.discover", {"rows": [broken], "now": 0})]))
        except StoreReopened:
            return
        raise AssertionError("the unit was to fail")


def closing(place: Place, stopper: Stopper) -> None:
    graph = place.open()
    stopper.arm()
    graph.close()


def _seed(graph: Graph, *titles: str) -> Step:
    rows = [{"title": title, "seq": 0} for title in titles]
    return Step("article.seed", {"rows": rows, "now": graph.clock.now_ms()})


def _columns(start: int, count: int) -> dict[str, list[Any]]:
    numbers = range(start, start + count)
    return {"title": [f"bulk {number}" for number in numbers], "seq": list(numbers)}


SCENES: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        backup, bulk_load, checkpoint, claim, closing, commit, exchanging_group, failing_exchange, failing_group,
        failing_unit, group_commit, large_commit, opening, restore, typed_copy,
    )
}  # fmt: skip


def make_backup(send: Send, place: Place, target: Path) -> dict[str, str]:
    """A backup of a store that has other rows, in whatever place it is put."""
    place.folder.mkdir(parents=True)
    with place.open() as graph:
        graph.seed("article", [f"other {number}" for number in range(30)])
        graph.backup(target)
        return states(graph)
