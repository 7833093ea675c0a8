"""Killed anywhere while edges are made, queues of vectors are emptied and models are switched: the same graph and index."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from graphvine.clock import NEVER, SystemClock
from graphvine.graph import Graph
from graphvine.search.kinds import Mode
from graphvine.vectors import unpack
from graphvine.workers.loop import Loop
from graphvine.workers.search.edges import EdgeJobs
from graphvine.workers.search.engine import SearchEngine
from graphvine.workers.search.requests import SearchRequest
from graphvine.workers.wikipedia import model_switch
from graphvine.workers.wikipedia.embedding_queue import QUEUES
from tests.common.embedding.small_models import write_small_model
from tests.support.grown import content
from tests.support.processes import Child, Send
from tests.support.stores import Place

FEW, MANY = 4, 50
# Kills are not the fault of a row, and nobody waits for the next try.
SETTINGS: dict[str, Any] = {"max_lost_claims": 10_000, "backoff_seconds": 0.001, "backoff_max_seconds": 0.01}
AT = datetime(2024, 1, 2, tzinfo=UTC)
QUESTIONS = ("how do vines climb", "goats that eat kudzu", "the plant of number 7")
EDGES = {
    "HN_SAME_PAGE": "b.address", "NEWS_SAME_PAGE": "b.address", "PAGE_SAME_PAGE": "b.address",
    "HN_MENTIONS": "b.title", "MENTIONS": "b.title", "PAGE_MENTIONS": "b.title",
    "HN_NEAR_DUPLICATE": "b.id", "NEWS_NEAR_DUPLICATE": "b.id", "PAGE_NEAR_DUPLICATE": "b.id",
}  # fmt: skip


def text(number: int) -> str:
    """Every third of these texts is nearly the same."""
    words = random.Random(number % 3 or number).choices([f"word{one}" for one in range(200)], k=30)
    return f"{' '.join(words)} and number {number}, so goats eat the Kudzu or a Vine"


def fill(place: Place) -> None:
    with place.open(SystemClock(), **SETTINGS) as graph:
        graph.grow(["Vine"], source="sample", depth=0, embed="later")
        graph.hn.add([
            {"id": number, "type": "story", "title": f"The plant of number {number}", "by": "pg", "text": text(number),
             "url": f"https://example.org/{number % 9}"}
            for number in range(1, 31)
        ])  # fmt: skip
        for number in range(1, 7):
            shared = {"seq": number, "stamp": number, "due": NEVER, "lease": 0, "retry_count": 0}
            _create(graph, "NewsArticle", {
                "id": f"n{number}", "link": f"https://example.org/{number}", "title": f"News {number}", "date": AT,
                "content": text(number), "addedAt": AT, "state": "processed", **shared,
            })  # fmt: skip
            _create(graph, "ScrapeItem", {
                "id": f"p{number}", "url": f"https://example.org/{number}", "scraped_at": AT, "state": "completed",
                "scraped": json.dumps({"title": f"Page {number}", "text": text(number)}), **shared,
            })  # fmt: skip


def _create(graph: Graph, label: str, values: dict[str, Any]) -> None:
    graph.execute(f"CREATE (:{label} {{{', '.join(f'{name}: ${name}' for name in values)}}})", values)


def live(send: Send, place: Place, first: str, target: str) -> None:
    """One life of a process: what is left of all jobs, a word after each batch, then the switch to a model."""
    os.environ.update({"GRAPHVINE_WIKIPEDIA_MODEL": first, "GRAPHVINE_SEARCH_VECTORS": "hn,news,page"})
    model_switch.BATCH = 5
    with place.open(SystemClock(), **SETTINGS) as graph:
        send("opened")
        run(graph, target, send, small=True)
        send("done")


def run(graph: Graph, target: str, send: Send, *, small: bool = False) -> None:
    rows_at_once, batch = (4, 5) if small else (2_000, 256)
    EdgeJobs(graph, on_rows=send, rows_at_once=rows_at_once).run()
    for queue, build in QUEUES.items():
        (handler,) = build(graph, 1)
        loop = Loop(graph, queue, handler, batch=batch, gather_seconds=0.0)
        try:
            while loop.run_once().claimed:
                send(queue)
        finally:
            handler.close()
    graph.search("goats")
    send("searched")
    graph.switch_model(target, on_event=send)


def everything(graph: Graph) -> dict[str, Any]:
    """All that holds; numbers, times and generations aside, which go by how often a model was planned."""
    found = content(graph)
    found["sections"] = [row[:-1] for row in found["sections"]]
    for name, end in EDGES.items():
        key = "a.hnId" if name.startswith("HN") else "a.id"
        found[name] = _rows(graph, f"MATCH (a)-[r:{name}]->(b) WHERE r.gone = 0 RETURN {key}, {end}")
    found["buckets"] = _rows(graph, "MATCH (b:TextBucket) RETURN b.id, b.leaders")
    found["queue"] = _rows(graph, "MATCH (v:TextVector) RETURN v.id, v.hash, v.state, v.lease")
    for label in ("Section", "TextVector"):
        rows = graph.query(f"MATCH (v:{label}) RETURN v.id, v.generation, v.embedding, v.other_embedding").rows
        found[f"vectors of {label}"] = {row[0]: unpack(row[3] if row[1] % 2 else row[2]) for row in rows}
    return found


def answers(graph: Graph) -> list[Any]:
    with closing(SearchEngine(graph)) as engine:
        asked = [SearchRequest(text=text, mode=mode, limit=20) for text in QUESTIONS for mode in get_args(Mode)]
        return [
            [(hit.kind, hit.key, hit.section, round(hit.score, 5), hit.path, hit.duplicates) for hit in hits]
            for hits in map(engine.search, asked)
        ]


def _rows(graph: Graph, statement: str) -> list[Any]:
    return sorted((tuple(row) for row in graph.query(statement, max_rows=100_000).rows), key=repr)


@pytest.mark.long("kills processes that embed, join and switch, again and again")
def test_the_same_graph_and_index_however_often_it_is_killed(
    place: Place, tmp_path: Path, full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [str(write_small_model(tmp_path / "models" / name, seed=seed)) for seed, name in enumerate("abcd")]
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_MODEL", names[0])
    monkeypatch.setenv("GRAPHVINE_SEARCH_VECTORS", "hn,news,page")
    fill(place)
    calm = place.copy_to(tmp_path / "calm")
    said = killed(place, names, MANY if full else FEW)
    assert {"opened", "int"} <= said and (not full or {"section", "vector", "SwitchEvent", "done"} <= said)
    found = []
    for one in (place, calm):
        with one.open(SystemClock(), **SETTINGS) as graph:
            run(graph, names[-1], lambda word: None)
            held, answered = everything(graph), answers(graph)
            assert [finding for finding in graph.doctor() if not finding.ok] == []
            graph.reindex()
            assert answered == answers(graph), "the index held what the graph holds"
            found.append((held, answered))
    assert found[0][0] == found[1][0]
    assert found[0][1] == found[1][1]
    held = found[0][0]
    assert {state for _, _, state, _ in held["queue"]} == {"embedded"} and len(held["queue"]) == 42
    assert len(held["HN_NEAR_DUPLICATE"]) >= 20 and len(held["PAGE_NEAR_DUPLICATE"]) >= 4


def killed(place: Place, names: Sequence[str], kills: int) -> set[str]:
    """Let so many processes begin, each of which is killed; returns what they said, as words and types."""
    chance, said, targets = random.Random(11), set[str](), iter(_rounds(names[1:-1]))
    target = next(targets)
    for _ in range(kills):
        with Child(live, place, names[0], target) as child:
            word: Any = ""
            for _ in range(chance.randrange(1, 9)):
                word = child.hear()
                said.add(word if isinstance(word, str) else type(word).__name__)
                if word == "done":
                    target = next(targets)  # the next lives have something to do, too
                    break
            child.says_nothing_for(0.05 * chance.random())
    return said


def _rounds(names: Sequence[str]) -> Iterable[str]:
    while True:
        yield from names
