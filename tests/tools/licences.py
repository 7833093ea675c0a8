"""docs/licences.md: what `make venv` installs beside Graphvine, with its licence; `make lock` renews it."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, files, metadata
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


_MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy"


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
    text = said or ", ".join(kinds) or (found.get("License") or "").strip().splitlines()[:1] or _by_its_text(name)
    return (text if isinstance(text, str) else text[0])[:80].replace("|", "/")


def _by_its_text(name: str) -> str:
    """Where the metadata is silent, the file that the package brings."""
    for file in files(name) or ():
        if file.name.startswith("LICENSE") and _MIT in " ".join(file.read_text("utf-8").split()):
            return "MIT"
    return "not declared"


def page() -> str:
    packages = locked(REPOSITORY / "requirements.lock")
    return _HEAD + "".join(f"| {name} | {version} | {licence_of(name)} |\n" for name, version in packages.items())


if __name__ == "__main__":
    print(page(), end="")
