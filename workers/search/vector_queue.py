"""Puts items, news and pages into the queue for vectors: when they come, and when their text changes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from graphvine.graph import Graph
from graphvine.records import Row, Step
from graphvine.workers.search.row_jobs import RowJobs, text_of
from graphvine.workers.search.settings import load


def fill_queue(graph: Graph, kinds: Sequence[str] | None = None, jobs: RowJobs | None = None) -> None:
    """Let what came since wait for a vector: rows of these kinds, or of those that the setting search.vectors names."""
    jobs = jobs or RowJobs(graph)
    for kind in load().vector_kinds if kinds is None else kinds:
        job, newest = jobs.job(f"vectors:{kind}"), jobs.newest(kind)
        while job.rows < newest and not jobs.stop.is_set():
            rows, reached = jobs.rows(kind, job.rows, newest)
            job = jobs.write(replace(job, rows=reached), _steps(graph, kind, rows), len(rows))


def text_hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _steps(graph: Graph, kind: str, rows: Sequence[Row]) -> list[Step]:
    hashes = {f"{kind}:{row['id']}": text_hash(text) for row in rows if (text := text_of(row)).strip()}
    known = {row["id"]: row for row in graph.read("edges.vectors_known", keys=list(hashes))} if hashes else {}
    waiting = [
        {"id": id, "kind": kind, "row": id.partition(":")[2], "hash": hashed, "seq": 0}
        for id, hashed in hashes.items()
        if id not in known or (known[id]["hash"] != hashed and known[id]["state"] != "excluded")
    ]
    now = graph.clock.now_ms()
    return [Step("edges.wait_for_vectors", {"rows": waiting, "now": now})] if waiting else []
