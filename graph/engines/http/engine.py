"""A graph that another process serves: reads and units go to it by name, and it decides who gets a claim.

The daemon owns the store; this is its client. While the daemon is away (a restart, a kill) callers wait and then
continue: a read is repeated, a unit carries a number by which the daemon knows whether it was already committed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import msgspec

from graphvine.clock import Clock, SystemClock
from graphvine.engines.http.connection import Line, StoreAway, Target
from graphvine.engines.http.wire import WIRE_VERSION
from graphvine.engines.protocol import Capabilities
from graphvine.errors import QueryError, SettingsError, StoreError
from graphvine.pipelines import library
from graphvine.queries import Block
from graphvine.records import Claim, QueryResult, Row, Step, TableInfo, Unit, UnitResult
from graphvine.service_file import find, path_of
from graphvine.settings import Positive, Settings, describe_as, section
from graphvine.table import as_dicts
from graphvine.units import check, check_texts

TOKEN = "GRAPHVINE_TOKEN"
# An answer needs some time on the way, beyond what the query may take.
_MARGIN_SECONDS = 30.0
_FIRST_WAIT_SECONDS = 5.0
_HOST = re.compile(r"[\w.:%-]{1,255}")  # a name, or an address with its zone


class HttpSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table [http] of graphvine.toml, or GRAPHVINE_HTTP_*."""

    wait_seconds: Annotated[float, Positive, describe_as("how long to wait for a daemon that has gone away")] = 300


class HttpEngine:
    name = "http"

    def __init__(
        self, where: str, find_target: Callable[[], Target | None], pipelines_folder: str, patience: float | None = None
    ) -> None:
        """`patience` is for the first word: whether anybody is there at all."""
        self.where = where
        self._line = Line(find_target, section(HttpSettings, "http").wait_seconds)
        self.clock: Clock = SystemClock()
        began = time.time_ns()
        about = self._line.call("/engine/about", {}, "again", patience=patience)
        if about["wire"] != WIRE_VERSION:
            self._line.close()
            raise StoreError("the process that serves the graph is another version of Graphvine: use the same on both")
        self.clock_offset_ms = int(about["now_ms"]) - (began + time.time_ns()) // 2_000_000
        self.served_as, self.dialect, self.migrated = str(about["engine"]), str(about["dialect"]), about["migrated"]
        self.capabilities = Capabilities(
            single_owner=False, bulk_load=False, file_backup=False, typed=bool(about["typed"]), maintains=False
        )
        self.library = library(self.dialect, pipelines_folder)
        if about["library"] != self.library.fingerprint:
            self._line.close()
            raise StoreError(
                "the process that serves the graph has other query files than this one: restart it with this Graphvine"
                " and the same pipelines (GRAPHVINE_PIPELINES_FOLDER)"
            )

    def read(self, block: Block, parameters: Mapping[str, Any]) -> list[Row]:
        block.check(parameters)
        check_texts(parameters, block.full_name)
        rows: list[Row] = self._line.call(
            "/engine/read", {"block": block.full_name, "parameters": dict(parameters)}, "again"
        )
        return rows

    def write(self, unit: Unit) -> UnitResult:
        check(unit, self.library)
        steps = [[step.block, dict(as_dicts(step.parameters))] for step in unit.steps]
        asked = {"steps": steps, "if_held": unit.if_held, "now": self.clock.now_ms()}
        answer = self._line.call("/engine/unit", asked, "numbered")
        return UnitResult(tuple(answer["rows"]), frozenset(answer["held"]))

    def claim(
        self, pipeline: str, worker: str, limit: int, states: Collection[str] | None, max_depth: int | None,
        suspects: bool,
    ) -> tuple[list[Claim], bool]:  # fmt: skip
        """Take rows. The daemon chooses them, so that two processes never try for the same."""
        asked = {
            "pipeline": pipeline, "worker": worker, "limit": limit, "max_depth": max_depth, "suspects": suspects,
            "states": None if states is None else sorted(states), "now": self.clock.now_ms(),
        }  # fmt: skip
        said = self._line.call("/engine/claim", asked, "numbered")
        return [Claim(**claim) for claim in said["claims"]], said["held_back"]

    def exchange(
        self, pipeline: str, worker: str, steps: Sequence[Step], limit: int, max_depth: int | None
    ) -> tuple[list[Claim], Collection[int]]:
        """Settle claims and take what comes next, in one transaction: the new claims, and the rows that were held."""
        check(Unit.of(steps), self.library)
        asked = {
            "pipeline": pipeline, "worker": worker, "limit": limit, "max_depth": max_depth, "now": self.clock.now_ms(),
            "steps": [[step.block, dict(as_dicts(step.parameters))] for step in steps],
        }  # fmt: skip
        answer = self._line.call("/engine/exchange", asked, "numbered")
        return [Claim(**claim) for claim in answer["claims"]], frozenset(answer["held"])

    def next_due(self, pipeline: str, now: int, states: Collection[str] | None) -> int | None:
        asked = {"pipeline": pipeline, "now": now, "states": None if states is None else sorted(states)}
        due: int | None = self._line.call("/engine/next_due", asked, "again")
        return due

    def forget(self, pipeline: str | None) -> None:
        """What the daemon has in memory of a queue, or of all, may be wrong."""
        self._line.call("/engine/forget", {"pipeline": pipeline}, "again")

    def query(
        self, text: str, parameters: Mapping[str, Any], *, max_rows: int | None, timeout_seconds: float | None
    ) -> QueryResult:
        check_texts(parameters, "the query's parameters")
        check_texts(text, "the query")
        asked = {
            "text": text, "parameters": dict(parameters), "max_rows": max_rows, "timeout_seconds": timeout_seconds,
            "client": self._line.name,
        }  # fmt: skip
        return QueryResult(
            **self._line.call("/engine/query", asked, "again", (timeout_seconds or 600) + _MARGIN_SECONDS)
        )

    def execute(
        self, statements: Sequence[str], then: Unit | None = None, parameters: Mapping[str, Any] | None = None
    ) -> QueryResult:
        if then is not None or len(statements) != 1:
            raise QueryError("send one statement at a time through the daemon")
        check_texts([*statements, parameters or {}], "the statement")
        asked = {"text": statements[0], "parameters": dict(parameters or {})}
        return QueryResult(**self._line.call("/engine/execute", asked, "once"))

    def ask(self, path: str, body: dict[str, Any], *, repeat: bool = True, seconds: float = 900.0) -> Any:
        """Something that a pipeline's own routes answer."""
        return self._line.call(path, body, "again" if repeat else "once", seconds)

    def interrupt(self) -> None:
        """End the typed queries of this process."""
        self._line.call("/engine/interrupt", {"client": self._line.name}, "again", _MARGIN_SECONDS)

    def bulk_load(self, table: str, columns: Any, progress: Callable[[int], None] | None = None) -> int:
        raise StoreError("rows are loaded by the process that holds the graph: stop the daemon first")

    def snapshot(self) -> AbstractContextManager[Callable[[str], Iterator[list[Any]]]]:
        raise StoreError("only the process that holds the graph can read it row by row as of one moment")

    def tables(self) -> list[TableInfo]:
        found = self._line.call("/engine/tables", {}, "again")
        return [TableInfo(one["name"], one["kind"], [(n, k) for n, k in one["properties"]]) for one in found]

    def hurry(self) -> None:
        """Wait no longer for a daemon that is away."""
        self._line.hurry()

    def close(self) -> None:
        self._line.close()


