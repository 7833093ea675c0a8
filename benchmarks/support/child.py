"""Processes that a benchmark starts, and the lines of JSON by which they report."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHILDREN = Path(__file__).resolve().parents[1] / "children"


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a script of children/, with its reports on a pipe."""
    command = [sys.executable, str(CHILDREN / script), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def reports(child: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """The child's reports as they come; half a line, which a kill may leave, is left out."""
    assert child.stdout is not None
    for line in child.stdout:
        if line.endswith("\n"):
            yield json.loads(line)


def finish(child: subprocess.Popen[str]) -> None:
    """Wait for a child that ends by itself, and fail where it failed."""
    if child.wait() != 0:
        raise RuntimeError(f"{child.args!r} ended with status {child.returncode}")


def end(child: subprocess.Popen[str]) -> None:
    """Make sure that a child is gone."""
    child.kill()
    child.wait()
    assert child.stdout is not None
    child.stdout.close()


def say(**report: Any) -> None:
    """In the child: report."""
    print(json.dumps(report), flush=True)
