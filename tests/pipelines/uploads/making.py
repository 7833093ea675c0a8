"""Files of items for tests, and how a graph with uploads is looked at."""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphvine.graph import Graph
from graphvine.workers.uploads.settings import UploadSettings

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Item = dict[str, Any]
_START = 1_300_000_000
_ALL = 10_000_000


def small(**given: Any) -> UploadSettings:
    """Settings under which a short file has many batches and chunks."""
    return UploadSettings(**({"items_at_once": 5, "chunk_bytes": 256, "bytes_at_once": 2_000} | given))


def items(count: int, first: int = 1, seed: int = 1) -> list[Item]:
    """Good ones: a story, and comments below those before them."""
    chance = random.Random(seed)
    made: list[Item] = []
    for id in range(first, first + count):
        item: Item = {"id": id, "by": f"user{chance.randrange(9)}", "time": _START + id}
        if id == first or chance.random() < 0.2:
            item |= {"type": "story", "title": f"Title {id}, with a comma", "score": chance.randrange(99)}
        else:
            item |= {"type": "comment", "parent": chance.randrange(first, id), "text": f'"quoted" [{id}] {{x}}, \\ é'}
        made.append(item)
    return made


def as_array(values: Sequence[Any], indent: int | None = None) -> bytes:
    return json.dumps(values, indent=indent).encode()


def as_lines(values: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def packed(data: bytes, way: str) -> bytes:
    if way == "gzip":
        return gzip.compress(data, mtime=0)
    return zstd.compress(data) if way == "zstd" else data


def write(folder: Path, data: bytes, name: str = "items") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def completed(graph: Graph, first: int = 0, last: int = 1 << 50) -> set[int]:
    text = "MATCH (a:HNItem) WHERE a.state = 'completed' AND a.hnId >= $first AND a.hnId <= $last RETURN a.hnId"
    return {row[0] for row in graph.query(text, {"first": first, "last": last}, max_rows=_ALL).rows}


def collected(graph: Graph, collection_id: str | None) -> list[int]:
    text = "MATCH (c:Collection {collection_id: $id})-[k:CONTAINS]->(a:HNItem) WHERE k.gone = 0 RETURN a.hnId"
    return sorted(row[0] for row in graph.query(text, {"id": collection_id}, max_rows=_ALL).rows)


def counted(graph: Graph, label: str) -> int:
    return int(graph.query(f"MATCH (n:{label}) RETURN count(*)").rows[0][0])


def ailments(graph: Graph) -> list[str]:
    return [finding.detail for finding in graph.doctor() if not finding.ok]
