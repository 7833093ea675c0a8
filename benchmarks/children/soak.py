"""Hours of work on one graph, by a clock that is moved: until the last hour, or until it is killed."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import graphvine
from graphvine.clock import ManualClock
from graphvine.outcomes import Done, GiveUp, Outcome, Retry
from graphvine.records import Claim
from graphvine.workers.loop import HELD_BACK_SECONDS, Loop
from graphvine.workers.pipeline import Context
from graphvine.workers.scheduler import Reaper
from support.child import say
from support.hn_items import items

START_MS, HOUR = 1_750_000_000_000, 3_600.0
WORKERS, BATCH = 4, 10
AGAIN = "MATCH (a:Article) WHERE a.expansion_state IN ['processed', 'failed'] SET a.expansion_state = 'discovered'"


class Mixed:
    """Most rows are done; some fail for now, few for good."""

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        for claim in claims:
            kind = claim.seq % 40  # the same rows each hour: a row keeps its ten newest failures
            if kind == 0:
                yield GiveUp(claim, "it can't be read")
            elif kind < 4 and claim.retry_count == 0:
                yield Retry(claim, "try again")
            else:
                yield Done(claim)

    def close(self) -> None:
        """Nothing is open."""


def one_hour(graph: graphvine.Graph, clock: ManualClock, hour: int, changing: int) -> int:
    """Everything goes round once: workers, a worker that dies, retries, the reaper, items that change, a search."""
    graph.execute(AGAIN)
    dead = graph.claims("article", f"gone:{hour}").claim(BATCH)
    graph.claims("article", f"gone:{hour}").heartbeat(dead)
    done = 0
    for _ in range(3):  # at once, after the backoff, and what the dead worker held
        loops = [Loop(graph, "article", Mixed(), batch=BATCH) for _ in range(WORKERS)]
        counts = [0] * WORKERS

        def work(number: int, loops: list[Loop] = loops, counts: list[int] = counts) -> None:
            # Held back while another one works on a row that took workers down before: its turn comes.
            while (found := loops[number].run_once()).claimed or loops[number].held_back:
                counts[number] += found.done + found.failed
                if not found.claimed:
                    loops[number].stop.wait(HELD_BACK_SECONDS)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(WORKERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done += sum(counts)
        clock.forward(HOUR / 3)
        Reaper(graph).run_once()
    graph.hn.add([item | {"score": hour} for item in items(changing) if item["type"] == "story"])
    graph.hn.search("vine")
    graph.status()
    return done


def disk_bytes(database: Path) -> int:
    """The graph, its log and its index; not the copy of a checkpoint, which comes and goes."""
    files = (file for file in database.parent.rglob("*") if file.is_file())
    return sum(file.stat().st_size for file in files if file.parent.suffix not in (".spare", ".safe"))


def main(where: str, first: int, hours: int, changing: int) -> None:
    clock = ManualClock(START_MS + int(first * HOUR * 1000))
    with graphvine.open(where, clock=clock) as graph:
        for hour in range(first, hours):
            done = one_hour(graph, clock, hour, changing)
            size = disk_bytes(Path(where))
            resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            say(hour=hour, done=done, resident=resident, disk=size, threads=threading.active_count(),
                descriptors=len(os.listdir("/proc/self/fd")))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
