"""The table of lanes: each needs parts of its own, and runs in processes of its own.

run_lanes.py runs them.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.tools import parts
from tests.tools.parts import Part


@dataclass(frozen=True)
class Run:
    """One pytest process: folders of tests, and options."""

    folders: tuple[str, ...]
    options: tuple[str, ...] = ()
    long: str = ""  # what it is, where all of it belongs to the long tests


@dataclass(frozen=True)
class Lane:
    name: str
    runs: tuple[Run, ...]
    needs: tuple[Part, ...] = ()
    python: Path = Path(sys.executable)
    everyday: bool = False  # it runs when no lane is named

    def missing(self) -> list[Part]:
        return [part for part in self.needs if not part.here()]


OWN_FOLDERS = tuple(f"tests/lanes/{lane}" for lane in ("neo4j", "sentence_transformers", "mediawiki", "browser", "mcp"))
SUITES = ("tests/conformance", "tests/crash")
# Three processes share the files of tests on two cores: a third of the time one waits for a disk, a server or a kill.
SIDE_BY_SIDE = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
TWO_SERVERS = ("-n", "2", *SIDE_BY_SIDE[2:])

LANES = (
    Lane(
        "core",
        (
            Run(("tests",), (*SIDE_BY_SIDE, *(f"--ignore={folder}" for folder in OWN_FOLDERS))),
            Run(
                ("tests/conformance",),
                (*SIDE_BY_SIDE, "--engine", "http"),
                long="the contract once more over HTTP",
            ),
        ),
        everyday=True,
    ),
    # kuzu and ladybug can't share a process.
    Lane(
        "ladybug",
        (Run(SUITES, (*SIDE_BY_SIDE, "--engine", "ladybug")),),
        (parts.LADYBUG,),
    ),
    Lane(
        "neo4j",
        (
            Run(
                ("tests/conformance", "tests/machines", "tests/lanes/neo4j", "tests/pipelines/toy"),
                # Each process starts a server of its own; one that a user has named is not shared.
                (*(() if os.environ.get("GRAPHVINE_TEST_NEO4J") else TWO_SERVERS), "--engine", "neo4j"),
            ),
        ),
        (parts.JAVA, parts.MAVEN, parts.NEO4J),
    ),
    Lane(
        "sentence-transformers",
        (Run(("tests/lanes/sentence_transformers",)),),
        (parts.TORCH,),
        python=parts.TORCH_PYTHON,
    ),
    Lane("mediawiki", (Run(("tests/lanes/mediawiki",)),), (parts.MEDIAWIKI,)),
    Lane("browser", (Run(("tests/lanes/browser",)),), (parts.NODE, parts.DASHBOARD, parts.CHROMIUM, parts.PLAYWRIGHT)),
    Lane("mcp", (Run(("tests/lanes/mcp",)),), (parts.NODE, parts.MCP_SUITE, parts.CLIENT_MAKER)),
)
