"""huey: its SQLite storage alone, so that no consumer's overhead is in the figure.

Durability: fsync=True, that is WAL with synchronous=FULL. Measured is what the consumer asks of the
storage for a task that returns something: dequeue, then put the result; two synced commits an item, no
batches. Its claim is weaker than the others': dequeue deletes the item, so a worker that dies takes it
along.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peers.sqlite_file import fresh_copy, require_durable
from support.contender import Contender, Sample, package, timed


class HueyPeer:
    name = "huey"
    durability = "SqliteHuey, fsync=True; dequeue (which deletes) and result, one commit each"
    batches: tuple[int, ...] = (1,)

    def __init__(self, folder: Path) -> None:
        self.library = package("huey", "huey")
        self.folder = folder
        self.storage: Any = None

    def fill(self, items: int) -> None:
        self.close()

        def fill_template(file: Path) -> None:
            storage = self.library.SqliteHuey(filename=str(file), fsync=False).storage
            for number in range(items):
                storage.enqueue(b"Article %d" % number)
            storage.close()

        file = fresh_copy(self.folder, "huey", items, fill_template)
        self.storage = self.library.SqliteHuey(filename=str(file), fsync=True).storage
        require_durable(self.storage.conn)

    def run(self, batch: int, seconds: float, items: int) -> Sample:
        def turn() -> int:
            task = self.storage.dequeue()
            if task is None:
                return 0
            self.storage.put_data(bytes(task).decode(), b"done")
            return 1

        return timed(turn, seconds, items)

    def close(self) -> None:
        if self.storage is not None:
            self.storage.close()
            self.storage = None


def build(folder: Path) -> Contender:
    return HueyPeer(folder)
