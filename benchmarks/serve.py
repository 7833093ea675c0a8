"""Two hundred people look at the daemon at once while a worker writes: how long they wait for an answer.

Each client keeps a connection of its own and asks once a second, the requests of a second spread evenly over it: the
status, lists of articles and failures, one article, its neighbourhood, a machine, three kinds of search and a statement
in Cypher. Meanwhile a process of its own claims and completes articles through the same daemon. Times are measured at
the client, from the first byte sent to the last received.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import graphvine
from support.child import end, reports, start
from support.command import main
from support.daemon import answers, daemon
from support.findings import Findings
from support.progress import Bar

CLIENTS, QUICK_CLIENTS = 200, 20
SECONDS, QUICK_SECONDS = 60, 2
P95_SECONDS = 0.2
BATCH = 4
GRAPH = "graph.kuzu"
# The worker of this benchmark is the only one.
NO_WORKERS = ("--worker", "article=0", "--worker", "hn_item=0", "--worker", "scrape_item=0")
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
    """What the clients saw: how long each answer took, by path, and its status."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {path: [] for _, path, _ in READS})
    statuses: Counter[int] = field(default_factory=Counter)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clients", type=int, help=f"people who look at once (default {CLIENTS})")
    parser.add_argument("--seconds", type=int, help=f"for how long (default {SECONDS})")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    clients = arguments.clients or (QUICK_CLIENTS if arguments.quick else CLIENTS)
    seconds = arguments.seconds or (QUICK_SECONDS if arguments.quick else SECONDS)
    with graphvine.open(folder / GRAPH) as graph:
        graph.seed("article", ["Vine"])
    bar.expect(1)
    bar.say(f"{clients} clients for {seconds} s")
    with daemon(folder, GRAPH, *NO_WORKERS) as (_, port):
        answers(port, "/readyz")
        worker = start("served_worker.py", folder / GRAPH, BATCH)
        done, began = Counter[str](), threading.Event()
        counting = threading.Thread(target=count_work, args=(worker, done, began))
        counting.start()
        began.wait()
        try:
            seen = asyncio.run(crowd(port, clients, seconds))
        finally:
            worker.kill()
            counting.join()
            end(worker)
    bar.step()
    everything = sorted(value for found in seen.seconds.values() for value in found)
    findings.tables["milliseconds that a client waits"] = [
        row("everything", everything), *(row(path, sorted(found)) for path, found in seen.seconds.items())
    ]  # fmt: skip
    findings.notes.append(
        f"{done['items']:,} articles were completed meanwhile, {done['items'] / seconds:,.0f} a second"
    )
    p95 = share(everything, 0.95)
    findings.speed_goal(
        f"p95 of an answer with {clients} clients", f"at most {1000 * P95_SECONDS:.0f} ms", f"{1000 * p95:.0f} ms",
        p95 <= P95_SECONDS,
    )  # fmt: skip
    wrong = {status: number for status, number in seen.statuses.items() if status >= 400}
    findings.correctness_goal(
        "answers that are an error", "none", f"{wrong or 'none'} of {seen.statuses.total():,}", not wrong
    )
    findings.correctness_goal("the worker went on", "at least 1 article", f"{done['items']:,}", done["items"] > 0)


def count_work(worker: subprocess.Popen[str], done: Counter[str], began: threading.Event) -> None:
    """Follow the worker's reports until it is gone."""
    for report in reports(worker):
        done["items"] = report["acknowledged"]
        began.set()
    began.set()


def row(name: str, seconds: list[float]) -> dict[str, str | int | float | None]:
    figures = {"p50": share(seconds, 0.5), "p95": share(seconds, 0.95), "most": seconds[-1]}
    return {"request": name, "answers": len(seconds)} | {key: round(1000 * value, 1) for key, value in figures.items()}


def share(seconds: list[float], part: float) -> float:
    return seconds[min(int(len(seconds) * part), len(seconds) - 1)]


async def crowd(port: int, clients: int, rounds: int) -> Seen:
    seen = Seen()
    await asyncio.gather(*(visit(port, number, clients, rounds, seen) for number in range(clients)))
    return seen


async def visit(port: int, number: int, clients: int, rounds: int, seen: Seen) -> None:
    """One client with a connection of its own, a request a second."""
    loop = asyncio.get_running_loop()
    start = loop.time() + number / clients
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for turn in range(rounds):
        await asyncio.sleep(start + turn - loop.time())
        method, path, body = READS[(number + turn) % len(READS)]
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        began = time.perf_counter()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower().splitlines()
        (length,) = (int(line.split(":")[1]) for line in answer if line.startswith("content-length:"))
        await reader.readexactly(length)
        seen.seconds[path].append(time.perf_counter() - began)
        seen.statuses[int(answer[0].split()[1])] += 1
    writer.close()


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
