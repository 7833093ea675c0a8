"""A Neo4j server as the engine sees it: looked over when it is reached, waited for when it goes away."""

from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from graphvine.engines.neo4j_address import Address, Neo4jSettings
from graphvine.engines.neo4j_errors import NEEDED, OLDEST, CommitUnknown, GraphChanged, ServerTooOld, told
from graphvine.errors import EngineMissing, StoreClosed

if TYPE_CHECKING:
    from neo4j import Session

T = TypeVar("T")
_AGENT = re.compile(r"Neo4j/(\d+)\.(\d+)")
# The driver doubles its pause each time; beyond this we go on with pauses of our own, which a close can cut short.
_DRIVER_RETRY_SECONDS, _FIRST_PAUSE_SECONDS = 3.0, 0.02
_PAUSE_SECONDS = 0.25
_SAMPLES = 5
# Which transactions are ours to interrupt.
_MARK = "graphvine"

_log = logging.getLogger("graphvine.neo4j")


class Server:
    def __init__(self, address: Address, options: Neo4jSettings) -> None:
        self.address, self.options = address, options
        self._closed = threading.Event()
        self._mark = secrets.token_hex(8)
        neo4j = _package()
        # What the driver logs is told by our own errors; without a handler Python would print it.
        logging.getLogger("neo4j").addHandler(logging.NullHandler())
        if address.in_the_clear:
            _log.warning("the password travels unencrypted to %s: use neo4j+s:// beyond one machine", address.shown)
        try:
            self._driver = neo4j.GraphDatabase.driver(
                address.uri,
                auth=(address.user, address.password) if address.password is not None else None,
                user_agent="graphvine",
                max_connection_pool_size=options.pool_size,
                connection_timeout=options.connect_seconds,
                connection_acquisition_timeout=max(options.pool_seconds, options.connect_seconds),
                max_transaction_retry_time=_DRIVER_RETRY_SECONDS,
                initial_retry_delay=_FIRST_PAUSE_SECONDS,
                telemetry_disabled=True,
                notifications_min_severity="OFF",
            )
        except (neo4j.exceptions.DriverError, ValueError) as error:
            raise told(error, address) from None
        # Every session of this process tells the server what it has to have seen: a worker reads its own writes.
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager()
        self._unit = neo4j.unit_of_work(timeout=options.unit_seconds)
        try:
            self._look_over()
        except BaseException:
            self._driver.close()
            raise

    def read(self, work: Callable[[Any], T], at: str = "") -> T:
        """Run this in a read transaction, again and again while the server is away."""
        limited: Callable[[Any], T] = self._unit(work)
        return self._patiently(lambda session: session.execute_read(limited), "READ", at, again=True)

    def look(self, work: Callable[[Any], T], seconds: float | None) -> T:
        """Run what somebody typed in a read transaction that has its own limit and can be interrupted."""
        limited: Callable[[Any], T] = _package().unit_of_work(metadata={_MARK: self._mark}, timeout=seconds)(work)
        return self._patiently(lambda session: session.execute_read(limited), "READ", "", again=True)

    @contextmanager
    def unchanged(self) -> Iterator[Any]:
        """A read transaction for a long look; the server keeps no moment for it, so a write meanwhile raises."""
        exceptions = _package().exceptions
        try:
            with self._driver.session(**self._session_options("READ"), fetch_size=2000) as session:
                before = self._last_write()
                with session.begin_transaction() as transaction:
                    yield transaction
                if self._last_write() != before:
                    raise GraphChanged(self.address.shown)
        except (exceptions.DriverError, exceptions.Neo4jError) as error:
            raise told(error, self.address) from error

    def _last_write(self) -> frozenset[str]:
        """A bookmark that changes with every commit, from the server that takes the writes."""
        with self._driver.session(database=self.address.database or None, default_access_mode="WRITE") as session:
            with session.begin_transaction() as transaction:
                transaction.run("RETURN 1").consume()
                transaction.commit()
            return frozenset(session.last_bookmarks().raw_values)

    def interrupt(self) -> None:
        """End what `look` is running."""
        shown = f"SHOW TRANSACTIONS YIELD transactionId, metaData WHERE metaData.{_MARK} = '{self._mark}'"
        found = self.read(lambda transaction: transaction.run(f"{shown} RETURN collect(transactionId)").value()[0])
        if found:
            self.read(lambda transaction: transaction.run("TERMINATE TRANSACTIONS $found", found=found).consume())

    def write(self, work: Callable[[Any], T], at: Callable[[], str], *, again: bool) -> T:
        """Run this in a write transaction; `again` says that it may be run twice, should its commit be in doubt."""
        limited: Callable[[Any], T] = self._unit(work)
        return self._patiently(lambda session: session.execute_write(limited), "WRITE", at, again=again)

    def alone(self, text: str, parameters: Mapping[str, Any], work: Callable[[Any], T]) -> T:
        """Run a statement that brings its own transactions."""

        def run(session: Session) -> T:
            return work(session.run(text, dict(parameters)))

        return self._patiently(run, "WRITE", "the statement", again=False)

    def close(self) -> None:
        self._closed.set()
        self._driver.close()

    def _patiently(self, work: Callable[[Session], T], mode: str, at: str | Callable[[], str], *, again: bool) -> T:
        exceptions = _package().exceptions
        began: float | None = None
        while True:
            if self._closed.is_set():
                raise StoreClosed
            try:
                with self._driver.session(**self._session_options(mode)) as session:
                    return work(session)
            except exceptions.ConnectionAcquisitionTimeoutError as error:
                raise told(error, self.address) from None
            except (exceptions.DriverError, exceptions.Neo4jError) as error:
                where = at if isinstance(at, str) else at()
                if isinstance(error, exceptions.IncompleteCommit):
                    if not again:
                        raise CommitUnknown(where) from error
                elif not error.is_retryable():
                    raise told(error, self.address, where) from error
                now = time.monotonic()
                began = now if began is None else began
                self._wait(error, now - began)
            except (OverflowError, UnicodeError, TypeError, ValueError) as error:
                # A parameter that the driver can't send.
                where = at if isinstance(at, str) else at()
                raise told(error, self.address, where) from error

    def _session_options(self, mode: str) -> dict[str, Any]:
        database = self.address.database or None
        return {"database": database, "default_access_mode": mode, "bookmark_manager": self._bookmarks}

    def _wait(self, error: Exception, waited: float) -> None:
        away = not isinstance(error, _package().exceptions.TransientError) or "Unavailable" in str(error)
        longest = self.options.wait_seconds if away else self.options.retry_seconds
        if waited > longest:
            raise told(error, self.address) from error
        if waited == 0:
            _log.warning("%s: %s; trying again for up to %g s", self.address.shown, error, longest)
        if self._closed.wait(_PAUSE_SECONDS):
            raise StoreClosed

    def _look_over(self) -> None:
        """Reach the server once, see that it can do what we need, and compare clocks."""
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            agent = self._driver.get_server_info().agent
            version = _AGENT.match(agent)
            if version is None or (int(version[1]), int(version[2])) < OLDEST:
                raise ServerTooOld(
                    f"{self.address.shown} is {agent}: Graphvine needs Neo4j {NEEDED} or newer, so upgrade the server"
                )
            with self._driver.session(database=self.address.database or None) as session:
                self.clock_offset_ms = _offset(lambda: session.run("RETURN datetime.realtime().epochMillis").value()[0])
        except (DriverError, Neo4jError, OSError) as error:
            raise told(error, self.address) from error


def _offset(server_ms: Callable[[], int]) -> int:
    """How far the server's clock is ahead of ours; 0 where it can't be told from the time that asking takes."""
    server_ms()
    best: tuple[int, int] | None = None
    for _ in range(_SAMPLES):
        before = time.time_ns() // 1_000_000
        there = server_ms()
        after = time.time_ns() // 1_000_000
        sample = (after - before, there - (before + after) // 2)
        best = sample if best is None else min(best, sample)
    took, offset = best or (0, 0)
    return offset if abs(offset) > took + 1 else 0


def _package() -> Any:
    try:
        import neo4j
        import neo4j.exceptions
    except ImportError as error:
        raise EngineMissing("the engine 'neo4j' is not installed: pip install 'graphvine[neo4j]'") from error
    return neo4j
