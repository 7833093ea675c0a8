"""The index's folder: made, recognised, emptied. It holds nothing that the graph does not."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from graphvine.search.documents import IndexFields
from graphvine.search.errors import OtherVersion, RebuildNeeded

# Raise it whenever anything in the folder changes its meaning.
FORMAT = 1
MANIFEST, TEXT, VECTORS = "manifest.json", "text", "vectors"


def prepare(folder: Path, dimension: int | None, fields: IndexFields) -> int | None:
    """Make the folder, or check that it fits. Returns the dimension, which an index may get later."""
    manifest = folder / MANIFEST
    if not manifest.exists():
        _refuse_strangers(folder)
        # Without its manifest, written last, a folder was killed while it was made.
        remove(folder)
        for part in (TEXT, VECTORS):
            (folder / part).mkdir(parents=True)
        _write(manifest, _content(dimension, fields))
        return dimension
    found = _read(folder, manifest)
    stored = found.get("dimension")
    if stored is None and dimension is not None:
        _write(manifest, found | {"dimension": dimension})
    wanted = _content(stored if dimension is None or stored is None else dimension, fields)
    for key, value in wanted.items():
        if found.get(key) != value:
            raise OtherVersion(str(folder), f"its {key} is {found.get(key)!r}, this Graphvine's {value!r}")
    for part in (TEXT, VECTORS):
        if not (folder / part).is_dir():
            raise RebuildNeeded(str(folder), f"its folder {part} is missing")
    return dimension if stored is None else int(stored)


def fields_of(folder: Path) -> IndexFields:
    """The fields that an index was made with; the usual ones where there is none yet, or where they are unknown."""
    try:
        found = _read(folder, folder / MANIFEST)["fields"]
        return IndexFields(**{name: tuple(value) for name, value in found.items()})
    except (RebuildNeeded, KeyError, TypeError, AttributeError):
        return IndexFields()


def remove(folder: Path) -> None:
    """Take away what is the index's, and nothing else. The manifest goes first: a half is no index."""
    (folder / MANIFEST).unlink(missing_ok=True)
    for part in (TEXT, VECTORS):
        if (folder / part).exists():
            shutil.rmtree(folder / part)


def sync(folder: Path) -> None:
    """Make names that were added to a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _content(dimension: int | None, fields: IndexFields) -> dict[str, Any]:
    # Through JSON, so that what is compared is what was read.
    tantivy = ".".join(version("tantivy").split(".")[:2])
    # Most indexes store nothing else: their manifests are as they were before there was such a thing.
    given = {name: value for name, value in asdict(fields).items() if value or name != "stored"}
    content = {"format": FORMAT, "tantivy": tantivy, "dimension": dimension, "fields": given}
    return dict(json.loads(json.dumps(content)))


def _read(folder: Path, manifest: Path) -> dict[str, Any]:
    try:
        found = json.loads(manifest.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise RebuildNeeded(str(folder), f"its manifest can't be read: {error}") from error
    if not isinstance(found, dict):
        raise RebuildNeeded(str(folder), "its manifest is not one")
    return found


def _write(path: Path, content: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    sync(path.parent)


def _refuse_strangers(folder: Path) -> None:
    own = {MANIFEST, TEXT, VECTORS, Path(MANIFEST).with_suffix(".part").name}
    try:
        strangers = {entry.name for entry in folder.iterdir()} - own if folder.exists() else set()
    except NotADirectoryError as error:
        raise RebuildNeeded(str(folder), "it is a file, not a folder: move it away") from error
    if strangers:
        raise RebuildNeeded(str(folder), f"it holds other things ({sorted(strangers)[0]}): move them away")
