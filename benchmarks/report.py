"""Run every benchmark and write what they found to docs/benchmarks.md."""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from support.markdown import render

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"


def benchmarks() -> list[Path]:
    """Each script beside this one is a benchmark; what they share lies in folders."""
    return sorted(file for file in HERE.glob("*.py") if file.name != Path(__file__).name)


def explanation(script: Path) -> str:
    """The docstring: what is measured, in the script's own words."""
    text = ast.get_docstring(ast.parse(script.read_text()))
    if not text:
        raise ValueError(f"{script.name} has no docstring to explain it")
    return text


def run(script: Path, quick: bool) -> dict[str, Any]:
    """The findings of one benchmark; its progress bar goes to stderr."""
    command = [sys.executable, str(script), "--json", *(["--quick"] if quick else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        raise RuntimeError(f"{script.name} ended with status {done.returncode} and no figures")
    return dict(json.loads(done.stdout))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="some benchmarks only; the page is then printed, not written")
    parser.add_argument("--quick", action="store_true", help="tiny sizes; the page is then printed, not written")
    arguments = parser.parse_args()
    known = {script.stem: script for script in benchmarks()}
    unknown = sorted(set(arguments.names) - set(known))
    if unknown:
        parser.error(f"no benchmark called {', '.join(unknown)}; there are {', '.join(known)}")
    console = Console(stderr=True)
    found: list[tuple[str, dict[str, Any]]] = []
    for name in arguments.names or known:
        console.print(f"{name} ...")
        findings = run(known[name], arguments.quick)
        found.append((explanation(known[name]), findings))
        for goal in findings["goals"]:
            console.print(f"  {goal['what']}: {goal['measured']} {goal['verdict']}", highlight=False, soft_wrap=True)
    page = render(found)
    if arguments.quick or arguments.names:
        print(page, end="")
    else:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page)
        console.print(f"written to {PAGE}")
    return int(any(goal["verdict"] == "falls short" for _, findings in found for goal in findings["goals"]))


if __name__ == "__main__":
    sys.exit(main())
