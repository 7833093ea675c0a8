"""Connects to a Neo4j server: the driver and its options, the server's version, and the offset of its clock."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from typing import Any

from graphvine.engines.neo4j.address import Address, Neo4jSettings
from graphvine.engines.neo4j.errors import NEEDED, OLDEST, ServerTooOld, translated
from graphvine.errors import EngineMissing

_AGENT = re.compile(r"Neo4j/(\d+)\.(\d+)")
# The driver doubles its pause each time; after this long we go on with pauses of our own, which a close can cut short.
_DRIVER_RETRY_SECONDS, _FIRST_PAUSE_SECONDS = 3.0, 0.02
_SAMPLES = 5

_log = logging.getLogger("graphvine.neo4j")


def driver_package() -> Any:
    """The driver, which is loaded when a server is asked for."""
    try:
        import neo4j
        import neo4j.exceptions
    except ImportError as error:
        raise EngineMissing("the engine 'neo4j' is not installed: pip install 'graphvine[neo4j]'") from error
    return neo4j


def new_driver(address: Address, options: Neo4jSettings) -> Any:
    neo4j = driver_package()
    # What the driver logs is in our own errors; without a handler Python would print it.
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    if address.in_the_clear:
        _log.warning("the password travels unencrypted to %s: use neo4j+s:// beyond one machine", address.shown)
    try:
        return neo4j.GraphDatabase.driver(
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
        raise translated(error, address) from None


def meet(driver: Any, address: Address) -> int:
    """Reach the server once and see that it can do what we need; how many ms its clock is ahead of ours."""
    exceptions = driver_package().exceptions
    try:
        agent = driver.get_server_info().agent
        version = _AGENT.match(agent)
        if version is None or (int(version[1]), int(version[2])) < OLDEST:
            raise ServerTooOld(
                f"{address.shown} is {agent}: Graphvine needs Neo4j {NEEDED} or newer, so upgrade the server"
            )
        with driver.session(database=address.database or None) as session:
            return clock_offset(lambda: int(session.run("RETURN datetime.realtime().epochMillis").value()[0]))
    except (exceptions.DriverError, exceptions.Neo4jError, OSError) as error:
        raise translated(error, address) from error


def clock_offset(server_ms: Callable[[], int]) -> int:
    """How far the server's clock is ahead of ours; 0 where it is less than the round trip."""
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
