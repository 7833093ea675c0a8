"""litequeue: one SQLite table.

Durability: WAL with synchronous=FULL (its own default is NORMAL, which may lose commits in a power cut),
so each pop is one synced commit. It pops one by one; the marks that a batch is done share one
transaction.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from peers.sqlite_file import fresh_copy, require_durable
from support.contender import Contender, Sample, package, timed


class LiteQueuePeer:
    name = "litequeue"
    durability = "SQLite WAL, synchronous=FULL; pop one by one, done in one transaction a batch"
    batches: tuple[int, ...] = (1, 10, 100)

    def __init__(self, folder: Path) -> None:
        self.library = package("litequeue", "litequeue")
        self.folder = folder
        self.queue: Any = None

    def fill(self, items: int) -> None:
        self.close()

        def fill_template(file: Path) -> None:
            queue = self.library.LiteQueue(file)
            with queue.transaction():
                for number in range(items):
                    queue.put(f"Article {number}")
            queue.conn.close()

        file = fresh_copy(self.folder, "litequeue", items, fill_template)
        self.queue = self.library.LiteQueue(file)
        self.queue.conn.execute("PRAGMA synchronous=FULL")
        require_durable(self.queue.conn)

    def run(self, batch: int, seconds: float, items: int) -> Sample:
        limit = time.perf_counter() + seconds

        def turn() -> int:
            messages: list[Any] = []
            # A pop sorts all that waits, about a second at a million: the limit holds within a batch too.
            while len(messages) < batch and (not messages or time.perf_counter() < limit):
                message = self.queue.pop()
                if message is None:
                    break
                messages.append(message)
            with self.queue.transaction():
                for message in messages:
                    self.queue.done(message.message_id)
            return len(messages)

        return timed(turn, seconds, items)

    def close(self) -> None:
        if self.queue is not None:
            self.queue.conn.close()
            self.queue = None


def build(folder: Path) -> Contender:
    return LiteQueuePeer(folder)
