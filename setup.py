"""Version, packages (every folder of the four roots that holds Python), dependencies, extras; the rest is static."""

import re
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


def requirements() -> tuple[list[str], dict[str, list[str]]]:
    """What every installation gets, and the extras: those of pyproject.toml, and one for each pipeline's needs."""
    declared = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["tool"]["graphvine"]
    extras: dict[str, list[str]] = declared["extras"]
    files = sorted((HERE / "workers").glob("*/requirements.txt"))
    for file in files:
        lines = [line.partition("#")[0].strip() for line in file.read_text("utf-8").splitlines()]
        extras[file.parent.name] = [line for line in lines if line]
    extras["all"] = [*extras["all"], f"graphvine[{','.join(file.parent.name for file in files)}]"]
    always = [*declared["core"], *(line for extra in declared["default"] for line in extras[extra])]
    return sorted(set(always)), extras


def version() -> str:
    found = re.search(r'^__version__ = "(.+)"', (HERE / "graph" / "__init__.py").read_text("utf-8"), re.MULTILINE)
    assert found is not None, "graph/__init__.py has no __version__"
    return found[1]


always, extras = requirements()
setup(
    version=version(), packages=packages(), package_dir=ROOTS, install_requires=always, extras_require=extras
)  # fmt: skip
