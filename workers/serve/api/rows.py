"""Rows of a queue by HTTP: filtered, counted, in parts by their numbers; one row with all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query

from graphvine.clock import FIRST, NEVER, moment
from graphvine.graph import Graph
from graphvine.pipelines import tables
from graphvine.records import Failure
from graphvine.workers.serve.api.models import Reason, RowCount, RowDetail, RowShown
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import After, Json, Limit, Missing, PageOf, page_of

_SECONDS = 20.0
_LONGEST_ERROR = 300
# Of each row, where its table has them.
_SHOWN = ("claimed_by", "claimed_at", "last_error", "failure_count", "lost_claims", "title", "by", "filename")
_RETRIES = ("retry_count", "retryCount", "attempts")
# When the work on a row ended, by whichever of these its table has.
_ENDED = ("processed_at", "failed_at", "completed_at", "ended_at", "endedAt", "settled_at", "lastUpdated")

Text = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows: by state, a part of the key or the error, the whole error, a range of depths, and one of times."""

    state: Sequence[str] = ()
    contains: str = ""
    reason: str = ""
    standing: str = ""
    min_depth: int | None = None
    max_depth: int | None = None
    since: datetime | None = None
    until: datetime | None = None


def asked_for(
    state: Annotated[list[str] | None, Query(max_length=20, description="One or more states.")] = None,
    contains: Annotated[str, Query(max_length=200, description="In the key or the error.")] = "",
    reason: Annotated[str, Query(max_length=2_000, description="The error, whole.")] = "",
    standing: Annotated[
        Literal["", "ready", "backing off", "waiting", "claimed", "at rest"],
        Query(description="`waiting`: ready or backing off."),
    ] = "",
    min_depth: Annotated[int | None, Query(ge=0, le=1 << 31)] = None,
    max_depth: Annotated[int | None, Query(ge=0, le=1 << 31)] = None,
    since: Annotated[datetime | None, Query(description="Rows whose `at` is not before this; UTC if unsaid.")] = None,
    until: Annotated[datetime | None, Query(description="Rows whose `at` is before this.")] = None,
) -> Filter:
    return Filter(tuple(state or ()), contains, reason, standing, min_depth, max_depth, since, until)


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/pipelines/{pipeline}", tags=["queues"])

    @made.get("/rows", summary="Rows that match, in the order of their numbers", response_model=PageOf[RowShown])
    def rows(
        pipeline: str, wanted: Annotated[Filter, Depends(asked_for)],
        after: After = None, newest: Annotated[bool, Query(description="The newest first.")] = False,
        limit: Limit = 100,
    ) -> Json:  # fmt: skip
        return page_of(Rows(app_state.graph, pipeline).page(wanted, after, newest, limit), limit)

    @made.get("/rows/count", summary="How many rows match, by state", response_model=RowCount)
    def count(pipeline: str, wanted: Annotated[Filter, Depends(asked_for)]) -> Json:
        return Json(Rows(app_state.graph, pipeline).count(wanted))

    @made.get("/reasons", summary="Why rows failed, or were skipped, the most frequent reason first",
              response_model=list[Reason])  # fmt: skip
    def reasons(
        pipeline: str, contains: Text = "", limit: Annotated[int, Query(ge=1, le=200)] = 50,
        state: Literal["failed", "skipped"] = "failed",
    ) -> Json:  # fmt: skip
        return Json(Rows(app_state.graph, pipeline).reasons(contains, limit, state))

    @made.get("/row", summary="One row: properties, failures, history", response_model=RowDetail)
    def one(pipeline: str, key: Annotated[str, Query(min_length=1, max_length=2_000)]) -> Json:
        found = Rows(app_state.graph, pipeline).one(key)
        journal = app_state.journal
        history = journal.of(pipeline, int(found["row"]["seq"])) if journal is not None else []
        return Json({**found, "history": history})

    return made


