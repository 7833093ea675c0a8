"""What a checkpoint costs as the store grows, when only a thousand rows changed since the last one

Before a checkpoint the store's files are copied, since a kill inside it can break them. Where the file system shares
blocks between files the copy is a clone; elsewhere the copy of the last checkpoint is compared with the file, piece by
piece, and only what changed is written. Both are measured on the same stores, in turn: in the scratch folder, and on an
XFS image that is made for the run (as root, where mkfs.xfs is there) or in the folder that --cloning names. Bytes are
those that the process asked the system for.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from support.command import main, sizes
from support.findings import Findings
from support.progress import Bar
from support.store import fresh_store

if TYPE_CHECKING:
    from graphvine import Graph

SIZES, QUICK_SIZES = [100_000, 1_000_000, 4_000_000], [2_000, 4_000]
ROUNDS, QUICK_ROUNDS = 7, 2
ROWS = 1_000
MOST_READ = 0.05
_IMAGE_BYTES = 64 << 30  # sparse: it takes what is written


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=sizes, help="rows of the stores, such as 100k,1M,10M")
    parser.add_argument("--cloning", type=Path, metavar="FOLDER", help="a folder on XFS or Btrfs")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    counts = arguments.rows or (QUICK_SIZES if arguments.quick else SIZES)
    rounds = QUICK_ROUNDS if arguments.quick else ROUNDS
    with cloning_folder(arguments.cloning, folder) as cloning:
        places = {"compared": folder} | ({"cloned": cloning} if cloning is not None else {})
        if cloning is None:
            findings.notes.append("no file system that clones files: run it as root with mkfs.xfs, or name one")
        bar.expect(len(counts) * len(places) * rounds)
        table = [row for count in counts for row in one_size(count, rounds, places, bar)]
    findings.tables[f"a checkpoint after {ROWS:,} rows were claimed and completed (medians)"] = table
    of = {(row["copy"], row["rows"]): row for row in table}
    smallest, largest = min(counts), max(counts)
    for copy in places:
        few, many = of[copy, smallest], of[copy, largest]
        findings.notes.append(
            f"{copy}, {largest:,} rows against {smallest:,}: {float(many['ms of CPU']) / float(few['ms of CPU']):.2f}"
            f" times the CPU time, {float(many['MB read']) / float(few['MB read']):.2f} times the bytes read"
        )
    if cloning is not None:
        read = float(of["cloned", largest]["MB read"]) / float(of["compared", largest]["MB read"])
        findings.speed_goal(
            f"bytes read for a checkpoint at {largest:,} rows, cloned against compared",
            f"at most {100 * MOST_READ:.0f} %", f"{100 * read:.1f} %", read <= MOST_READ,
        )  # fmt: skip
    done = sum(int(row["rows completed"]) for row in table)
    expected = len(table) * rounds * ROWS
    findings.correctness_goal("rows completed", f"{expected:,}", f"{done:,}", done == expected)


def one_size(count: int, rounds: int, places: dict[str, Path], bar: Bar) -> Iterator[dict[str, str | int | float]]:
    import graphvine

    bar.say(f"{count:,} rows")
    opened = {}
    for copy, place in places.items():
        where = fresh_store("kuzu", count + (rounds + 1) * ROWS, place / "store")
        opened[copy] = graphvine.open(where)
    try:
        found: dict[str, list[tuple[float, ...]]] = {copy: [] for copy in places}
        for graph in opened.values():  # the first copies everything
            change(graph)
            graph.engine.checkpoint()
        for _ in range(rounds):
            for copy, graph in opened.items():
                change(graph)
                found[copy].append(checkpoint(graph))
                bar.step()
        for copy, graph in opened.items():
            ms, cpu, read, written = (statistics.median(column) for column in zip(*found[copy], strict=True))
            size = Path(graph.engine.where).stat().st_size
            [article] = [status for status in graph.status() if status.pipeline == "article"]
            yield {
                "rows": count, "copy": copy, "file (MB)": round(size / 1e6),
                "ms": round(ms, 1), "ms of CPU": round(cpu, 1),
                "MB read": round(read / 1e6, 1), "MB written": round(written / 1e6, 1),
                "rows completed": article.states["processed"] - ROWS,
            }  # fmt: skip
    finally:
        for graph in opened.values():
            graph.close()
        for place in places.values():
            shutil.rmtree(place / "store", ignore_errors=True)


def change(graph: Graph) -> None:
    claims = graph.claims("article")
    claims.complete(claims.claim(ROWS))


def checkpoint(graph: Graph) -> tuple[float, ...]:
    """Milliseconds, those of the processor, bytes read, bytes written."""
    before = spent()
    assert graph.engine.checkpoint()
    return tuple(after - earlier for earlier, after in zip(before, spent(), strict=True))


def spent() -> tuple[float, ...]:
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return 1000 * time.perf_counter(), 1000 * time.process_time(), int(fields["rchar"]), int(fields["wchar"])


@contextmanager
def cloning_folder(named: Path | None, scratch: Path) -> Iterator[Path | None]:
    """A folder whose file system shares blocks between files; None where there is none."""
    if named is not None:
        own = named / "graphvine-checkpoint"
        own.mkdir()
        try:
            yield own
        finally:
            shutil.rmtree(own, ignore_errors=True)
        return
    image, mounted = scratch / "xfs.img", scratch / "xfs"
    mounted.mkdir()
    with image.open("wb") as file:
        file.truncate(_IMAGE_BYTES)
    commands = (["mkfs.xfs", "-q", "-m", "reflink=1", str(image)], ["mount", "-o", "loop", str(image), str(mounted)])
    try:
        for command in commands:
            subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        yield None
        return
    try:
        yield mounted
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
