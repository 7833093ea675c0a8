"""How this copy was installed, and the command that adds a part which is missing."""

from __future__ import annotations

import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path

# An extra that holds others is no advice.
_COLLECTIONS = frozenset({"all", "bench", "dev", "docs"})
_SHARED = frozenset({"backports"})  # a name that many packages stand under: the module tells no more
_REQUIREMENT = re.compile(r"([\w.-]+).*;.*extra == [\"']([\w-]+)[\"']")


def install_command(requirement: str) -> str:
    """The command that installs a requirement beside this copy, by the installer that made its environment."""
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        return f"pipx install --force '{requirement}'"
    if "uv" in parts and "tools" in parts:
        return f"uv tool install '{requirement}'"
    return f"{'uv pip' if find_spec('pip') is None and shutil.which('uv') else 'pip'} install '{requirement}'"


def extra_with(module: str) -> str | None:
    """The smallest extra that brings this module, or None where it is not one of ours."""
    wanted = _normal(module.partition(".")[0])
    sizes: dict[str, int] = {}
    found = set()
    try:
        lines = requires("graphvine") or []
    except PackageNotFoundError:
        return None
    for line in lines:
        if (match := _REQUIREMENT.match(line)) and match[2] not in _COLLECTIONS:
            sizes[match[2]] = sizes.get(match[2], 0) + 1
            if _normal(match[1]) == wanted or (_normal(match[1]).startswith(f"{wanted}-") and wanted in _SHARED):
                found.add(match[2])
    return min(found, key=lambda extra: (sizes[extra], extra), default=None)


def missing_part(error: ModuleNotFoundError) -> str | None:
    """A sentence for a package that is not installed; None where the module is not one that an extra brings."""
    name = error.name or ""
    extra = extra_with(name)
    if extra is None:
        return None
    return f"this needs the package {name.partition('.')[0]}, which is not installed: run `{extra_command(extra)}`"


def extra_command(extra: str) -> str:
    """The command that adds an extra to this copy."""
    return install_command(f"graphvine[{extra}]")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
