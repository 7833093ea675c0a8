"""Neo4j by hand: the quickest way to claim on a server that was found, without anything of Graphvine's.

One statement reads sixteen batches in the order of an index, takes some at random, locks them by a write, checks
again and sets; a second marks them done. It has a label and an index of its own in the same database. It keeps no
numbers, knows no states but three, and returns titles alone.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any

from support.contender import Sample, package, timed

_INDEX = "CREATE INDEX by_hand IF NOT EXISTS FOR (a:ByHand) ON (a.state, a.depth, a.queued)"
_KEY = "CREATE CONSTRAINT by_hand_title IF NOT EXISTS FOR (a:ByHand) REQUIRE a.title IS UNIQUE"
_EMPTY = "MATCH (a:ByHand) CALL (a) { DELETE a } IN TRANSACTIONS OF 10000 ROWS"
_FILL = """
UNWIND range($first, $last) AS n
CREATE (:ByHand {title: 'Article ' + n, state: 'ready', depth: 0, queued: n, due: 0})
"""
_CLAIM = """
MATCH (a:ByHand)
WHERE a.state = 'ready' AND a.depth IS NOT NULL AND a.queued IS NOT NULL AND a.due <= $now
WITH a ORDER BY a.state, a.depth, a.queued LIMIT $wide
WITH a ORDER BY rand() LIMIT $limit
WITH a ORDER BY elementId(a)
SET a.lock = 0
WITH a WHERE a.state = 'ready' AND a.due <= $now
SET a.state = 'claimed', a.token = $token, a.worker = $worker, a.claimed_at = $at
RETURN a.title AS title
"""
_DONE = """
UNWIND $titles AS title
MATCH (a:ByHand {title: title}) WHERE a.token = $token AND a.state = 'claimed'
SET a.state = 'done', a.token = NULL
RETURN count(*) AS done
"""


class Neo4jByHand:
    name = "neo4j by hand"
    durability = "one committed transaction for the claim and one for the completion of a batch, as the server keeps it"
    batches: tuple[int, ...] = (1, 10, 100, 1_000)

    def __init__(self, where: str) -> None:
        neo4j: Any = package("neo4j", "neo4j")
        from graphvine.engines.neo4j.address import parse_address

        found = parse_address(where)
        auth = (found.user, found.password) if found.password is not None else None
        self.driver = neo4j.GraphDatabase.driver(found.uri, auth=auth, notifications_min_severity="OFF")
        self.session = self.driver.session(database=found.database or None)

    def fill(self, items: int) -> None:
        for text in (_INDEX, _KEY, _EMPTY):
            self.session.run(text).consume()
        for first in range(1, items + 1, 10_000):
            self.session.run(_FILL, first=first, last=min(first + 9_999, items)).consume()
        self.session.run("CALL db.awaitIndexes(300)").consume()

    def turn(self, batch: int) -> int:
        token = secrets.randbits(61)
        now = datetime.now(UTC)
        given = {"wide": 16 * batch, "limit": batch, "token": token, "worker": "by hand", "at": now}
        given["now"] = int(now.timestamp() * 1000)
        titles = self.session.execute_write(lambda tx: [record[0] for record in tx.run(_CLAIM, given)])
        if titles:
            self.session.execute_write(lambda tx: tx.run(_DONE, titles=titles, token=token).consume())
        return len(titles)

    def run(self, batch: int, seconds: float, items: int) -> Sample:
        return timed(lambda: self.turn(batch), seconds, items)

    def close(self) -> None:
        self.session.run(_EMPTY).consume()
        self.session.close()
        self.driver.close()
