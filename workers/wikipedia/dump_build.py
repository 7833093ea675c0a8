"""Makes the index of a dump. A kill costs some seconds of it: building goes on from the last step."""

from __future__ import annotations

import codecs
import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graphvine.workers.wikipedia.dump_files import (
    Blocks,
    Codec,
    CopyWriter,
    CutShort,
    NotInPieces,
    OtherBytes,
    codec_of,
    read_through,
)
from graphvine.workers.wikipedia.dump_index import VERSION, DumpIndex, looks_like_a_dump, rules_from_header
from graphvine.workers.wikipedia.dump_xml import MAX_HEADER_BYTES, Broken, Entry, PageCutter
from graphvine.workers.wikipedia.errors import BadDump

# Told after each piece: bytes of the file read so far, and in all.
Progress = Callable[[int, int], None]
# A step is saved at the end of the piece that fills it.
_STEP_PAGES = 5_000


def open_index(
    dump: Path, folder: Path | None = None, progress: Progress | None = None, in_memory: bool = False
) -> tuple[DumpIndex, Blocks]:
    """The index of a dump and the way to its text; the index is made if there is none for this very file."""
    if not dump.is_file():
        raise BadDump(str(dump), "there is no such file", "Check the path.")
    try:
        return _opened(dump, folder, progress, in_memory)
    except (OSError, sqlite3.OperationalError) as error:
        raise BadDump(
            str(dump), f"its index can't be made ({error})", "Make room, or put the dump where there is some."
        ) from error


def _opened(dump: Path, folder: Path | None, progress: Progress | None, in_memory: bool) -> tuple[DumpIndex, Blocks]:
    if in_memory:
        index = DumpIndex(None)
        _fill(dump, index, None, progress)
        return index, _blocks(dump, index, None)
    place = _place(dump, folder)
    finished, copy = place.with_name(place.name + ".index"), place.with_name(place.name + ".copy")
    with _alone(place):
        if not _fits(finished, dump, copy):
            _build(dump, finished, copy, progress)
    index = DumpIndex(finished)
    return index, _blocks(dump, index, copy)


def identity(dump: Path) -> str:
    """What makes this file the one that was indexed."""
    status = dump.stat()
    return f"{VERSION} {status.st_size} {status.st_mtime_ns}"


