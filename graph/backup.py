"""A backup is one folder: the store's files between two transactions, and a manifest with their checksums."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.clock import moment
from graphvine.disk_space import DiskSpace
from graphvine.dispatch import Run
from graphvine.engines.kuzu.file_lock import Holder
from graphvine.engines.kuzu.kill_safe import KillSafeFiles
from graphvine.errors import StoreError, StoreFull

if TYPE_CHECKING:
    from graphvine.graph import Graph

_LIST = "backup.json"
_PIECE = 1 << 20
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BackupInfo:
    """What a backup holds: its engine, its time, and the checksum of each file."""

    engine: str
    made_at: str
    files: dict[str, str]  # the part of the name behind the database's, and the content's sha256
    size_bytes: int


def backup(graph: Graph, target: str, run: Run[tuple[int, int]]) -> BackupInfo:
    """Copy the graph into a new folder. It is there in full, or not at all."""
    place = Path(target)
    if not graph.engine.capabilities.file_backup:
        raise StoreError(f"{graph.engine.name} is not a file: use its own tools, or 'graphvine export'")
    if place.exists():
        raise StoreError(f"{place} is there already: choose another name for the backup")
    new = place.with_name(place.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(0o700, parents=True)
    try:
        return _copied(graph, new, place, run)
    except BaseException as error:
        shutil.rmtree(new, ignore_errors=True)  # half a backup would only fill the disk
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(f"the disk of {place.parent} is full: free some room, then make the backup again") from None
        raise


def _copied(graph: Graph, new: Path, place: Path, run: Run[tuple[int, int]]) -> BackupInfo:
    store = Path(graph.engine.where)
    parts = [store, *(store.with_name(store.name + ending) for ending in (".wal", ".marks"))]
    DiskSpace(new, graph.settings.min_free_mb).refuse_any(lambda: sum(p.stat().st_size for p in parts if p.exists()))
    copied = graph.engine.copy_to(new)  # type: ignore[attr-defined]  # the capability says that it is there
    total = sum(path.stat().st_size for path in copied)
    files, done = {}, 0
    for path in copied:
        renamed = path.rename(new / ("graph" + path.name.removeprefix(store.name)))
        files[renamed.name] = _sha256(renamed)
        done += renamed.stat().st_size
        run.publish((done, total))
    info = BackupInfo(graph.engine.name, moment(graph.clock.now_ms()).isoformat(), files, total)
    (new / _LIST).write_text(json.dumps(asdict(info), indent=2) + "\n", "utf-8")
    new.rename(place)
    return info


def restore(
    source: str | Path, where: str | Path, *, force: bool = False, progress: Progress | None = None
) -> BackupInfo:
    """Replace a graph with a backup, after checking every file of the backup."""
    if "://" in str(where):
        raise StoreError(f"{where} is a server, a backup replaces a file: use 'graphvine load' there")
    folder, target = Path(source), Path(str(where).removeprefix("ladybug:"))
    info = _read_list(folder)
    if info.engine != ("ladybug" if str(where).startswith("ladybug:") else "kuzu"):
        raise StoreError(f"{folder} is a backup of a {info.engine} graph, which no other engine can open")
    if target.exists() and not force:
        raise StoreError(f"{target} is there already: use --force to replace it, or restore to another path")
    if not target.absolute().parent.is_dir():
        raise StoreError(f"the folder {target.absolute().parent} is not there: make it first")
    for name, expected in info.files.items():
        if Path(name).name != name or not (folder / name).is_file():
            raise StoreError(f"{folder} is incomplete: {name!r} is missing")
        if _sha256(folder / name) != expected:
            raise StoreError(f"{folder / name} is damaged: its checksum differs from the manifest's")
    holder = Holder(target)
    holder.take()
    try:
        files = KillSafeFiles(target)
        files.put_in_place(
            {target.with_name(target.name + name.removeprefix("graph")): folder / name for name in info.files}
        )
        if progress is not None:
            progress(info.size_bytes, info.size_bytes)
    finally:
        holder.drop()
    return info


def _read_list(folder: Path) -> BackupInfo:
    try:
        return BackupInfo(**json.loads((folder / _LIST).read_text("utf-8")))
    except FileNotFoundError:
        raise StoreError(f"{folder} is not a backup: it has no {_LIST}") from None
    except (ValueError, TypeError) as error:
        raise StoreError(f"{folder / _LIST} can't be read: {error}") from None


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
