"""Two hundred people look at the service at once, while workers run: nobody gets an error, and nobody waits."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.serve.toiling import toil
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.processes import Child
from tests.support.stores import Place

CLIENTS = 200
# For a minute; the few seconds of a short run are mostly its start, and other tests may run beside it.
P95_SECONDS, P95_SECONDS_SHORT = 0.2, 3.0
NONE = ("--worker", "article=0", "--worker", "hn_item=0", "--worker", "scrape_item=0")
COUNT = json.dumps({"statement": "MATCH (a:Article) WHERE a.expansion_depth = 0 RETURN count(*)"})
READS = [
    ("GET", "/status", ""),
    ("GET", "/articles?state=processed&limit=20", ""),
    ("GET", "/pipelines/article/failed?limit=10", ""),
    ("GET", "/article?title=Vine", ""),
    ("GET", "/neighbourhood?label=Article&key=Vine&limit=30", ""),
    ("GET", "/machines/article", ""),
    ("GET", "/hn/search?q=vine", ""),
    ("GET", "/readyz", ""),
    ("POST", "/cypher", COUNT),
    ("GET", "/search?q=vine&mode=text", ""),
]


@dataclass
class Seen:
    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)


async def visit(port: int, number: int, rounds: int, seen: Seen) -> None:
    """One client with a connection of its own, a request a second."""
    loop = asyncio.get_running_loop()
    start = loop.time() + number / CLIENTS
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for turn in range(rounds):
        due = loop.create_future()
        loop.call_at(start + turn, due.set_result, None)
        await due
        method, path, body = READS[(number + turn) % len(READS)]
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        began = time.perf_counter()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            int(line.split(":")[1]) for line in answer.lower().splitlines() if line.startswith("content-length")
        )
        await reader.readexactly(length)
        took = time.perf_counter() - began
        seen.seconds.append(took)
        seen.statuses[int(answer.split()[1])] += 1
        seen.slowest[path] = max(took, seen.slowest.get(path, 0.0))
    writer.close()


async def crowd(port: int, rounds: int) -> Seen:
    seen = Seen()
    await asyncio.gather(*(visit(port, number, rounds, seen) for number in range(CLIENTS)))
    return seen


@pytest.mark.timeout(300)
def test_many_clients_read_while_workers_run(place: Place, full: bool) -> None:
    folder: Path = place.folder
    (folder / "graphvine.toml").write_text(QUICK_DAEMON)
    stop = folder / "stop"
    with place.open() as graph:
        graph.seed("article", ["Vine"])
    with DaemonProcess(folder, *NONE) as daemon:
        port = int(daemon.ready().address.rpartition(":")[2])
        with Child(toil, daemon.where, "worker", str(stop)) as worker:
            assert worker.hear() == "begun"
            seen = asyncio.run(crowd(port, 60 if full else 4))
            stop.touch()
            done = worker.hear(60).value["done"]
    waited = sorted(seen.seconds)
    p95 = waited[int(len(waited) * 0.95)]
    told = f"p50 {waited[len(waited) // 2] * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, {done} rows done; {seen.slowest}"
    print(told)
    assert seen.statuses == {200: sum(seen.statuses.values()) - seen.statuses[202], 202: seen.statuses[202]}, (
        seen.statuses
    )
    assert p95 < (P95_SECONDS if full else P95_SECONDS_SHORT), told
    assert done > 0
