"""An attacker against a daemon at work: whatever is sent, it answers, stays small, and loses nothing that it took.

With --full 500 generated queries in ten minutes; otherwise some dozen.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.waiting import WAIT_LIMIT, eventually

pytestmark = pytest.mark.long("attacks on a daemon at work")

MORE_MEMORY = 512 << 20
SETTINGS = QUICK_DAEMON.replace("sync = false", "sync = false\nquery_memory_mb = 192") + "cypher_seconds = 3\n"
# What the answer to an attack may be: carried out, refused, too slow, too much at once.
ANSWERS = {200, 202, 400, 401, 403, 404, 408, 409, 413, 422, 429, 503}

KNOWN = [
    "RETURN " + "NOT " * 20_000 + "true", "RETURN " + "CASE WHEN true THEN " * 20 + "1" + " END" * 20,
    "RETURN [1]" + "[0]" * 20_000, "RETURN range(1, 60000000)", "UNWIND range(1, 100000000) AS x RETURN collect(x)",
    "MATCH (a), (b), (c), (d), (e) RETURN count(*)", "LOAD EXTENSION '/tmp/x.so'", "CALL threads=1",
]  # fmt: skip


def generated(chance: random.Random) -> str:
    """A query that is deep, long, wide, or whose constants are large once they are folded."""
    much, some = chance.choice([50, 500, 5_000, 20_000]), chance.choice([5, 20, 60, 400])
    operator = chance.choice([" AND ", " OR ", " XOR ", "+", "*", "^", " = ", "%", " <> "])
    large = chance.choice(
        ["100000000", "10000 * 10000", "1000 * 1000 * 100", "toInteger('90000000')", "abs(-80000000)"]
    )
    forms: list[Callable[[], str]] = [
        lambda: "RETURN " + operator.join(["1"] * much),
        lambda: "RETURN " + chance.choice(["NOT ", "- "]) * much + "1",
        lambda: "RETURN " + "(" * some + "1" + ")" * some,
        lambda: "RETURN " + "[" * some + "1" + "]" * some,
        lambda: "RETURN " + "{a: " * some + "1" + "}" * some,
        lambda: "RETURN " + "abs(" * some + "1" + ")" * some,
        lambda: "RETURN " + "CASE WHEN true THEN " * (some // 3) + "1" + " END" * (some // 3),
        lambda: "RETURN {a: 1}" + chance.choice([".a", "[1]"]) * much,
        lambda: "WITH 1 AS a " + "WITH a " * some + "RETURN a",
        lambda: "".join(f"UNWIND [1, 2] AS x{n} " for n in range(some)) + "RETURN count(*)",
        lambda: f"RETURN size(range(1, {large}))",
        lambda: f"UNWIND range(1, {large}) AS x RETURN collect(x)",
        lambda: f"RETURN repeat('x', {large})",
        lambda: f"RETURN reduce(a = '', x IN range(1, {large}) | a + 'xxxxxxxxxx')",
        lambda: f"UNWIND range(1, {large}) AS x UNWIND range(1, {large}) AS y RETURN count(x + y)",
        lambda: "MATCH " + ", ".join(f"(n{n})" for n in range(min(some, 30))) + " RETURN count(*)",
        lambda: "MATCH p = (a)" + "-[]->()" * min(some, 30) + " RETURN count(*)",
        lambda: "MATCH (a)-[*1..30]-(b) RETURN count(*)",
        lambda: " UNION ALL ".join(["RETURN 1 AS a"] * some),
        lambda: "RETURN " + ", ".join(f"{n} AS c{n}" for n in range(some * 10)),
    ]
    return chance.choice(forms)()


class Attack:
    def __init__(self, daemon: DaemonProcess) -> None:
        self.daemon, self.service = daemon, daemon.ready()
        self.process = psutil.Process(daemon.process.pid)
        self.over = threading.Event()
        self.faults: list[str] = []
        self.acknowledged: list[str] = []
        self.slowest = self.most_memory = 0.0

    def client(self, *, token: bool = False) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.service.token}"} if token else {}
        return httpx.Client(base_url=self.service.address, headers=headers, timeout=WAIT_LIMIT, trust_env=False)

    def watch(self) -> None:
        """Readiness and memory, all the time."""
        with self.client() as client:
            while not self.over.is_set():
                began = time.monotonic()
                answer = client.get("/readyz")
                self.slowest = max(self.slowest, time.monotonic() - began)
                self.most_memory = max(self.most_memory, self.process.memory_info().rss)
                if answer.status_code != 200:
                    self.faults.append(f"/readyz: {answer.status_code} {answer.text}")
                self.over.wait(0.05)

    def work(self) -> None:
        """Rows that are acknowledged, all the time."""
        with self.client(token=True) as client:
            number = 0
            while not self.over.is_set():
                titles = [f"seed {number + n}" for n in range(5)]
                answer = client.post("/seeds", json={"titles": titles})
                if answer.status_code == 200:
                    self.acknowledged += titles
                elif answer.status_code != 503:
                    self.faults.append(f"/seeds: {answer.status_code} {answer.text}")
                number += 5
                self.over.wait(0.1)

    def ask(self, text: str) -> None:
        with self.client() as client:
            answer = client.post("/cypher", json={"statement": text})
        if answer.status_code not in ANSWERS:
            self.faults.append(f"{text[:80]}: {answer.status_code} {answer.text[:300]}")

    def large_bodies(self) -> None:
        body = b'{"titles": [' + b'"x",' * 1_900_000 + b'"x"]}'
        with self.client(token=True) as client, ThreadPoolExecutor(10) as pool:

            def send(_: int) -> int:
                try:
                    answer = client.post("/seeds", content=body, headers={"Content-Type": "application/json"})
                except httpx.TransportError:
                    return 503  # closed while we were still sending
                return answer.status_code

            self._expect("large bodies", set(pool.map(send, range(10))))

    def idle_connections(self, count: int) -> None:
        lines = [
            socket.create_connection(("127.0.0.1", httpx.URL(self.service.address).port or 0)) for _ in range(count)
        ]
        try:
            with self.client() as client:
                self._expect("beside idle connections", {client.get("/status").status_code})
        finally:
            for line in lines:
                line.close()

    def odd_requests(self) -> None:
        with self.client() as client:
            found = {client.get("/status", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(70)}
            found.add(client.get("/status", headers={"X-Forwarded-For": "203.0.113.1"}).status_code)
            found.add(client.post("/cypher", content=b"[" * 100_000).status_code)
        with self.client(token=True) as client:
            part = "--b\r\n" + "X-H: 1\r\n" * 50_000
            given = {"Content-Type": "multipart/form-data; boundary=b"}
            found.add(client.post("/uploads", content=part.encode(), headers=given).status_code)
            for text in ("COPY (RETURN 1) TO '/tmp/graphvine-attack.csv'", "LOAD EXTENSION 'x'", KNOWN[0], KNOWN[1]):
                answer = client.post("/cypher", json={"statement": text, "accessMode": "WRITE"})
                found.add(answer.status_code)
        self._expect("odd requests", found)
        assert not Path("/tmp/graphvine-attack.csv").exists()

    def _expect(self, what: str, statuses: set[int]) -> None:
        if not statuses <= ANSWERS:
            self.faults.append(f"{what}: {statuses}")


def test_a_daemon_at_work_under_attack(tmp_path: Path, full: bool) -> None:
    (tmp_path / "graphvine.toml").write_text(SETTINGS)
    with DaemonProcess(tmp_path) as daemon:
        attack = Attack(daemon)
        with attack.client() as client:
            eventually(lambda: client.get("/readyz").raise_for_status())
        attack.ask("MATCH (a:Article) RETURN count(*)")
        idle = attack.process.memory_info().rss
        beside = [threading.Thread(target=run) for run in (attack.watch, attack.work)]
        for thread in beside:
            thread.start()
        try:
            chance = random.Random(1)
            queries = KNOWN + [generated(chance) for _ in range(500 if full else 16)]
            end = time.monotonic() + (600 if full else 40)
            with ThreadPoolExecutor(3) as pool:
                attack.large_bodies()
                attack.odd_requests()
                attack.idle_connections(1_100 if full else 100)
                list(pool.map(lambda text: attack.ask(text) if time.monotonic() < end else None, queries))
        finally:
            attack.over.set()
            for thread in beside:
                thread.join()
        assert daemon.process.poll() is None, daemon.log()[-3000:]
        assert attack.faults == []
        print(f"\n/readyz at most {attack.slowest:.2f} s, memory {idle >> 20} to {int(attack.most_memory) >> 20} MB")
        assert attack.most_memory - idle < MORE_MEMORY
        with attack.client(token=True) as client:
            answer = client.post("/cypher", json={
                "statement": "MATCH (a:Article) WHERE a.title IN $titles RETURN count(*)",
                "parameters": {"titles": attack.acknowledged},
            })  # fmt: skip
        assert attack.acknowledged
        assert answer.json()["data"]["values"] == [[len(attack.acknowledged)]], "nothing acknowledged is lost"
        assert daemon.end() == 0
