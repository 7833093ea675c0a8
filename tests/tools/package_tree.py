"""Lay the folders out as the package they are installed as, for tools that read files rather than import.

mypy and import-linter look for graphvine/queries/ inside graphvine/, but the folders stand side by side. The
tree of links costs some milliseconds and is made anew at each run, so that it never misses a new file, as a
strict editable installation would.
"""

from __future__ import annotations

import shutil
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TREE = REPOSITORY / ".cache" / "tree"
ROOTS = {"graph": "graphvine", "queries": "graphvine/queries", "schema": "graphvine/schema",
         "workers": "graphvine/workers"}  # fmt: skip


def make_tree() -> Path:
    """Link every source file to its place in the package and return the folder to search."""
    shutil.rmtree(TREE, ignore_errors=True)
    for folder, place in ROOTS.items():
        for source in (REPOSITORY / folder).rglob("*.py"):
            link = TREE / place / source.relative_to(REPOSITORY / folder)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(source)
    return TREE


def source_names(text: str) -> str:
    """Put the files' own paths back into a tool's output."""
    for folder, place in sorted(ROOTS.items(), key=lambda pair: -len(pair[1])):
        for prefix in (f"{TREE}/{place}/", f"{TREE.relative_to(REPOSITORY)}/{place}/"):
            text = text.replace(prefix, f"{folder}/")
    return text