def _place(dump: Path, folder: Path | None) -> Path:
    """Beside the dump where that can be written, else in the cache folder, under a name of its own."""
    if folder is None and os.access(dump.parent, os.W_OK):
        return dump.with_name(f"{dump.name}.graphvine")
    if folder is None:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphvine" / "dumps"
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(str(dump.resolve()).encode()).hexdigest()[:12]
    return folder / f"{dump.name}.{digest}.graphvine"


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """One builder at a time; the others wait and then find the index made."""
    with place.with_name(place.name + ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fits(finished: Path, dump: Path, copy: Path) -> bool:
    if not finished.exists():
        return False
    return _was_made_for(finished, dump) and (_meta(finished, "codec") != "copy" or copy.exists())


def _was_made_for(file: Path, dump: Path) -> bool:
    return _meta(file, "identity") == identity(dump)


def _meta(file: Path, key: str) -> str | None:
    """A fact in an index that may be of any age, or no index at all."""
    try:
        index = DumpIndex(file)
    except sqlite3.DatabaseError:
        return None
    try:
        return index.meta(key)
    finally:
        index.close()


def _build(dump: Path, finished: Path, copy: Path, progress: Progress | None) -> None:
    partial = finished.with_name(finished.name + ".partial")
    if partial.exists() and (not _was_made_for(partial, dump) or _meta(partial, "codec") == "copy"):
        partial.unlink()
    index = DumpIndex(partial)
    try:
        _fill(dump, index, copy, progress)
    except NotInPieces:
        index.close()
        partial.unlink()
        index = DumpIndex(partial)
        index.save(meta={"codec": "copy"})
        _fill(dump, index, copy, progress)
    finally:
        index.close()
    if not _was_made_for(partial, dump):
        raise BadDump(str(dump), "it changed while it was read", "Wait until it is complete and try again.")
    os.replace(partial, finished)


def _fill(dump: Path, index: DumpIndex, copy: Path | None, progress: Progress | None) -> None:
    """Read the dump from where the index stands to its end."""
    codec = codec_of(dump)
    with_copy = index.meta("codec") == "copy" and copy is not None
    index.save(meta={"identity": identity(dump), "codec": "copy" if with_copy else codec})
    points: list[tuple[int, int]] = []
    writer = CopyWriter(copy, lambda *point: points.append(point)) if with_copy and copy else None

    def entered(text_offset: int, file_offset: int) -> None:
        if writer is None:
            points.append((text_offset, file_offset))

    try:
        _read_pages(dump, codec, index, points, entered, writer, progress, copy is not None and not with_copy)
    except BaseException:
        if writer:
            writer.abandon()
        raise


def _read_pages(
    dump: Path,
    codec: Codec,
    index: DumpIndex,
    points: list[tuple[int, int]],
    entered: Callable[[int, int], None],
    writer: CopyWriter | None,
    progress: Progress | None,
    must_be_in_pieces: bool,
) -> None:
    done, total = int(index.meta("done_until") or 0), dump.stat().st_size
    start = _entry_before(index, codec, done)
    cutter = PageCutter(done)
    skip, text_bytes = done - start[0], start[0]
    entries: list[Entry] = []
    broken: list[Broken] = []
    trouble = ""
    try:
        for piece, read in read_through(dump, codec, start, entered, must_be_in_pieces):
            text_bytes += len(piece)
            if writer:
                writer.write(piece)
            if skip >= len(piece):
                skip -= len(piece)
                continue
            for page in cutter.feed(piece[skip:]):
                if isinstance(page, Entry):
                    entries.append(page)
                else:
                    broken.append(page)
            skip = 0
            _check_header(dump, cutter, text_bytes)
            if len(entries) + len(broken) >= _STEP_PAGES:
                _save(index, dump, cutter, entries, broken, points)
            if progress:
                progress(read, total)
    except CutShort as error:
        trouble = "" if isinstance(error, OtherBytes) and cutter.closed else str(error)
    else:
        if not cutter.closed:
            trouble = f"the dump ends too early, after {text_bytes:,} bytes of text: it has no closing tag"
    if trouble:
        trouble += f" ({cutter.place()})"
        broken.append(Broken(text_bytes, "", trouble))
    if not index.meta("rules") and not looks_like_a_dump(cutter.header):
        reason = trouble if text_bytes == 0 and trouble and total else "it is not a MediaWiki dump"
        if cutter.header.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise BadDump(str(dump), "it is UTF-16", "Dumps are UTF-8: convert it (iconv -f UTF-16 -t UTF-8).")
        raise BadDump(str(dump), reason, "Fetch it again, or take another: pages-articles.xml.bz2 of a wiki.")
    if writer:
        writer.close()
    _save(index, dump, cutter, entries, broken, points)
    index.save(meta={"text_bytes": str(text_bytes), "cut": trouble})


def _save(
    index: DumpIndex,
    dump: Path,
    cutter: PageCutter,
    entries: list[Entry],
    broken: list[Broken],
    points: list[tuple[int, int]],
) -> None:
    meta = {"done_until": str(cutter.done_until)}
    if not index.meta("rules"):
        meta["rules"] = json.dumps(rules_from_header(cutter.header, dump.name).as_json())
    index.save(entries, broken, points, meta)
    for each in (entries, broken, points):
        each.clear()


def _check_header(dump: Path, cutter: PageCutter, text_bytes: int) -> None:
    """Stop early in a file that is large and something else."""
    if text_bytes > MAX_HEADER_BYTES and cutter.done_until == 0 and not looks_like_a_dump(cutter.header):
        raise BadDump(str(dump), "it is not a MediaWiki dump", "Fetch the file pages-articles.xml.bz2.")


def _entry_before(index: DumpIndex, codec: Codec, done: int) -> tuple[int, int]:
    """The last point, in the text and in the file, from which what is left can be read."""
    if codec == "plain":
        return done, done
    return max((point for point in index.points() if point[0] <= done), default=(0, 0))


def _blocks(dump: Path, index: DumpIndex, copy: Path | None) -> Blocks:
    is_copy = index.meta("codec") == "copy"
    codec: Codec = "copy" if is_copy else codec_of(dump)
    path = copy if is_copy and copy else dump
    return Blocks(path, codec, index.points(), int(index.meta("text_bytes") or 0))
