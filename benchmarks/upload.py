"""Uploads: from a file to completed items in a collection, against taking in the same items without an upload.

An upload reads its file three times (for its hash, to validate it, to process it), keeps its place and its counters in
the same transactions as the items, and puts every item into a collection. The other way is `graphvine hn add`, which
does none of that. Both end with threads and search, start from an empty store, and take turns in processes of their
own, the one that begins changing; the ratio is the median of all pairs of turns. The goal is the speed of `hn add`,
although an edge for each item is a fifteenth of the time by itself: an upload writes 25,000 items in a transaction
where `hn add` writes 10,000, which is fewer passes over a large table.

Memory is the most that was ever resident, by the kernel's record, less the size of the engine's buffer pool. What lies
beyond what the pool held at a moment is shown too, read five times a second: an open store that does nothing has
220 MiB of it, 130 of them Kuzu's, which takes 5 MiB for the index of each table.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from graphvine.settings import Settings
from support.cache import cached
from support.child import end, finish, reports, start
from support.command import main, sizes
from support.findings import Findings
from support.hn_items import write
from support.progress import Bar

QUICK = 2_000
SAME_SPEED, MOST_BEYOND = 1.0, 300


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=sizes, default=[1_000_000], help="items of the file, such as 1M")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each way")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    large = QUICK if arguments.quick else arguments.rows[-1]
    rounds = 1 if arguments.quick else arguments.rounds
    bar.expect(2 * rounds + 2)
    file = made(large, bar)
    turns: dict[str, list[dict[str, Any]]] = {"upload": [], "hn add": []}
    for turn in range(rounds):
        for way in ("hn add", "upload") if turn % 2 == 0 else ("upload", "hn add"):
            turns[way].append(taken(way, file, folder / f"{turn}-{way}", bar))
    readings = read_alone(file, folder, bar)
    seconds = {way: [found["seconds"] for found in ended] for way, ended in turns.items()}
    ratios = [one / other for one, other in zip(seconds["hn add"], seconds["upload"], strict=True)]
    ratio = statistics.median(ratios)
    uploads = turns["upload"]
    findings.tables["from file to completed, medians"] = [
        {"items": large, "way": way, "items/s": large / statistics.median(took), "seconds": statistics.median(took)}
        for way, took in seconds.items()
    ]
    findings.tables[f"speed of an upload against hn add, {rounds} pairs of turns"] = [
        {"median": round(ratio, 2), "lowest": round(min(ratios), 2), "highest": round(max(ratios), 2)}
    ]
    findings.tables[f"reading alone, {large:,} items"] = readings
    pool = Settings().buffer_pool_mb
    highest = max(found["highest"] for found in uploads) / 2**20
    beyond = highest - pool
    at_a_moment = max(found["beyond"] for found in uploads) / 2**20
    findings.tables["memory of the upload"] = [
        {
            "items": large,
            "highest (MiB)": round(highest),
            "size of the pool (MiB)": pool,
            "most beyond what the pool held at a moment (MiB)": round(at_a_moment),
        }
    ]
    findings.speed_goal(
        f"speed against hn add, {large:,} items", f"at least {SAME_SPEED}", f"{ratio:.2f}", ratio >= SAME_SPEED
    )
    findings.speed_goal(
        "memory beyond the buffer pool", f"under {MOST_BEYOND} MiB", f"{beyond:.0f} MiB", beyond < MOST_BEYOND
    )
    for what in ("completed", "collected"):
        fewest = min(found[what] for found in uploads)
        findings.correctness_goal(f"items {what}", f"{large:,}", f"{fewest:,}", fewest == large)
    states = ", ".join(sorted({found["state"] for found in uploads}))
    findings.correctness_goal("end of the uploads", "completed", states, states == "completed")


def made(count: int, bar: Bar) -> Path:
    bar.say(f"making {count:,} items")
    found = cached(f"hn-{count}-1", lambda place: write(place / "items.jsonl", count)) / "items.jsonl"
    bar.step()
    return found


def taken(way: str, file: Path, folder: Path, bar: Bar) -> dict[str, Any]:
    bar.say(f"{way}: {file.parent.name}")
    folder.mkdir()
    child = start("taking_in.py", way, folder / "graph.kuzu", file)
    try:
        (report,) = reports(child)
        finish(child)
    finally:
        end(child)
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()
    bar.step()
    return report


def read_alone(file: Path, folder: Path, bar: Bar) -> list[dict[str, Any]]:
    """Items in a second from the disk to parsed values, as lines and as one array."""
    from graphvine.workers.uploads.reader import Items
    from graphvine.workers.uploads.settings import UploadSettings

    bar.say("reading alone")
    array = folder / "array.json"
    with file.open("rb") as lines, array.open("wb") as written:
        mark = b"["
        for line in lines:
            written.write(mark + line.rstrip())
            mark = b",\n"
        written.write(b"]\n")
    rows = []
    for name, path in (("JSON Lines", file), ("array", array)):
        began = time.perf_counter()
        with Items(path, UploadSettings()) as found:
            count = sum(len(part.items) for part in found.parts())
        rows.append({"form": name, "items/s": count / (time.perf_counter() - began)})
    array.unlink()
    bar.step()
    return rows


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
