"""One Kuzu store, many processes: the daemon, four workers and a console grow the sample wiki together."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import graphvine
from tests.acceptance.cli_support import process
from tests.support.articles import states
from tests.support.daemons import COMMAND, QUICK_DAEMON, DaemonProcess, environment
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually

pytestmark = pytest.mark.long("six processes share a store")

WORKERS = 4
TOTAL = 81  # articles that the sample wiki has within reach of Vine


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [COMMAND, *arguments, "--graph", "graph.db"], cwd=folder, env=environment(), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def done_by(text: str) -> int:
    """What a worker says at its end: article: 12 claimed, 11 done, 1 skipped."""
    return sum(int(number.replace(",", "")) for number in re.findall(r"([\d,]+) (?:done|failed|skipped)", text))


def test_four_workers_and_a_console_share_a_store_with_its_daemon(place: Place) -> None:
    folder = place.folder
    (folder / "graphvine.toml").write_text(
        QUICK_DAEMON.replace("batch_size = 5", "batch_size = 2\nread_ahead_rows = 0")
    )
    with DaemonProcess(folder) as daemon:
        daemon.ready()
        workers = [start(folder, "work", "article", "--batch", "2") for _ in range(WORKERS)]
        console = start(folder, "console", "--csv")
        assert console.stdin is not None and console.stdout is not None
        try:
            eventually(lambda: _all_there(daemon, WORKERS + 1))
            process("seed", "article", "Vine", "--graph", "graph.db", cwd=folder)
            seen: list[int] = []
            with graphvine.open(daemon.where) as graph:

                def grown() -> None:
                    found = states(graph)
                    console.stdin.write("MATCH (a:Article) RETURN count(*) AS n;\n")  # type: ignore[union-attr]
                    console.stdin.flush()  # type: ignore[union-attr]
                    assert console.stdout.readline() == "n\n"  # type: ignore[union-attr]
                    seen.append(int(console.stdout.readline()))  # type: ignore[union-attr]
                    assert set(found.values()) <= {"processed", "skipped"}
                    assert seen[-1] == len(found) == TOTAL

                eventually(grown)
            assert seen == sorted(seen)
            console.communicate(timeout=WAIT_LIMIT)
            for worker in workers:
                worker.terminate()
            said = [worker.communicate(timeout=WAIT_LIMIT) for worker in workers]
            assert [worker.returncode for worker in workers] == [0] * WORKERS, said
        finally:
            for one in (*workers, console):
                one.kill()
                one.wait()
        daemon.end()
        own = sum(
            line["counts"]["done"] + line["counts"]["skipped"] for line in daemon.lines() if line["message"] == "batch"
        )
    counts = [done_by(out) for out, _ in said]
    assert sum(counts) + own == TOTAL, f"each was worked on once: {counts} and {own}"
    assert sum(count > 0 for count in counts) >= 2, f"the work was shared: {counts}, {own}"


def _all_there(daemon: DaemonProcess, lines: int) -> None:
    """Every process has its line to the daemon."""
    import psutil

    others = [one for one in psutil.Process(daemon.process.pid).net_connections("tcp") if one.status == "ESTABLISHED"]
    assert len(others) >= lines
