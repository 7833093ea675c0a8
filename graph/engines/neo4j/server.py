"""A Neo4j server as the engine sees it: transactions that are tried again, and waiting when it goes away."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from graphvine.engines.neo4j.address import Address, Neo4jSettings
from graphvine.engines.neo4j.connect import driver_package, meet, new_driver
from graphvine.engines.neo4j.errors import CommitUnknown, GraphChanged, translated
from graphvine.errors import StoreClosed

T = TypeVar("T")
_PAUSE_SECONDS = 0.25
# Which transactions are ours to interrupt.
_MARK = "graphvine"

_log = logging.getLogger("graphvine.neo4j")


class Server:
    def __init__(self, address: Address, options: Neo4jSettings) -> None:
        self.address, self.options = address, options
        self._closed = threading.Event()
        self._mark = secrets.token_hex(8)
        self._neo4j = driver_package()
        self._driver = new_driver(address, options)
        # Every session of this process tells the server what it has to have seen: a worker reads its own writes.
        self._bookmarks = self._neo4j.GraphDatabase.bookmark_manager()
        try:
            self.clock_offset_ms = meet(self._driver, address)
        except BaseException:
            self._driver.close()
            raise

    def read(self, text: str, parameters: Mapping[str, Any], rows: Callable[[Any], T], at: str = "") -> T:
        """Run one statement that reads; `rows` makes of its result what is wanted."""
        return self._one(text, parameters, rows, self._neo4j.RoutingControl.READ, at, again=True)

    def write(self, text: str, parameters: Mapping[str, Any], rows: Callable[[Any], T], at: str, *, again: bool) -> T:
        """Run one statement that writes; `again` says that it may run twice, should its commit be in doubt."""
        return self._one(text, parameters, rows, self._neo4j.RoutingControl.WRITE, at, again=again)

    def write_all(self, work: Callable[[Any], T], at: Callable[[], str], *, again: bool) -> T:
        """Run several statements in one write transaction."""
        limited: Callable[[Any], T] = self._neo4j.unit_of_work(timeout=self.options.unit_seconds)(work)

        def run() -> T:
            with self._session("WRITE") as session:
                found: T = session.execute_write(limited)
                return found

        return self._patiently(run, at, again=again)

    def look(self, text: str, parameters: Mapping[str, Any], rows: Callable[[Any], T], seconds: float | None) -> T:
        """Run a typed query: the server refuses writes, enforces the time limit, and can be asked to cancel it."""
        query = self._neo4j.unit_of_work(metadata={_MARK: self._mark}, timeout=seconds)

        def run() -> T:
            with self._session("READ") as session:
                found: T = session.execute_read(
                    query(lambda transaction: rows(transaction.run(text, dict(parameters))))
                )
                return found

        return self._patiently(run, lambda: "", again=True)

    def interrupt(self) -> None:
        """End what `look` is running."""
        shown = f"SHOW TRANSACTIONS YIELD transactionId, metaData WHERE metaData.{_MARK} = '{self._mark}'"
        found = self.read(f"{shown} RETURN collect(transactionId)", {}, lambda result: result.value()[0])
        if found:
            self.read("TERMINATE TRANSACTIONS $found", {"found": found}, lambda result: result.consume())

    def alone(self, text: str, parameters: Mapping[str, Any], rows: Callable[[Any], T]) -> T:
        """Run a statement that brings its own transactions."""

        def run() -> T:
            with self._session("WRITE") as session:
                return rows(session.run(text, dict(parameters)))

        return self._patiently(run, lambda: "the statement", again=False)

    @contextmanager
    def unchanged(self) -> Iterator[Any]:
        """A read transaction for a long look; the server keeps no moment for it, so a write meanwhile raises."""
        exceptions = self._neo4j.exceptions
        try:
            with self._session("READ", fetch_size=2000) as session:
                before = self._last_write()
                with session.begin_transaction() as transaction:
                    yield transaction
                if self._last_write() != before:
                    raise GraphChanged(self.address.shown)
        except (exceptions.DriverError, exceptions.Neo4jError) as error:
            raise translated(error, self.address) from error

    def close(self) -> None:
        self._closed.set()
        self._driver.close()

    def _one(
        self, text: str, parameters: Mapping[str, Any], rows: Callable[[Any], T], routing: Any, at: str, *, again: bool
    ) -> T:
        query = self._neo4j.Query(text, timeout=self.options.unit_seconds)

        def run() -> T:
            # A managed transaction too, but one that takes a round trip less.
            found: T = self._driver.execute_query(
                query, dict(parameters), routing_=routing, result_transformer_=rows,
                database_=self.address.database or None, bookmark_manager_=self._bookmarks,
            )  # fmt: skip
            return found

        return self._patiently(run, lambda: at, again=again)

    def _patiently(self, work: Callable[[], T], at: Callable[[], str], *, again: bool) -> T:
        exceptions = self._neo4j.exceptions
        began: float | None = None
        while True:
            if self._closed.is_set():
                raise StoreClosed
            try:
                return work()
            except exceptions.ConnectionAcquisitionTimeoutError as error:
                raise translated(error, self.address) from None
            except (exceptions.DriverError, exceptions.Neo4jError) as error:
                if isinstance(error, exceptions.IncompleteCommit):
                    if not again:
                        raise CommitUnknown(at()) from error
                elif not error.is_retryable():
                    raise translated(error, self.address, at()) from error
                now = time.monotonic()
                began = now if began is None else began
                self._wait(error, now - began)
            except (OverflowError, UnicodeError, TypeError, ValueError) as error:
                # A parameter that the driver can't send.
                raise translated(error, self.address, at()) from error

    def _wait(self, error: Exception, waited: float) -> None:
        """The driver has tried for some seconds; go on, with pauses that a close cuts short."""
        away = not isinstance(error, self._neo4j.exceptions.TransientError) or "Unavailable" in str(error)
        longest = self.options.wait_seconds if away else self.options.retry_seconds
        if waited > longest:
            raise translated(error, self.address) from error
        if waited == 0:
            _log.warning("%s: %s; trying again for up to %g s", self.address.shown, error, longest)
        if self._closed.wait(_PAUSE_SECONDS):
            raise StoreClosed

    def _session(self, mode: str, **more: Any) -> Any:
        database = self.address.database or None
        return self._driver.session(
            database=database, default_access_mode=mode, bookmark_manager=self._bookmarks, **more
        )

    def _last_write(self) -> frozenset[str]:
        """A bookmark that changes with every commit, from the server that takes the writes."""
        with self._driver.session(database=self.address.database or None, default_access_mode="WRITE") as session:
            with session.begin_transaction() as transaction:
                transaction.run("RETURN 1").consume()
                transaction.commit()
            return frozenset(session.last_bookmarks().raw_values)
