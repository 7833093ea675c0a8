"""An attacker against a daemon at work: whatever is sent, it answers, stays small, and loses nothing that it took.

With --full 500 generated queries and more, for ten minutes; otherwise some dozen.
"""

from __future__ import annotations

import gzip
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.ready_watch import watching
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


# Rows of lists: 24 MB as bytes, and ten times that as objects.
LARGE_ANSWER = "UNWIND range(1, 10000) AS x RETURN range(100, 400)"


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


def queries(count: int, seconds: float) -> Iterator[str]:
    """What is known to be bad, so many others, and more of them until this time is over."""
    chance, end = random.Random(1), time.monotonic() + seconds
    yield from KNOWN
    yield from (generated(chance) for _ in range(count))
    while time.monotonic() < end:
        yield generated(chance)


class Attack:
    def __init__(self, daemon: DaemonProcess) -> None:
        self.daemon, self.service = daemon, daemon.ready()
        self.process = psutil.Process(daemon.process.pid)
        self.over, self.aim = threading.Event(), threading.Lock()
        self.faults: list[str] = []
        self.acknowledged: list[str] = []
        self.most_memory = 0

    def client(self, *, token: bool = False) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.service.token}"} if token else {}
        return httpx.Client(base_url=self.service.address, headers=headers, timeout=WAIT_LIMIT, trust_env=False)

    def watch(self) -> None:
        """Memory, all the time."""
        while not self.over.wait(0.05):
            self.most_memory = max(self.most_memory, self.process.memory_info().rss)

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Work, and a look at the memory, while the block is carried out."""
        threads = [threading.Thread(target=run) for run in (self.watch, self.work)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.over.set()
            for thread in threads:
                thread.join()

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

    def shoot(self, texts: Iterator[str]) -> None:
        """One query after another, beside others who take theirs from the same list."""
        while True:
            with self.aim:
                text = next(texts, None)
            if text is None:
                return
            self.ask(text)

    def large_bodies(self) -> None:
        """Bodies that become large: short texts, empty lists."""
        for item in (b'"x"', b"[]"):
            self._large_bodies(b'{"titles": [' + (item + b",") * (7_600_000 // (len(item) + 1)) + item + b"]}")
        parameters = b"[" + b"{}," * 2_000_000 + b"{}]"
        statement = b'{"statement": "RETURN size($list)", "parameters": {"list": ' + parameters + b"}}"
        with self.client() as client, ThreadPoolExecutor(4) as pool:

            def ask(_: int) -> int:
                try:
                    return client.post("/cypher", content=statement).status_code
                except httpx.TransportError:
                    return 503

            self._expect("large parameters", set(pool.map(ask, range(4))))

    def _large_bodies(self, body: bytes) -> None:
        with self.client(token=True) as client, ThreadPoolExecutor(10) as pool:

            def send(_: int) -> int:
                try:
                    answer = client.post("/seeds", content=body, headers={"Content-Type": "application/json"})
                except httpx.TransportError:
                    return 503  # closed while we were still sending
                return answer.status_code

            self._expect("large bodies", set(pool.map(send, range(10))))

    def wide_bodies(self) -> None:
        """Little text that is much as objects, from strangers and from workers."""
        wide = b"[" + b"[]," * 2_000_000 + b"[]]"
        call = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ' + wide + b"}"
        packed = gzip.compress(b"[" + b"[]," * 20_000_000 + b"[]]", 1)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        with self.client() as anybody, self.client(token=True) as worker, ThreadPoolExecutor(4) as pool:

            def send(client: httpx.Client, path: str, body: bytes) -> int:
                try:
                    return client.post(path, content=body, headers=headers).status_code
                except httpx.TransportError:
                    return 503  # closed while we were still sending

            sent = [pool.submit(send, anybody, "/mcp", call) for _ in range(4)]
            sent += [pool.submit(send, worker, "/hn/items", body) for body in (wide, packed, packed, wide)]
            self._expect("wide bodies", {one.result() for one in sent})

    def large_answers(self) -> None:
        """Answers of tens of megabytes, half of them to clients that take nothing."""
        port = httpx.URL(self.service.address).port or 0
        body = json.dumps({"statement": LARGE_ANSWER}).encode()
        head = f"POST /cypher HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\n"
        lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(10)]
        try:
            for line in lines:
                line.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
            with ThreadPoolExecutor(5) as pool:
                list(pool.map(self.ask, [LARGE_ANSWER] * 10))
        finally:
            for line in lines:
                line.close()

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
            eventually(lambda: client.get("/readyz").is_success)
        attack.ask("MATCH (a:Article) RETURN count(*)")
        idle = attack.process.memory_info().rss
        with watching(attack.service.address) as ready, attack.beside():
            texts = queries(500 if full else 16, 600 if full else 0)
            attack.large_bodies()
            attack.wide_bodies()
            attack.large_answers()
            attack.odd_requests()
            attack.idle_connections(1_100 if full else 100)
            shooters = [threading.Thread(target=attack.shoot, args=(texts,)) for _ in range(3)]
            for thread in shooters:
                thread.start()
            for thread in shooters:
                thread.join()
        assert daemon.process.poll() is None, daemon.log()[-3000:]
        assert attack.faults == [] and ready.wrong == []
        asked = f"/readyz at most {ready.slowest:.2f} s in {ready.asked} answers"
        print(f"\n{asked}, memory {idle >> 20} to {attack.most_memory >> 20} MB")
        assert attack.most_memory - idle < MORE_MEMORY
        with attack.client(token=True) as client:
            answer = client.post("/cypher", json={
                "statement": "MATCH (a:Article) WHERE a.title IN $titles RETURN count(*)",
                "parameters": {"titles": attack.acknowledged},
            })  # fmt: skip
        assert attack.acknowledged
        assert answer.json()["data"]["values"] == [[len(attack.acknowledged)]], "nothing acknowledged is lost"
        assert daemon.end() == 0
