"""What a process says that it will do, and that it has done: written beside the store, by the process that dies.

A line `try` stands before a write, a line `ok` after it was acknowledged. What must hold afterwards follows from the
two: everything acknowledged is there, nothing happened twice, and what was only tried is there as a whole or not.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from graphvine.graph import Graph

Line = tuple[str, ...]


class Journal:
    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._path = path

    def tries(self, *words: object) -> None:
        self._write("try", words)

    def done(self, *words: object) -> None:
        self._write("ok", words)

    def read(self) -> tuple[list[Line], list[Line]]:
        """What was tried, and what was acknowledged. The last line may be cut."""
        lines = [tuple(line.split("\t")) for line in self._path.read_text().split("\n")[:-1]]
        return [line[1:] for line in lines if line[0] == "try"], [line[1:] for line in lines if line[0] == "ok"]

    def _write(self, kind: str, words: tuple[object, ...]) -> None:
        os.write(self._fd, ("\t".join([kind, *map(str, words)]) + "\n").encode())


def faults(graph: Graph, journal: Journal) -> list[str]:
    """What is in the store but should not be, or the other way round."""
    tried, acked = journal.read()
    found = _everything(graph)
    return [
        *_lost_rows(found, tried, acked),
        *_completions(found, tried, acked),
        *_failures(found, tried, acked),
        *_loads(found, tried, acked),
        *_states(graph, found),
    ]


def _everything(graph: Graph) -> dict[str, Any]:
    rows = graph.query(
        "MATCH (a:Article) RETURN a.title AS title, a.expansion_state AS state, a.failure_count AS failures, a.seq AS seq",
        max_rows=10**6,
    ).as_dicts()
    links = graph.query("MATCH (a:Article)-[:LINKS_TO]->(:Article) RETURN a.title, count(*)", max_rows=10**6).rows
    loads = graph.query("MATCH (f:Failure) WHERE f.kind = 'load' RETURN f.pipeline, count(*)").rows
    return {"rows": {row["title"]: row for row in rows}, "count": len(rows), "links": dict(links), "loads": dict(loads)}


def _lost_rows(found: dict[str, Any], tried: list[Line], acked: list[Line]) -> list[str]:
    """A seed is there as a whole: its titles are `<name> <number>`."""
    there = Counter(title.rpartition(" ")[0] for title in found["rows"] if title.startswith("seed "))
    safe = {line[1] for line in acked if line[0] == "seed"}
    wrong = []
    for _, name, size in (line for line in tried if line[0] == "seed"):
        allowed = {int(size)} if name in safe else {0, int(size)}
        if there[name] not in allowed:
            wrong.append(f"{name}: {there[name]} rows of {size}, {'acknowledged' if name in safe else 'tried'}")
    if len(found["rows"]) != found["count"]:
        wrong.append("a title stands there twice")
    return wrong


def _completions(found: dict[str, Any], tried: list[Line], acked: list[Line]) -> list[str]:
    """Each completion leaves one row that bears its token: two of them would be work done twice."""
    results: dict[str, list[str]] = defaultdict(list)
    for title in found["rows"]:
        if title.startswith("result of "):
            results[title.removeprefix("result of ").rpartition(" by ")[0]].append(title)
    safe = {(line[1], line[2]) for line in acked if line[0] == "complete"}
    links = {(line[1], line[2]): int(line[3]) for line in tried if line[0] == "complete"}
    wrong = [
        f"{title} by {token}: acknowledged, not there"
        for title, token in safe
        if f"result of {title} by {token}" not in found["rows"]
    ]
    for title, row in found["rows"].items():
        if title.startswith("seed "):
            done = row["state"] == "processed"
            if len(results[title]) != done:
                wrong.append(f"{title} is {row['state']} and has {len(results[title])} results")
            elif done and found["links"].get(title, 0) != links[title, results[title][0].rpartition(" by ")[2]]:
                wrong.append(f"{title} has {found['links'].get(title, 0)} links")
            elif not done and title in found["links"]:
                wrong.append(f"{title} is {row['state']} and has links")
    return wrong


def _failures(found: dict[str, Any], tried: list[Line], acked: list[Line]) -> list[str]:
    most = Counter(line[1] for line in tried if line[0] == "fail")
    least = Counter(line[1] for line in acked if line[0] == "fail")
    return [
        f"{title} failed {found['rows'][title]['failures']} times, not {least[title]} to {most[title]}"
        for title in most
        if not least[title] <= found["rows"][title]["failures"] <= most[title]
    ]


def _loads(found: dict[str, Any], tried: list[Line], acked: list[Line]) -> list[str]:
    safe = {line[1] for line in acked if line[0] == "load"}
    wrong = []
    for _, name, size in (line for line in tried if line[0] == "load"):
        there = found["loads"].get(name, 0)
        if there not in ({int(size)} if name in safe else {0, int(size)}):
            wrong.append(f"load {name}: {there} rows of {size}")
    return wrong


def _states(graph: Graph, found: dict[str, Any]) -> list[str]:
    known = {state.name for state in graph.library.machines["article"].states}
    wrong = [f"{title} is {row['state']}" for title, row in found["rows"].items() if row["state"] not in known]
    numbers = Counter(row["seq"] for row in found["rows"].values())
    return wrong + [f"{count} rows have the number {seq}" for seq, count in numbers.items() if count > 1]
