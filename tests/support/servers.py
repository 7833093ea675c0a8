"""Which Neo4j server the tests run against: a user's own, or one that is started for this run."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.engines.neo4j.address import parse_address
from graphvine.engines.neo4j.steps import ported
from graphvine.pipelines import migrations
from tests.support.neo4j_server import Neo4jServer
from tests.tools import parts

if TYPE_CHECKING:
    import neo4j

OWN_SERVER = "GRAPHVINE_TEST_NEO4J"
# In a user's own database: it is there for tests, which empty it.
_MARK = "GraphvineTests"


def missing() -> str:
    """What keeps a server from being started here, in words; '' when nothing does."""
    if os.environ.get(OWN_SERVER):
        return ""
    lacking = [part.name for part in (parts.JAVA, parts.NEO4J) if not part.here()]
    return f"needs {' and '.join(lacking)} (make parts LANES=neo4j), or {OWN_SERVER}" if lacking else ""


@cache
def address() -> str:
    """The address of the one server of this run; the first call starts it, and pytest's end stops it."""
    own = os.environ.get(OWN_SERVER)
    if own:
        _make_sure_that_it_may_be_emptied(own)
    return own or _started().where


@cache
def _started() -> Neo4jServer:
    folder = Path(tempfile.mkdtemp(prefix="graphvine-neo4j-"))
    shutil.rmtree(folder)
    return Neo4jServer(folder).start()


def started() -> Neo4jServer | None:
    """The server that this run has started; None where it uses somebody's own."""
    return _started() if _started.cache_info().currsize else None


def stop() -> None:
    """End the server that this run has started, if it has."""
    if (server := started()) is not None:
        server.remove()


def empty(where: str, *, wholly: bool) -> None:
    """Take everything out of the graph; not wholly means that its schema and its machines stay."""
    with session(where) as asking:
        here = ported()
        known = {entity: steps[-1].version for entity, steps in migrations(here).items() if entity in here.entities}
        recorded = dict(asking.run("MATCH (v:SchemaVersion) RETURN v.entity, v.version").values())
        kept = [_MARK] if wholly or recorded != known else [_MARK, "SchemaVersion", "Pipeline", "State"]
        condition = " OR ".join(f"n:{label}" for label in kept)
        asking.run(f"MATCH (n) WHERE NOT ({condition}) CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF 10000 ROWS")
        asking.run("MATCH (p:Pipeline) SET p.paused = false, p.reason = null").consume()


@contextmanager
def session(where: str) -> Iterator[neo4j.Session]:
    """The server without anything of Graphvine's before it."""
    with _driver(where).session(database=parse_address(where).database or None) as opened:
        yield opened


@cache
def _driver(where: str) -> neo4j.Driver:
    """One for all sessions of this run: most of what a log-in costs is the check of its password."""
    import neo4j

    found = parse_address(where)
    auth = (found.user or "", found.password) if found.password is not None else None
    # A connection is tried before it is used: tests stop servers, and start them again.
    driver = neo4j.GraphDatabase.driver(
        found.uri, auth=auth, notifications_min_severity="OFF", liveness_check_timeout=0
    )
    atexit.register(driver.close)
    return driver


def _make_sure_that_it_may_be_emptied(where: str) -> None:
    with session(where) as asking:
        nodes, marks = asking.run(f"MATCH (n) RETURN count(n), count(CASE WHEN n:{_MARK} THEN 1 END)").values()[0]
        if nodes and not marks:
            raise RuntimeError(f"{OWN_SERVER} names a database that holds {nodes} nodes; the tests would empty it")
        if not marks:
            asking.run(f"CREATE (:{_MARK})").consume()
