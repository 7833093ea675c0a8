"""persist-queue: SQLiteAckQueue.

Durability: WAL, with SQLite's own default of synchronous=FULL, which is checked before the race. get and
ack are one synced commit each; it has no batches (an acknowledging queue can't turn its automatic commit
off).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peers.sqlite_file import fresh_copy, require_durable
from support.contender import Contender, Sample, package, timed


class PersistQueuePeer:
    name = "persist-queue"
    durability = "SQLiteAckQueue, SQLite WAL, synchronous=FULL; get and ack, one commit each"
    batches: tuple[int, ...] = (1,)

    def __init__(self, folder: Path) -> None:
        self.library = package("persistqueue", "persist-queue")
        self.folder = folder
        self.queue: Any = None

    def fill(self, items: int) -> None:
        self.close()

        def fill_template(file: Path) -> None:
            queue = self.library.SQLiteAckQueue(str(file.parent), db_file_name=file.name)
            # The filling is not timed, and a synced commit an item would take minutes.
            queue._conn.execute("PRAGMA synchronous=OFF")
            for number in range(items):
                queue.put(f"Article {number}")
            queue.close()

        file = fresh_copy(self.folder, "persist-queue", items, fill_template)
        self.queue = self.library.SQLiteAckQueue(str(self.folder), db_file_name=file.name)
        require_durable(self.queue._conn)

    def run(self, batch: int, seconds: float, items: int) -> Sample:
        def turn() -> int:
            try:
                item = self.queue.get(block=False, raw=True)
            except self.library.Empty:
                return 0
            self.queue.ack(id=item["pqid"])
            return 1

        return timed(turn, seconds, items)

    def close(self) -> None:
        if self.queue is not None:
            self.queue.close()
            self.queue = None


def build(folder: Path) -> Contender:
    return PersistQueuePeer(folder)
