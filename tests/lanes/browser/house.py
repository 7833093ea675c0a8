"""A daemon with something to look at, for the tests in the browser and for the pictures of the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.waiting import WAIT_LIMIT, eventually

# Titles that would be markup, or that no page has.
WILD = "<img src=x onerror=alert(1)> Vine"
MISSING = ["No such page", WILD, "Nor this one"]
THREAD = [
    {
        "id": 1,
        "type": "story",
        "title": "A graph of vines",
        "by": "ada",
        "time": 1_700_000_000,
        "score": 7,
        "kids": [2],
    },
    {"id": 2, "type": "comment", "parent": 1, "text": "It climbs trellises.", "by": "bob", "time": 1_700_000_100},
    {"id": 3, "type": "comment", "parent": 2, "text": "So it does.", "by": "eve", "time": 1_700_000_200},
]


_NEWS = """
CREATE (a:NewsArticle {id: $id, link: $id, topic: 'BTC', state: 'processed', title: $title, date: timestamp($date),
    source: 'example.org', provider: 'feed', sentiment: $sentiment, sentimentScore: $score, summary: 'It was seen.',
    needsSummary: false, needsSentiment: false})
"""


@dataclass(frozen=True)
class House:
    daemon: DaemonProcess
    address: str
    token: str

    def client(self) -> httpx.Client:
        """Somebody with the token."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=self.address, headers=headers, timeout=WAIT_LIMIT, verify=False, trust_env=False)

    def state_of(self, title: str) -> str:
        with self.client() as client:
            return str(client.get("/article", params={"title": title}).json()["state"])


@contextmanager
def open_house(folder: Path, graph: str = "graph.db") -> Iterator[House]:
    """Serve the graph in this folder, and let it grow; articles rest then, so that a test moves them as it likes."""
    (folder / "graphvine.toml").write_text(QUICK_DAEMON)
    with DaemonProcess(folder, "--worker", "article=0", graph=graph) as daemon:
        service = daemon.ready()
        house = House(daemon, service.address, service.token)
        with house.client() as client:
            client.post("/hn/items", json=THREAD).raise_for_status()
            _publish_news(client)
            client.post("/pipelines/article/seeds", json={"keys": ["Vine", *MISSING]}).raise_for_status()
            job = client.post("/grow", json={"titles": ["Vine"], "depth": 2}).raise_for_status().json()

            def grown() -> dict[str, Any]:
                found: dict[str, Any] = client.get(f"/jobs/{job['id']}").json()
                assert found["state"] != "running"
                return found

            ended = eventually(grown)
            assert ended["state"] == "done", ended
        yield house
        daemon.end()


def _publish_news(client: httpx.Client) -> None:
    """Two or three articles of the news on each of the last days, as if they had been processed."""
    today = datetime.now(UTC)
    for number, (sentiment, score) in enumerate(5 * [("positive", 0.6), ("neutral", 0.0), ("negative", -0.4)]):
        date = today - timedelta(days=number // 2)
        given = {
            "id": f"https://example.org/{number}", "title": f"Harvest report {number}", "sentiment": sentiment,
            "score": score, "date": date.strftime("%Y-%m-%d %H:%M:%S"),
        }  # fmt: skip
        body = {"statement": _NEWS, "parameters": given, "accessMode": "WRITE"}
        client.post("/cypher", json=body).raise_for_status()