def open_address(where: str, settings: Settings) -> HttpEngine:
    """The daemon at an address: http://host:port, or http://:TOKEN@host:port; the token may be GRAPHVINE_TOKEN."""
    try:
        parts = urlsplit(where)
        port = parts.port
    except ValueError:
        raise SettingsError(_not_an_address(where)) from None
    if not _HOST.fullmatch(parts.hostname or "") or parts.path.strip("/") or parts.query or parts.fragment:
        raise SettingsError(_not_an_address(where))
    token = unquote(parts.password or parts.username or "") or os.environ.get(TOKEN, "")
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    address = f"{parts.scheme}://{host}" + (f":{port}" if port else "")
    target = Target.at(address, token)
    return HttpEngine(address, lambda: target, settings.pipelines_folder)


def _not_an_address(where: str) -> str:
    return f"{where.rpartition('@')[2]} is not a valid address; example: http://127.0.0.1:8420"


def open_served(where: str, settings: Settings) -> HttpEngine | None:
    """The daemon of a graph that is a file here, if one serves it; looked up again whenever it goes away."""
    if find(where) is None:
        return None

    def now() -> Target | None:
        service = find(where)
        return None if service is None else Target.at(service.address, service.token, service.certificate)

    end = time.monotonic() + section(HttpSettings, "http").wait_seconds
    while True:
        try:
            # The place itself, as an engine that holds it would say: what belongs to a graph stands beside it.
            return HttpEngine(path_of(where), now, settings.pipelines_folder, _FIRST_WAIT_SECONDS)
        except StoreAway:
            if now() is None:
                return None  # gone just now: then the file is free
            if time.monotonic() >= end:
                raise
