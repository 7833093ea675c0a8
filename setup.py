"""Name the packages: every folder of the four roots that holds Python. The rest is in pyproject.toml."""

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


setup(packages=packages(), package_dir=ROOTS)
