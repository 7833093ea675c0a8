"""Take a file of items into an empty store, by an upload or by Hacker News' own way, and report time and memory."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import psutil

import graphvine
from support.child import say

EVERY_SECONDS = 0.2


class Memory:
    """The highest resident memory beyond what the engine's buffer pool held at that moment."""

    def __init__(self, graph: Any) -> None:
        self._graph, self._process = graph, psutil.Process()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.beyond = 0

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            before = self._pool()
            resident = self._process.memory_info().rss
            # Between two readings: what the pool held at least.
            self.beyond = max(self.beyond, resident - max(before, self._pool()))

    def _pool(self) -> int:
        found = self._graph.query("CALL bm_info() RETURN *").as_dicts()[0]
        return int(found["mem_usage"])


def highest() -> int:
    """The most that was ever resident, by the kernel's record, which misses no moment."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def main(way: str, where: str, file: str) -> None:
    with graphvine.open(where) as graph, Memory(graph) as memory:
        began = time.perf_counter()
        if way == "upload":
            found = graph.upload(file)
            state, held = found.state, graph.read("upload.collection", collection_id=found.collection_id)[0]["items"]
        else:
            from graphvine.workers.hn.item_files import read_items

            graph.hn.add(read_items([Path(file)]), source="BULK_UPLOAD")
            state, held = "completed", 0
        seconds = time.perf_counter() - began
        completed = {row["state"]: row["count"] for row in graph.read("hn_item.counts")}.get("completed", 0)
    say(seconds=seconds, state=state, completed=completed, collected=held, highest=highest(), beyond=memory.beyond)


if __name__ == "__main__":
    main(*sys.argv[1:4])
