"""Another try, by hand: failed articles go back into the queue, those that back off need not wait."""

from __future__ import annotations

from collections.abc import Sequence

from graphvine.clock import moment
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.window import spans
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.article import HIGH
from graphvine.workers.news.errors import UnknownArticle

_MOST = 5_000


def retry(
    graph: Graph, ids: Sequence[str] = (), *, contains: str = "", everything: bool = False, first: bool = False
) -> int:
    """Try these again; or those that failed and whose id, title, address or error has this in it; or all that failed.

    Each goes into its own topic's queue; with `first` before all others there. Returns how many were put back, or need
    no longer wait.
    """
    if ids:
        rows = graph.read(f"{PIPELINE}.named", keys=list(dict.fromkeys(ids)))
        missing = set(ids) - {row["key"] for row in rows}
        if missing:
            raise UnknownArticle(sorted(missing)[0])
        return _put_back(graph, rows, first)
    if not contains and not everything:
        raise GraphvineError("say what to try again: ids, a part of the title or error, or everything")
    moved = 0
    while rows := graph.read(f"{PIPELINE}.failed", contains=contains, limit=_MOST):
        put = _put_back(graph, rows, first)
        moved += put
        if not put:
            break
    return moved


def _put_back(graph: Graph, rows: list[Row], first: bool) -> int:
    now = graph.clock.now_ms()
    failed = [row for row in rows if row["state"] == "failed"]
    waiting = [row["key"] for row in rows if row["state"] == "pending"]
    steps = [Step(f"{PIPELINE}.requeue", {**span, "now": now}) for span in spans([row["seq"] for row in failed])]
    entries = [{"id": row["key"], "place": 0, "claim": 0} for row in failed]
    steps.append(Step("news_processor.enqueue", {"rows": entries, "at": moment(now)}))
    steps.append(Step(f"{PIPELINE}.hasten", {"keys": waiting, "now": now}))
    hastened = len(steps) - 1
    if first:
        keys = [*waiting, *(row["key"] for row in failed)]
        steps.append(Step("news_processor.to_front", {"keys": keys, "priority": HIGH}))
    answers = graph.run(Unit.of(steps)).rows
    requeued = sum(len(answer) for answer in answers[: hastened - 1])
    return requeued + len(answers[hastened])