class Rows:
    """The rows of one pipeline. A page is one pass over columns of numbers and those that the filter names."""

    def __init__(self, graph: Graph, pipeline: str) -> None:
        self._graph, self._pipeline = graph, pipeline
        self._machine = graph.store.machine(pipeline)
        self._table = tables(graph.library)[self._machine.label]
        as_text = "toString(a.{})" if graph.engine.dialect == "neo4j" else "CAST(a.{} AS STRING)"
        number = self._table.columns[self._machine.key].startswith("INT")
        ended = [f"a.{name}" for name in _ENDED if name in self._table.columns]
        self._ended = f"coalesce({', '.join(ended)})" if len(ended) > 1 else ended[0] if ended else "a.claimed_at"
        self._key = as_text.format(self._machine.key) if number else f"a.{self._machine.key}"
        # The error without the row's own name: with it, every row would have a reason of its own.
        without = (
            "replace({1}, {2}, {0})"
            if graph.engine.dialect == "neo4j"
            else "substring(list_to_string({0}, string_split('.' + {1}, {2})), 2, 1000000)"
        )
        named = (
            "a.last_error" if number else without.format("$elided", "a.last_error", f"$quote + {self._key} + $quote")
        )
        self._reason = (
            without.format("''", named, "a.url + ': '") if "url" in self._table.columns and not number else named
        )
        self._quoted = {} if number else {"quote": "'", "elided": "'…'"}

    def page(self, wanted: Filter, after: int | None, newest: bool, limit: int) -> list[dict[str, Any]]:
        conditions, parameters = self._where(wanted)
        if after is not None:
            conditions.append("a.seq < $after" if newest else "a.seq > $after")
            parameters["after"] = after
        names = list(self._columns())
        returned = ", ".join(f"{text} AS {name}" for name, text in self._columns())
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        order = "DESC" if newest else "ASC"
        text = f"MATCH (a:{self._machine.label}){where} RETURN {returned} ORDER BY a.seq {order} LIMIT {limit}"
        found = self._asked(text, parameters, limit)
        return [self._shown(dict(zip((name for name, _ in names), row, strict=True))) for row in found]

    def count(self, wanted: Filter) -> dict[str, Any]:
        conditions, parameters = self._where(wanted)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        returned = f"a.{self._machine.column} AS state, count(*) AS n, min(a.seq) AS first, max(a.seq) AS last"
        found = self._asked(f"MATCH (a:{self._machine.label}){where} RETURN {returned}", parameters, 1_000)
        first, last = ([row[at] for row in found if row[at] is not None] for at in (2, 3))
        return {
            "count": sum(row[1] for row in found), "states": {row[0] or "(none)": row[1] for row in found},
            "first": str(min(first)) if first else None, "last": str(max(last)) if last else None,
        }  # fmt: skip

    def reasons(self, contains: str, limit: int, state: str = "failed") -> list[dict[str, Any]]:
        if "last_error" not in self._table.columns:
            return []
        conditions, parameters = self._where(Filter((state,), contains))
        parameters |= self._quoted
        text = (
            f"MATCH (a:{self._machine.label}) WHERE {' AND '.join(conditions)}"
            f" RETURN {self._reason} AS reason, count(*) AS n, min({self._key}) AS example"
            f" ORDER BY n DESC LIMIT {limit}"
        )
        return [
            {"reason": reason, "count": n, "example": example}
            for reason, n, example in self._asked(text, parameters, limit)
        ]

    def one(self, key: str) -> dict[str, Any]:
        shown = self._graph.neighbourhood(self._machine.label, key, 1)["node"]
        value: Any = int(key) if self._key != f"a.{self._machine.key}" else key
        returned = ", ".join(f"{text} AS {name}" for name, text in self._columns())
        text = f"MATCH (a:{self._machine.label}) WHERE a.{self._machine.key} = $key RETURN {returned}"
        found = self._asked(text, {"key": value}, 1)
        if not found:
            raise Missing(f"there is no row {key!r} in {self._pipeline}")
        row = self._shown(dict(zip((name for name, _ in self._columns()), found[0], strict=True)))
        failures = [
            asdict(Failure(**one)) for one in self._graph.read(f"{self._pipeline}.failures", key=value)
        ]  # fmt: skip
        return {
            "pipeline": self._pipeline, "label": self._machine.label, "row": row,
            "properties": shown["properties"], "failures": failures,
        }  # fmt: skip

    def _columns(self) -> Iterator[tuple[str, str]]:
        machine, columns = self._machine, self._table.columns
        yield from (("seq", "a.seq"), ("key", self._key), ("state", f"a.{machine.column}"))
        yield from (("due", "a.due"), ("lease", "a.lease"))
        if machine.order:
            yield "depth", f"a.{machine.order}"
        for name in _SHOWN:
            if name in columns:
                yield name, f"a.{name}"
        for name in _RETRIES:
            if name in columns:
                yield "retries", f"a.{name}"
                break
        yield "ended", self._ended

    def _where(self, wanted: Filter) -> tuple[list[str], dict[str, Any]]:
        conditions, parameters = list[str](), dict[str, Any]()
        now = self._graph.clock.now_ms()
        standings = {
            "ready": "a.due <= $now AND a.lease <= 0",
            "backing off": "a.due > $now AND a.due < $never AND a.lease <= 0",
            "waiting": "a.due < $never AND a.lease <= 0",
            "claimed": "a.lease > 0", "at rest": "a.due >= $never AND a.lease <= 0",
        }  # fmt: skip
        if wanted.standing:
            conditions.append(standings[wanted.standing])
            parameters |= {"never": NEVER} if "$never" in conditions[0] else {}
            parameters |= {"now": now} if "$now" in conditions[0] else {}
        if wanted.state:
            conditions.append(f"a.{self._machine.column} IN $states")
            parameters["states"] = list(wanted.state)
        if self._machine.order:
            for name, sign, depth in (("lo", ">=", wanted.min_depth), ("hi", "<=", wanted.max_depth)):
                if depth is not None:
                    conditions.append(f"a.{self._machine.order} {sign} ${name}")
                    parameters[name] = depth
        for name, sign, time in (("since", ">=", wanted.since), ("until", "<", wanted.until)):
            if time is not None:
                conditions.append(
                    f"((a.lease > 0 AND a.claimed_at {sign} ${name})"
                    f" OR (a.lease <= 0 AND a.due < $never AND a.due {sign} ${name}_ms)"
                    f" OR (a.lease <= 0 AND a.due >= $never AND {self._ended} {sign} ${name}))"
                )
                ms = _ms(time)
                parameters |= {name: moment(ms), f"{name}_ms": ms, "never": NEVER}
        if wanted.reason and "last_error" in self._table.columns:
            conditions.append(f"(a.last_error = $reason OR {self._reason} = $reason)")
            parameters |= {"reason": wanted.reason, **self._quoted}
        if wanted.contains:
            searched = [self._key, *(f"a.{name}" for name in ("last_error", "title") if name in self._table.columns)]
            conditions.append(
                "(" + " OR ".join(f"lower({one}) CONTAINS $contains" for one in dict.fromkeys(searched)) + ")"
            )
            parameters["contains"] = wanted.contains.lower()
        if self._graph.engine.dialect == "neo4j":
            conditions = [one.replace("lower(", "toLower(") for one in conditions]
        return conditions, parameters

    def _asked(self, text: str, parameters: dict[str, Any], most: int) -> list[list[Any]]:
        return self._graph.query(text, parameters, max_rows=most, timeout_seconds=_SECONDS).rows

    def _shown(self, row: dict[str, Any]) -> dict[str, Any]:
        now, due, lease = self._graph.clock.now_ms(), row["due"], row["lease"]
        due, lease = NEVER if due is None else due, lease or 0
        standing = "claimed" if lease > 0 else "at rest" if due >= NEVER else "ready" if due <= now else "backing off"
        waits = moment(due) if 0 < due < NEVER else None
        error = row.get("last_error")
        name = next((str(row[one]) for one in ("title", "filename", "by") if row.get(one)), None)
        return {
            "seq": str(row["seq"]), "key": row["key"], "state": row["state"], "standing": standing,
            "depth": row.get("depth"), "retries": row.get("retries"),
            "due_in_seconds": (due - now) / 1000 if standing == "backing off" else None,
            "error": error[:_LONGEST_ERROR] if error else None, "name": name if name != row["key"] else None,
            "worker": row.get("claimed_by"), "claimed_at": row.get("claimed_at"), "prioritised": due == FIRST,
            "at": row.get("claimed_at") if standing == "claimed" else row["ended"] if standing == "at rest" else waits,
        }  # fmt: skip


def _ms(time: datetime) -> int:
    known = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return int(known.timestamp() * 1000)
