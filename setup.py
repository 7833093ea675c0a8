"""Name the packages (every folder of the four roots that holds Python) and the extras; pyproject.toml has the rest."""

import tomllib
from pathlib import Path

from setuptools import setup

# setuptools finds packages by itself only where folders and names agree; ours are mapped.
ROOTS = {
    "graphvine": "graph",
    "graphvine.queries": "queries",
    "graphvine.schema": "schema",
    "graphvine.workers": "workers",
}
HERE = Path(__file__).parent


def packages() -> list[str]:
    """Name every folder that holds a .py file, so that a new pipeline is packaged without an edit."""
    found = set(ROOTS)
    for name, root in ROOTS.items():
        for source in (HERE / root).rglob("*.py"):
            inside = source.parent.relative_to(HERE / root).parts
            if "__pycache__" not in inside:
                found.add(".".join((name, *inside)))
    return sorted(found)


def extras() -> dict[str, list[str]]:
    """Those of pyproject.toml, and one for each pipeline that says what it needs; `all` has the pipelines' too."""
    found: dict[str, list[str]] = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["tool"]["graphvine"][
        "extras"
    ]
    files = sorted((HERE / "workers").glob("*/requirements.txt"))
    for file in files:
        lines = [line.partition("#")[0].strip() for line in file.read_text("utf-8").splitlines()]
        found[file.parent.name] = [line for line in lines if line]
    found["all"] = [*found["all"], f"graphvine[{','.join(file.parent.name for file in files)}]"]
    return found


setup(packages=packages(), package_dir=ROOTS, extras_require=extras())
