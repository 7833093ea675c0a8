"""How soon Graphvine is there: an import, the quickest commands, and the daemon until it answers.

Each is a process of its own, started from nothing, several times over in turn; figures are medians in seconds from the
start of the process. What a command adds is told against Python's own start, and against Python with the engine alone
opening a copy of the same file. The graph is grown from the sample wiki; the search embeds its question. The daemon
listens first and opens its graph then: `/healthz` says that it lives, `/readyz` that it serves.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import graphvine
from support.command import main
from support.daemon import COMMAND, answers, daemon
from support.findings import Findings
from support.progress import Bar

TURNS, QUICK_TURNS = 9, 1
IMPORT_SECONDS, HELP_SECONDS, STATUS_SECONDS, SEARCH_SECONDS, HEALTHY_SECONDS = 0.15, 0.15, 0.3, 0.6, 2.0
GRAPH = "graph.kuzu"
PYTHON, OPENING = "python -c pass", "the engine opening the file"
BARE_OPEN = f"import kuzu; kuzu.Database('bare/{GRAPH}', buffer_pool_size=1 << 30, auto_checkpoint=False)"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--turns", type=int, help=f"how often each is started (default {TURNS})")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    turns = arguments.turns or (QUICK_TURNS if arguments.quick else TURNS)
    commands = {
        PYTHON: [sys.executable, "-c", "pass"],
        OPENING: [sys.executable, "-c", BARE_OPEN],
        "import graphvine": [sys.executable, "-c", "import graphvine"],
        "graphvine --help": [COMMAND, "--help"],
        "graphvine status": [COMMAND, "status", "--graph", GRAPH],
        "graphvine search": [COMMAND, "search", "which plants climb", "--graph", GRAPH],
    }
    bar.say("growing the sample")
    with graphvine.open(folder / GRAPH) as graph:
        graph.grow(["Vine"], depth=1, source="sample")
    # A copy: what is written by another program than Graphvine is looked through when it opens the file next.
    (folder / "bare").mkdir()
    for file in folder.glob(f"{GRAPH}*"):
        if file.is_file():
            shutil.copy2(file, folder / "bare")
    seconds: dict[str, list[float]] = {name: [] for name in (*commands, "/healthz", "/readyz")}
    models = []
    bar.expect(turns)
    for turn in range(1, turns + 1):
        bar.say(f"turn {turn}")
        for name, command in commands.items():
            began = time.monotonic()
            subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
            seconds[name].append(time.monotonic() - began)
        began = time.monotonic()
        with daemon(folder, GRAPH) as (process, port):
            seconds["/healthz"].append(answers(port, "/healthz") - began)
            seconds["/readyz"].append(answers(port, "/readyz") - began)
            models.append("onnxruntime" in Path(f"/proc/{process.pid}/maps").read_text())
        (folder / "graphvine.toml").unlink()  # the daemon's settings, which are not those of the commands
        bar.step()
    findings.tables["seconds from the start of the process"] = [
        {"what": name, "median": round(statistics.median(found), 3), "slowest": round(max(found), 3)}
        for name, found in seconds.items()
    ]
    for what, beyond, most in (
        ("import graphvine", PYTHON, IMPORT_SECONDS), ("graphvine --help", PYTHON, HELP_SECONDS),
        ("graphvine status", OPENING, STATUS_SECONDS), ("graphvine search", OPENING, SEARCH_SECONDS),
    ):  # fmt: skip
        added = statistics.median(seconds[what]) - statistics.median(seconds[beyond])
        findings.speed_goal(
            f"seconds that {what!r} adds to {beyond}", f"at most {most}", f"{added:.3f}", added <= most
        )  # fmt: skip
    healthy = statistics.median(seconds["/healthz"])
    findings.speed_goal(
        "seconds until the daemon answers", f"at most {HEALTHY_SECONDS:.0f}", f"{healthy:.2f}",
        healthy <= HEALTHY_SECONDS,
    )  # fmt: skip
    findings.correctness_goal(
        "starts of the daemon that loaded a model with nothing to embed", "none", str(sum(models)), not any(models)
    )


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
