"""The table of lanes: each needs parts of its own, and runs in processes of its own.

A lane exists where its tests do: a folder that is not there yet is not listed. run_lanes.py runs them.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.tools import parts
from tests.tools.package_tree import REPOSITORY
from tests.tools.parts import Part


@dataclass(frozen=True)
class Run:
    """One pytest process: folders of tests, options, and the source file that there must be to test."""

    folders: tuple[str, ...]
    options: tuple[str, ...] = ()
    of: str = ""
    unless_full: tuple[str, ...] = ()  # options of the short counts alone

    def exists(self) -> bool:
        return (REPOSITORY / self.of).exists() and bool(self.present())

    def present(self) -> tuple[str, ...]:
        return tuple(folder for folder in self.folders if any((REPOSITORY / folder).rglob("test_*.py")))


@dataclass(frozen=True)
class Lane:
    name: str
    runs: tuple[Run, ...]
    needs: tuple[Part, ...] = ()
    python: Path = Path(sys.executable)
    # A limit, not an expectation: a whole run is to take under half an hour on two cores.
    minutes: float = 12

    def exists(self) -> bool:
        return any(run.exists() for run in self.runs)

    def missing(self) -> list[Part]:
        return [part for part in self.needs if not part.here()]


OWN_FOLDERS = tuple(f"tests/{lane}" for lane in ("neo4j", "sentence_transformers", "mediawiki", "browser"))
# What measures how time is used runs with nothing beside it.
UNDISTURBED = "tests/undisturbed"
SUITES = ("tests/conformance", "tests/crash")
# Three processes share the files of tests on two cores: a third of the time one waits for a disk, a server or a kill.
SIDE_BY_SIDE = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
TWO_SERVERS = ("-n", "2", *SIDE_BY_SIDE[2:])

LANES = (
    Lane(
        "core",
        (
            Run(("tests",), (*SIDE_BY_SIDE, *(f"--ignore={folder}" for folder in (*OWN_FOLDERS, UNDISTURBED)))),
            Run((UNDISTURBED,)),
            Run(("tests/conformance",), (*SIDE_BY_SIDE, "--engine", "http"), of="graph/engines/http.py"),
        ),
        minutes=40,
    ),
    # kuzu and ladybug can't share a process.
    Lane(
        "ladybug",
        (
            Run(
                SUITES,
                (*SIDE_BY_SIDE, "--engine", "ladybug"),
                # The steps between which these kill are the adapter's own, and the core lane has them.
                unless_full=("--ignore=tests/crash/test_between_steps.py", "--ignore=tests/crash/test_grow_kills.py"),
            ),
        ),
        (parts.LADYBUG,),
        minutes=15,
    ),
    Lane(
        "neo4j",
        (
            Run(
                ("tests/conformance", "tests/machines", "tests/neo4j"),
                # Each process starts a server of its own; one that a user has named is not shared.
                (*(() if os.environ.get("GRAPHVINE_TEST_NEO4J") else TWO_SERVERS), "--engine", "neo4j"),
                of="graph/engines/neo4j.py",
            ),
        ),
        (parts.JAVA, parts.MAVEN, parts.NEO4J),
        minutes=15,
    ),
    Lane(
        "sentence-transformers",
        (Run(("tests/sentence_transformers",)),),
        (parts.TORCH,),
        python=parts.TORCH_PYTHON,
    ),
    Lane("mediawiki", (Run(("tests/mediawiki",)),), (parts.MEDIAWIKI,)),
    Lane("browser", (Run(("tests/browser",)),), (parts.CHROMIUM, parts.PLAYWRIGHT)),
)
