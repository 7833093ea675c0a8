"""Uploads: from a file to completed items in a collection, against taking in the same items without an upload.

An upload reads its file three times (for its hash, to validate it, to process it), keeps its place and its counters in
the same transactions as the items, and puts every item into a collection. The other way is `graphvine hn add`, which
does none of that. Both end with threads and search, start from an empty store, and take turns in processes of their
own. The goal is the speed of `hn add`, although an edge for each item is a fifteenth of the time by itself.

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
    parser.add_argument("--rows", type=sizes, default=[1_000_000], help="items of the large file, such as 1M")
    parser.add_argument("--short", type=sizes, default=[100_000], help="items of the file that takes turns")
    parser.add_argument("--rounds", type=int, default=3, help="turns of the short file")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    large, short = (QUICK, QUICK) if arguments.quick else (arguments.rows[-1], arguments.short[-1])
    rounds = 1 if arguments.quick else arguments.rounds
    bar.expect(2 * rounds + 4)
    small_file, file = made(short, bar), made(large, bar)
    ratios: list[float] = []
    for turn in range(rounds):
        ways = ("hn add", "upload") if turn % 2 == 0 else ("upload", "hn add")
        seconds = {way: taken(way, small_file, folder / f"{turn}-{way}", bar)["seconds"] for way in ways}
        ratios.append(seconds["hn add"] / seconds["upload"])
    by_hand = taken("hn add", file, folder / "hn", bar, watched=True)
    uploaded = taken("upload", file, folder / "upload", bar, watched=True)
    readings = read_alone(file, folder, bar)
    ratio = by_hand["seconds"] / uploaded["seconds"]
    findings.tables["from file to completed"] = [
        {"items": large, "way": way, "items/s": large / found["seconds"], "seconds": round(found["seconds"], 1)}
        for way, found in (("upload", uploaded), ("hn add", by_hand))
    ]
    findings.tables[f"speed of an upload against hn add, {short:,} items, {rounds} turns"] = [
        {
            "median": round(statistics.median(ratios), 2),
            "lowest": round(min(ratios), 2),
            "highest": round(max(ratios), 2),
        }
    ]
    findings.tables[f"reading alone, {large:,} items"] = readings
    pool = Settings().buffer_pool_mb
    highest = uploaded["highest"] / 2**20
    beyond = highest - pool
    findings.tables["memory of the upload"] = [
        {
            "items": large,
            "highest (MiB)": round(highest),
            "size of the pool (MiB)": pool,
            "most beyond what the pool held at a moment (MiB)": round(uploaded["beyond"] / 2**20),
        }
    ]
    findings.speed_goal(
        f"speed against hn add, {large:,} items", f"at least {SAME_SPEED}", f"{ratio:.2f}", ratio >= SAME_SPEED
    )
    findings.speed_goal(
        "memory beyond the buffer pool", f"under {MOST_BEYOND} MiB", f"{beyond:.0f} MiB", beyond < MOST_BEYOND
    )
    for what in ("completed", "collected"):
        findings.correctness_goal(f"items {what}", f"{large:,}", f"{uploaded[what]:,}", uploaded[what] == large)
    findings.correctness_goal("end of the upload", "completed", uploaded["state"], uploaded["state"] == "completed")


def made(count: int, bar: Bar) -> Path:
    bar.say(f"making {count:,} items")
    found = cached(f"hn-{count}-1", lambda place: write(place / "items.jsonl", count)) / "items.jsonl"
    bar.step()
    return found


def taken(way: str, file: Path, folder: Path, bar: Bar, *, watched: bool = False) -> dict[str, Any]:
    bar.say(f"{way}: {file.parent.name}")
    folder.mkdir()
    child = start("taking_in.py", way, folder / "graph.kuzu", file, "watched" if watched else "alone")
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
    from graphvine.workers.uploads.reading import Items
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
