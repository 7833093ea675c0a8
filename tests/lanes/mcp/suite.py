"""Runs the protocol's conformance suite, which needs Node.js 22, against an address."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.waiting import WAIT_LIMIT
from tests.tools.parts import MCP_SUITE_FOLDER

# Checks of other kinds (INFO, WARNING) decide nothing.
PASSED, FAILED = "SUCCESS", "FAILURE"


@dataclass
class Verdicts:
    """What the suite found, by scenario."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, list[str]] = field(default_factory=dict)
    nothing_checked: set[str] = field(default_factory=set)


def scenarios() -> set[str]:
    """The names of every scenario that the suite has for servers."""
    listed = _suite("list", "--server").stdout.splitlines()
    return {line.split()[1] for line in listed if line.strip().startswith("- ")}


def run_suite(address: str, results: Path) -> Verdicts:
    """Every scenario for servers, those the suite calls pending too."""
    done = _suite("server", "--url", address, "--suite", "all", "--output-dir", str(results))
    verdicts = Verdicts()
    found = {path.parent.name: json.loads(path.read_text()) for path in results.glob("**/checks.json")}
    assert found, f"the suite wrote no results:\n{done.stdout}\n{done.stderr}"
    for folder, checks in found.items():
        scenario = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", folder)
        counts = Counter(check["status"] for check in checks)
        if counts[FAILED]:
            told = [f"{one['id']}: {one.get('errorMessage')}" for one in checks if one["status"] == FAILED]
            verdicts.failed[scenario] = told
        elif counts[PASSED]:
            verdicts.passed.add(scenario)
        else:
            verdicts.nothing_checked.add(scenario)
    return verdicts


def _suite(*arguments: str) -> subprocess.CompletedProcess[str]:
    modules = MCP_SUITE_FOLDER / "node_modules"
    script = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = [str(modules / ".bin" / "node"), str(script), *arguments]
    return subprocess.run(command, text=True, capture_output=True, timeout=4 * WAIT_LIMIT)
