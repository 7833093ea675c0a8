"""A graph with a little of everything, served on loopback by a real server of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphvine.settings import Settings
from graphvine.workers.serve.settings import ServeSettings
from tests.support.articles import fail_for_good
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place
from tests.support.waiting import WAIT_LIMIT

Serve = Callable[..., Served]
AUTHORISED = {"Authorization": f"Bearer {TOKEN}"}


def asking(served: Served, headers: dict[str, str] | None = None) -> httpx.Client:
    """A client of a service; certificates, which it has no use for, are not loaded."""
    return httpx.Client(base_url=served.address, headers=headers, timeout=WAIT_LIMIT, verify=False, trust_env=False)


@pytest.fixture
def served(place: Place) -> Iterator[Served]:
    """An empty graph, served."""
    opened = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0))
    yield opened
    opened.close()


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    """Somebody on this machine without the token."""
    with asking(served) as client:
        yield client


@pytest.fixture
def owner(served: Served) -> Iterator[httpx.Client]:
    """Somebody with the token."""
    with asking(served, AUTHORISED) as client:
        yield client


@pytest.fixture(scope="module")
def full_house(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A graph that holds articles, one of them failed, a thread and a batch; for tests that only look."""
    folder: Path = tmp_path_factory.mktemp("house") / "store"
    opened = Served(template.copy_to(folder).path, Settings(**QUICK), serve=ServeSettings(port=0))
    graph = opened.graph
    graph.seed("article", ["Broken"])
    fail_for_good(graph, "Broken", "no such page")
    graph.seed("article", ["Vine", "Garden", "AC/DC"])
    graph.hn.add([
        {"id": 1, "type": "story", "title": "A graph of vines", "by": "ada", "time": 1_700_000_000, "score": 7},
        {"id": 2, "type": "comment", "parent": 1, "text": "It climbs.", "by": "bob", "time": 1_700_000_100},
        {"id": 3, "type": "comment", "parent": 2, "text": "So it does.", "by": "eve", "time": 1_700_000_200},
    ])  # fmt: skip
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def visitor(full_house: Served) -> Iterator[httpx.Client]:
    """Somebody without the token, at the house that is full."""
    with asking(full_house) as client:
        yield client


@pytest.fixture
def serve(place: Place) -> Iterator[Serve]:
    """Serves the graph with these settings."""
    made: list[Served] = []

    def start(**settings: Any) -> Served:
        made.append(Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0, **settings)))
        return made[-1]

    yield start
    for one in made:
        one.close()
