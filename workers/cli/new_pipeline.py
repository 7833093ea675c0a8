"""Writes a pipeline from the templates beside this file: each ends in .txt, and has its names in double braces."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.errors import GraphvineError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class CannotWritePipeline(GraphvineError):
    """The name can't be used, or something stands in the way."""


def write(name: str, folder: Path) -> Path:
    """Write the pipeline into a new folder of its name. Returns that folder."""
    if not _NAME.fullmatch(name) or name.endswith("_"):
        raise CannotWritePipeline(f"{name!r} can't name a pipeline: use small letters, digits and '_', such as 'notes'")
    from graphvine.pipelines import folder_setting, library
    from graphvine.settings import FILE
    from graphvine.trust import trust

    target = folder.expanduser() / name
    if target.exists():
        raise CannotWritePipeline(f"{target} is there already: choose another name or another folder")
    if name in library("kuzu", folder_setting()).entities or find_spec(name) is not None:
        raise CannotWritePipeline(f"there is a pipeline or a Python package {name!r} already: choose another name")
    label = "".join(part.capitalize() for part in name.split("_"))
    names = {"name": name, "NAME": name.upper(), "Label": label, "dashed": name.replace("_", "-")}
    for path, text in _templates(files("graphvine.workers.cli") / "templates" / "pipeline", Path()):
        file = target / str(path).replace("NAME", name).removesuffix(".txt")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(re.sub(r"\{\{(\w+)\}\}", lambda found: names[found[1]], text), "utf-8")
    trust(target / FILE)  # it was written here, just now
    return target


def _templates(folder: Traversable, path: Path) -> Iterator[tuple[Path, str]]:
    for part in folder.iterdir():
        if part.is_dir():
            yield from _templates(part, path / part.name)
        else:
            yield path / part.name, part.read_text("utf-8")
