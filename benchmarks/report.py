"""Run every benchmark, or some, and write what they found to docs/benchmarks.md.

The findings of each one's last run are kept in results/: a benchmark that is run alone renews its own section.
"""

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
RESULTS = HERE / "results"


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
    parser.add_argument("names", nargs="*", help="some benchmarks only")
    parser.add_argument("--quick", action="store_true", help="tiny sizes; the page is then printed, not written")
    arguments = parser.parse_args()
    known = {script.stem: script for script in benchmarks()}
    unknown = sorted(set(arguments.names) - set(known))
    if unknown:
        parser.error(f"no benchmark called {', '.join(unknown)}; there are {', '.join(known)}")
    console = Console(stderr=True)
    found: dict[str, dict[str, Any]] = {}
    for name in arguments.names or known:
        console.print(f"{name} ...")
        found[name] = run(known[name], arguments.quick)
        for goal in found[name]["goals"]:
            console.print(f"  {goal['what']}: {goal['measured']} {goal['verdict']}", highlight=False, soft_wrap=True)
        if not arguments.quick:
            keep(name, found[name])
    if arguments.quick:
        print(render([(explanation(known[name]), findings) for name, findings in found.items()]), end="")
    else:
        PAGE.write_text(render([(explanation(known[name]), findings) for name, findings in kept(known)]))
        console.print(f"written to {PAGE}")
    return int(any(goal["verdict"] == "falls short" for findings in found.values() for goal in findings["goals"]))


def keep(name: str, findings: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(findings, indent=1) + "\n")


def kept(known: dict[str, Path]) -> list[tuple[str, dict[str, Any]]]:
    """The last findings of every benchmark that was ever run in full."""
    files = {name: RESULTS / f"{name}.json" for name in known}
    return [(name, json.loads(file.read_text())) for name, file in files.items() if file.exists()]


if __name__ == "__main__":
    sys.exit(main())
