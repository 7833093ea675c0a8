"""Run the benchmarks: every benchmarks/<question>.py, one process each, stopping at none that fails.

Usage: python -m tests.tools.run_benchmarks [NAME ...] [-- OPTION ...]
"""

from __future__ import annotations

import subprocess
import sys

from tests.tools.package_tree import REPOSITORY


def names() -> list[str]:
    """The benchmarks by name. What they share stands in folders below."""
    return sorted(file.stem for file in (REPOSITORY / "benchmarks").glob("[a-z]*.py"))


def main(arguments: list[str]) -> int:
    split = arguments.index("--") if "--" in arguments else len(arguments)
    wanted, options = arguments[:split], arguments[split + 1 :]
    known = names()
    if unknown := sorted(set(wanted) - set(known)):
        print(f"No benchmark is called {', '.join(unknown)}; there are: {', '.join(known) or 'none'}.")
        return 2
    failed = []
    for name in wanted or known:
        print(f"\n== {name} ==", flush=True)
        command = (sys.executable, f"benchmarks/{name}.py", *options)
        if subprocess.run(command, cwd=REPOSITORY).returncode:
            failed.append(name)
    print(f"\n{len(wanted or known) - len(failed)} ran, {len(failed)} failed {' '.join(failed)}".rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
