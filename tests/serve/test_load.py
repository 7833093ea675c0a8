"""Two hundred people look at the service at once, while a worker writes: nobody gets an error.

How long they wait is measured in benchmarks/serve.py.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from tests.serve.remote_workers import work_remotely
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.processes import Child
from tests.support.stores import Place

pytestmark = pytest.mark.long("two hundred clients")

CLIENTS = 200
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


async def visit(port: int, number: int, rounds: int, statuses: Counter[int]) -> None:
    """One client with a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for turn in range(rounds):
        method, path, body = READS[(number + turn) % len(READS)]
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower().splitlines()
        (length,) = (int(line.split(":")[1]) for line in answer if line.startswith("content-length:"))
        await reader.readexactly(length)
        statuses[int(answer[0].split()[1])] += 1
    writer.close()


async def crowd(port: int, rounds: int) -> Counter[int]:
    statuses: Counter[int] = Counter()
    await asyncio.gather(*(visit(port, number, rounds, statuses) for number in range(CLIENTS)))
    return statuses


def test_many_clients_read_while_a_worker_writes(place: Place, full: bool) -> None:
    folder: Path = place.folder
    (folder / "graphvine.toml").write_text(QUICK_DAEMON)
    stop, rounds = folder / "stop", 60 if full else 4
    with place.open() as graph:
        graph.seed("article", ["Vine"])
    with DaemonProcess(folder, *NONE) as daemon:
        port = int(daemon.ready().address.rpartition(":")[2])
        with Child(work_remotely, daemon.where, "worker", str(stop)) as worker:
            assert worker.hear() == "begun"
            statuses = asyncio.run(crowd(port, rounds))
            stop.touch()
            done = worker.hear().value["done"]
    # 202: accepted, and the index is brought up to date meanwhile.
    assert statuses == {200: CLIENTS * rounds - statuses[202], 202: statuses[202]}, statuses
    assert done > 0
