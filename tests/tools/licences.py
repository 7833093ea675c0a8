"""docs/licences.md: what `make venv` installs beside Graphvine, with its licence; `make lock` renews it."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_LINE = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
_HEAD = """\
# Licences of what Graphvine installs

Graphvine itself is under the Apache License 2.0. These are the packages of `requirements.lock`, with what each says of
its licence. `make lock` renews this page; `make sbom` writes the same as a CycloneDX bill of materials.

| package | version | licence |
| --- | --- | --- |
"""


def locked(path: Path) -> dict[str, str]:
    """The packages of a lock file, with their versions."""
    return dict(_LINE.findall(path.read_text("utf-8")))


def licence_of(name: str) -> str:
    """What the installed package says; a dash where this machine does not need it."""
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return "- (other systems)"
    said = found.get("License-Expression") or ""
    kinds = [line.rpartition("::")[2].strip() for line in found.get_all("Classifier") or () if "License ::" in line]
    text = said or ", ".join(kinds) or (found.get("License") or "").strip().splitlines()[:1] or "not declared"
    return (text if isinstance(text, str) else text[0])[:80].replace("|", "/")


def page() -> str:
    packages = locked(REPOSITORY / "requirements.lock")
    return _HEAD + "".join(f"| {name} | {version} | {licence_of(name)} |\n" for name, version in packages.items())


if __name__ == "__main__":
    print(page(), end="")
