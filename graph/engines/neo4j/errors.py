"""What can go wrong with a Neo4j server, each in one sentence that says what to do.

StoreError
|- ServerAway       nobody answers, or the server has gone away for longer than we wait
|- ServerRefused    name and password are wrong, or missing
|- ServerTooOld     the server's version is older than what is needed
|- PoolExhausted    every connection was in use for too long
|- GraphChanged     somebody wrote while the whole graph was being read
|- CommitUnknown    the connection broke at the commit: it may have been kept, or not
"""

from __future__ import annotations

from graphvine.engines.neo4j.address import PASSWORD, USER, Address
from graphvine.errors import GraphvineError, QueryError, QueryTimeout, StoreError, StoreMissing, WriteRefused

# The long-term line of version 5; sub-queries and vector indexes are as we use them from here on.
OLDEST = (5, 26)
NEEDED = ".".join(map(str, OLDEST))
_LONGEST = 600


class ServerAway(StoreError):
    """Nobody answers there."""


class ServerRefused(StoreError):
    """The server does not let us in."""


class ServerTooOld(StoreError):
    """The server lacks what we need."""


class PoolExhausted(StoreError):
    """Every connection was in use."""


class GraphChanged(StoreError):
    """Somebody wrote while the whole graph was being read."""

    def __init__(self, where: str) -> None:
        super().__init__(f"{where} was written to while it was being read: stop its workers, and try again")


class CommitUnknown(StoreError):
    """The connection broke while the server was committing."""

    def __init__(self, block: str) -> None:
        super().__init__(
            f"the connection broke while {block} was being committed, so it may have been kept or not: look before"
            " you write it again"
        )
        self.block = block


def translated(error: Exception, address: Address, at: str = "") -> GraphvineError:
    """The driver's error in our words; `at` names the block or statement."""
    from neo4j import exceptions as driver

    place = address.shown
    code = getattr(error, "code", None) or ""
    if isinstance(error, driver.ConnectionAcquisitionTimeoutError):
        return PoolExhausted(
            f"all connections to {place} were in use for too long: raise GRAPHVINE_NEO4J_POOL_SIZE, or run fewer"
            " workers in one process"
        )
    if isinstance(error, driver.AuthError):
        return _refused(code, address)
    if code == "Neo.ClientError.Database.DatabaseNotFound":
        return StoreMissing(f"there is no database {address.database!r} at {place}: create it, or name another")
    if isinstance(error, driver.ServiceUnavailable | driver.SessionExpired):
        return ServerAway(f"no Neo4j server answers at {place}: start it, or check the address ({_brief(error)})")
    if isinstance(error, driver.UnsupportedServerProduct) or "not supported for the Bolt" in str(error):
        return ServerTooOld(f"what answers at {place} speaks no Bolt of Neo4j {NEEDED} or newer: upgrade the server")
    if code.startswith("Neo.ClientError.Transaction.TransactionTimedOut") or code.endswith("Transaction.Terminated"):
        return QueryTimeout(f"{at or 'the query'} took too long, or was interrupted: narrow it, or allow more")
    if code == "Neo.ClientError.Statement.AccessMode":
        return WriteRefused(
            "this statement would write: use --write, or Graph.execute, for statements that change something"
        )
    if isinstance(error, driver.Forbidden):
        return ServerRefused(f"{place} does not let {address.user!r} do this: {_brief(error)}")
    return QueryError(f"{at}: {_brief(error)}" if at else _brief(error))


def _refused(code: str, address: Address) -> ServerRefused:
    place = address.shown
    if code.endswith("CredentialsExpired"):
        return ServerRefused(
            f"{place} wants a new password for {address.user!r} first: set one with 'ALTER CURRENT USER SET PASSWORD'"
        )
    if code.endswith("AuthenticationRateLimit"):
        return ServerRefused(
            f"{place} takes no log-ins of {address.user!r} for some seconds, after too many wrong ones"
        )
    if address.password is None:
        return ServerRefused(f"{place} asks for a name and a password: set {USER} and {PASSWORD}")
    return ServerRefused(
        f"{place} refuses the password of {address.user!r}: check {USER} and {PASSWORD}, or the address"
    )


def _brief(error: Exception) -> str:
    from neo4j.exceptions import Neo4jError

    said = error.message if isinstance(error, Neo4jError) else str(error)
    message = " ".join(str(said).split())
    return message if len(message) <= _LONGEST else message[: _LONGEST - 3] + "..."
