"""mypy --strict and import-linter over the package, with the files' own paths in what they report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.tools.package_tree import REPOSITORY, make_tree, source_names
from tests.tools.processes import nothing_left_behind


def check(*command: str, **variables: str) -> int:
    """Run one checker in the repository, print what it says and return its exit status."""
    environment = {**os.environ, "MYPY_FORCE_COLOR": "0", **variables}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    print(source_names(done.stdout).rstrip(), flush=True)
    return done.returncode


def main() -> int:
    tree = str(make_tree())
    types = check(sys.executable, "-m", "mypy", "-p", "graphvine", MYPYPATH=tree)
    # The tree stands first, or the installed finder would show import-linter the folder graph/ alone.
    search = os.pathsep.join((tree, str(REPOSITORY)))
    lint_imports = str(Path(sys.executable).with_name("lint-imports"))
    imports = check(lint_imports, "--no-logo", "--no-cache", PYTHONPATH=search)
    return types or imports


if __name__ == "__main__":
    with nothing_left_behind():
        sys.exit(main())
