"""Finds pipelines outside this package: installed ones, by entry points, and those in a folder of the user's own.

Each is a Python package with a folder `queries` and a folder `schema` in it. Here they are only found, so that a graph
has their statements and tables; `graphvine.workers.registry` loads their code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.errors import PipelineBroken, SettingsError

if TYPE_CHECKING:
    from graphvine.queries import Library
    from graphvine.schema import Migration
    from graphvine.schema.tables import Table

GROUP = "graphvine.pipelines"
SETTING = "pipelines_folder"


@dataclass(frozen=True, slots=True)
class Found:
    """A pipeline outside this package: the name of its Python package, its folder, and who named it."""

    module: str
    folder: Path
    by: str


def folder_setting() -> str:
    """The setting `pipelines_folder`, read by itself: the command line needs it before it loads the others."""
    if folder := os.environ.get(f"GRAPHVINE_{SETTING.upper()}"):
        return folder
    file = Path("graphvine.toml")
    if not file.exists():
        return ""
    import tomllib

    from graphvine.settings import refuse_untrusted

    try:
        folder = tomllib.loads(file.read_text("utf-8")).get(SETTING, "")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not valid TOML: {error}") from None
    if not isinstance(folder, str):
        raise SettingsError(f"{file}: setting {SETTING!r} has the value {folder!r}: expected a path")
    if folder:
        refuse_untrusted(file.absolute(), SETTING)
    return folder


def found(folder: str) -> tuple[Found, ...]:
    """Every pipeline outside this package; `folder` is the setting `pipelines_folder`, '' for none."""
    return _found(os.path.abspath(folder) if folder else "")


def library(dialect: str, folder: str) -> Library:
    """Every statement of this package and of the pipelines that are found, for this dialect."""
    from graphvine.queries import library

    return library(dialect, *(one.folder / "queries" for one in found(folder)))


def migrations(library: Library) -> dict[str, tuple[Migration, ...]]:
    """The migrations of every entity of a library, in the order to apply them."""
    from graphvine.schema import migrations

    return migrations(library.dialect, *_beside(library))


def tables(library: Library) -> dict[str, Table]:
    """Every declared table, in the order in which they are made; some engines lack some entities of a library."""
    from graphvine.schema.tables import tables

    return tables(*_beside(library))


def _beside(library: Library) -> list[Path]:
    """The folders of tables that belong to the folders of statements."""
    return [folder.parent / "schema" for folder in library.folders]


@cache
def _found(folder: str) -> tuple[Found, ...]:
    every = {one.module: one for one in (*_installed(), *(_in_folder(Path(folder)) if folder else ()))}
    for one in every.values():
        for part in ("queries", "schema"):
            if not (one.folder / part).is_dir():
                raise PipelineBroken(one.module, one.by, f"it has no folder {part!r} beside its __init__.py")
    return tuple(every.values())


def _in_folder(folder: Path) -> Iterator[Found]:
    if not folder.is_dir():
        raise SettingsError(f"the setting {SETTING!r} names {folder}, which is not a folder")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last, so that nothing in it hides another package
    for package in sorted(folder.iterdir()):
        if not (package / "__init__.py").is_file() or not (package / "queries").is_dir():
            continue
        by, spec = str(package), find_spec(package.name)
        if spec is None or spec.origin is None or not Path(spec.origin).samefile(package / "__init__.py"):
            other = spec.origin if spec is not None else "nothing"
            raise PipelineBroken(
                package.name, by, f"Python finds {other} under its name: uninstall that one, or rename this"
            )
        yield Found(package.name, package, by)


def _installed() -> Iterator[Found]:
    if not _any_entry_point():
        return
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        by = f"the distribution {entry.dist.name if entry.dist else '?'}"
        spec = find_spec(entry.module)
        if spec is None or not spec.submodule_search_locations:
            raise PipelineBroken(entry.module, by, "there is no such Python package")
        yield Found(entry.module, Path(next(iter(spec.submodule_search_locations))), by)


def _any_entry_point() -> bool:
    """Whether any distribution names a pipeline; importlib.metadata takes thirty times as long to load and say so."""
    for path in sys.path:
        try:
            names = os.listdir(path or ".")
        except OSError:
            continue  # not a folder: a zip file, or nothing
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                file = Path(path, name, "entry_points.txt")
                if file.is_file() and GROUP.encode() in file.read_bytes():
                    return True
    return False
