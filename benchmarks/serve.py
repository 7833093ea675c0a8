"""Two hundred people look at the daemon at once while a worker writes: how long they wait for an answer.

Each client keeps a connection of its own and asks once a second, the requests of a second spread evenly over it: the
status, lists of articles and failures, one article, its neighbourhood, a machine, three kinds of search and a statement
in Cypher. Meanwhile a process of its own claims and completes articles through the same daemon. Times are measured at
the client, from the first byte sent to the last received.

Then somebody attacks the daemon, with the worker still at work: large bodies and answers, clients that take nothing,
queries that fill memory, plan for long or never end. Meanwhile it is asked whether it is ready.

Before all that the daemon is left alone for a while. Then one and a hundred listen to its events in turn while the
worker works: what it takes of a core, at rest and for each article.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil

import graphvine
from support.child import end, reports, start
from support.command import main
from support.daemon import answers, daemon
from support.findings import Findings
from support.hostile import Endured, endure
from support.progress import Bar

CLIENTS, QUICK_CLIENTS = 200, 20
SECONDS, QUICK_SECONDS = 60, 2
P95_SECONDS = 0.1
REST_SECONDS, QUICK_REST_SECONDS = 20, 1
IDLE_SHARE, IDLE_MEMORY, MORE_FOR_LISTENERS = 0.01, 250 << 20, 1.1
LISTENERS, LISTEN_SECONDS, QUICK_LISTEN_SECONDS, LISTEN_TURNS = 100, 10, 1, 3
ATTACK_SECONDS, QUICK_ATTACK_SECONDS = 60, 3
READY_SECONDS, MORE_MEMORY = 1.0, 512 << 20
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
    bar.expect(2)
    bar.say(f"{clients} clients for {seconds} s")
    with daemon(folder, GRAPH, *NO_WORKERS) as (process, port):
        answers(port, "/readyz")
        resting = rest(process.pid, QUICK_REST_SECONDS if arguments.quick else REST_SECONDS)
        worker = start("served_worker.py", folder / GRAPH, BATCH)
        done, began = Counter[str](), threading.Event()
        counting = threading.Thread(target=count_work, args=(worker, done, began))
        counting.start()
        began.wait()
        try:
            length = QUICK_LISTEN_SECONDS if arguments.quick else LISTEN_SECONDS
            listened = [
                asyncio.run(cost_of_events(port, process.pid, listeners, length, done))
                for _ in range(1 if arguments.quick else LISTEN_TURNS) for listeners in (1, LISTENERS)
            ]  # fmt: skip
            before = done["items"]
            seen = asyncio.run(crowd(port, clients, seconds))
            completed = done["items"] - before
            bar.step()
            bar.say("an attack")
            endured = endure(port, process.pid, QUICK_ATTACK_SECONDS if arguments.quick else ATTACK_SECONDS)
        finally:
            worker.kill()
            counting.join()
            end(worker)
    bar.step()
    everything = sorted(value for found in seen.seconds.values() for value in found)
    findings.tables["milliseconds that a client waits"] = [
        row("everything", everything), *(row(path, sorted(found)) for path, found in seen.seconds.items())
    ]  # fmt: skip
    findings.notes.append(f"{completed:,} articles were completed meanwhile, {completed / seconds:,.0f} a second")
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
    judge_rest(findings, resting, listened)
    judge_attack(findings, endured)


def rest(pid: int, seconds: float) -> tuple[float, int]:
    """The share of a core, and the memory, that the daemon takes while nothing is asked of it."""
    process = psutil.Process(pid)
    before = cpu_seconds(process)
    time.sleep(seconds)
    return (cpu_seconds(process) - before) / seconds, process.memory_info().rss


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


async def cost_of_events(port: int, pid: int, listeners: int, seconds: float, done: Counter[str]) -> float:
    """Seconds of a core that the daemon takes for each article while so many listen to its events."""
    process, received = psutil.Process(pid), [0] * listeners
    tasks = [asyncio.create_task(listen(port, received, number)) for number in range(listeners)]
    while not all(received):
        await asyncio.sleep(0.01)
    before, articles = cpu_seconds(process), done["items"]
    await asyncio.sleep(seconds)
    cost = (cpu_seconds(process) - before) / max(1, done["items"] - articles)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return cost


async def listen(port: int, received: list[int], number: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    try:
        while data := await reader.read(1 << 16):
            received[number] += len(data)
    finally:
        writer.close()


def judge_rest(findings: Findings, resting: tuple[float, int], listened: list[float]) -> None:
    share_of_a_core, memory = resting
    findings.speed_goal(
        "the daemon at rest, share of a core", f"under {IDLE_SHARE:.0%}", f"{share_of_a_core:.2%}",
        share_of_a_core < IDLE_SHARE,
    )  # fmt: skip
    findings.speed_goal(
        "the daemon at rest, memory", f"at most {IDLE_MEMORY >> 20} MB", f"{memory >> 20} MB", memory <= IDLE_MEMORY
    )
    ratio = statistics.median(many / one for one, many in zip(listened[::2], listened[1::2], strict=True))
    findings.speed_goal(
        f"cost of an article with {LISTENERS} listeners against one", f"at most {MORE_FOR_LISTENERS} times",
        f"{ratio:.2f} times", ratio <= MORE_FOR_LISTENERS,
    )  # fmt: skip


def judge_attack(findings: Findings, endured: Endured) -> None:
    findings.notes.append(f"/readyz was asked {endured.ready_answers:,} times during {endured.attacks:,} attacks")
    findings.speed_goal(
        "/readyz under attack, at worst", f"at most {READY_SECONDS:.0f} s", f"{endured.ready_seconds:.2f} s",
        endured.ready_seconds <= READY_SECONDS,
    )  # fmt: skip
    findings.speed_goal(
        "memory under attack, above idle", f"at most {MORE_MEMORY >> 20} MB", f"{endured.more_memory >> 20} MB",
        endured.more_memory <= MORE_MEMORY,
    )  # fmt: skip
    findings.correctness_goal(
        "/readyz under attack", "always 200", f"{endured.not_ready} others", not endured.not_ready
    )


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
