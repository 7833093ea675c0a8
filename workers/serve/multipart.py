"""Files that come in by HTTP: a multipart body is streamed to the disk, piece by piece, and never held in memory.

What a client calls its file is a label and nothing else: on the disk it has a name of ours, in a folder of ours, and
only its owner can read it. A body that breaks off, or is more than was agreed, leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request

from graphvine.errors import GraphvineError

_WRITE_BYTES = 1 << 20
_LONGEST_NAME = 200


class BadUpload(GraphvineError):
    """A body that can't be taken: not multipart, cut short, or more than was agreed."""


@dataclass(frozen=True, slots=True)
class ReceiveLimits:
    max_file_bytes: int
    max_field_bytes: int = 64 * 1024
    max_fields: int = 50
    max_files: int = 1
    max_header_bytes: int = 8 * 1024  # the headers of one part


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A file that is safe on the disk. `name` is what the client called it, fit to be shown."""

    field: str
    name: str
    path: Path
    size: int
    media_type: str


@dataclass(slots=True)
class Received:
    files: list[ReceivedFile] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)

    def remove(self) -> None:
        """Take the files away again."""
        for file in self.files:
            file.path.unlink(missing_ok=True)


async def receive(request: Request, folder: Path, limits: ReceiveLimits) -> Received:
    """Take the files and fields of a multipart body; BadUpload, and nothing on the disk, where that can't be."""
    boundary = _boundary(request.headers.get("content-type", ""))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    parts = _Parts(folder, limits)
    try:
        parser = parts.parser(boundary)
        async for piece in request.stream():
            if piece:
                parser.write(piece)
                if parts.waiting >= _WRITE_BYTES:
                    await asyncio.to_thread(parts.flush)
        parser.finalize()
        if not parts.ended:
            raise BadUpload("the body ends in the middle of a part")
        await asyncio.to_thread(parts.finish)
    except BaseException as error:
        parts.drop()
        if isinstance(error, ClientDisconnect):
            raise BadUpload("the client went away in the middle of the body") from None
        if type(error).__module__.startswith("python_multipart"):
            raise BadUpload(f"the body is not well-formed: {error}") from None
        raise
    return parts.received


def shown_name(name: str) -> str:
    """A client's file name, fit to be shown: no folders, nothing that steers a terminal, not too long."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c if c.isprintable() else "_" for c in last).strip(". ")[:_LONGEST_NAME] or "unnamed"


class _Parts:
    """Called by the parser for each piece. What is to be written gathers until there is enough of it."""

    def __init__(self, folder: Path, limits: ReceiveLimits) -> None:
        self._folder, self._limits = folder, limits
        self.received = Received()
        self.ended = False
        self.waiting = 0
        self._pieces: list[bytes] = []
        self._file: Any = None
        self._size = self._head_bytes = self._parts_seen = 0
        self._made: list[Path] = []
        self._text = bytearray()
        self._headers: dict[str, str] = {}
        self._header = (bytearray(), bytearray())

    def parser(self, boundary: str) -> Any:
        from python_multipart.multipart import MultipartParser

        return MultipartParser(boundary, {
            "on_part_begin": self._begin, "on_part_data": self._data, "on_part_end": self._end,
            "on_header_field": lambda data, start, end: self._head(0, data[start:end]),
            "on_header_value": lambda data, start, end: self._head(1, data[start:end]),
            "on_header_end": self._header_end, "on_headers_finished": self._headers_end, "on_end": self._over,
        })  # fmt: skip

    def flush(self) -> None:
        if self._file is not None and self._pieces:
            self._file.write(b"".join(self._pieces))
        self._pieces, self.waiting = [], 0

    def finish(self) -> None:
        for path in self._made:
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def drop(self) -> None:
        if self._file is not None:
            self._file.close()
        for path in self._made:
            path.unlink(missing_ok=True)

    def _begin(self) -> None:
        self._headers, self._text, self._size, self._head_bytes = {}, bytearray(), 0, 0
        self._parts_seen += 1
        if self._parts_seen > self._limits.max_fields + self._limits.max_files:
            raise BadUpload(f"more than {self._limits.max_fields} fields")

    def _head(self, which: int, piece: bytes) -> None:
        self._head_bytes += len(piece) + 1
        if self._head_bytes > self._limits.max_header_bytes:
            raise BadUpload(f"the headers of a part are larger than {self._limits.max_header_bytes:,} bytes")
        self._header[which].extend(piece)

    def _header_end(self) -> None:
        # As bytes in a text, which is what their reader wants; names in UTF-8 are read out of them afterwards.
        name, value = (bytes(part).decode("latin-1") for part in self._header)
        self._headers[name.lower()] = value
        self._header = (bytearray(), bytearray())

    def _headers_end(self) -> None:
        from python_multipart.multipart import parse_options_header

        kind, options = parse_options_header(self._headers.get("content-disposition", ""))
        if kind != b"form-data" or b"name" not in options:
            raise BadUpload("a part of the body has no name")
        self._name = options[b"name"].decode("utf-8", "replace")[:_LONGEST_NAME]
        self._filename = options.get(b"filename")
        if self._filename is None:
            if len(self.received.fields) >= self._limits.max_fields:
                raise BadUpload(f"more than {self._limits.max_fields} fields")
            return
        if len(self.received.files) >= self._limits.max_files:
            raise BadUpload(f"{self._limits.max_files} file(s) at most in one request")
        path = self._folder / f"{secrets.token_hex(16)}.part"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._made.append(path)
        self._file = os.fdopen(handle, "wb", buffering=0)

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._filename is None:
            if self._size > self._limits.max_field_bytes:
                raise BadUpload(f"the field {self._name!r} is larger than {self._limits.max_field_bytes:,} bytes")
            self._text.extend(data[start:end])
            return
        if self._size > self._limits.max_file_bytes:
            raise BadUpload(f"the file is larger than {self._limits.max_file_bytes:,} bytes")
        self._pieces.append(data[start:end])
        self.waiting += end - start

    def _end(self) -> None:
        if self._filename is None:
            self.received.fields[self._name] = self._text.decode("utf-8", "replace")
            return
        self.flush()
        self._file.close()
        self._file = None
        name = shown_name(self._filename.decode("utf-8", "replace"))
        media_type = self._headers.get("content-type", "application/octet-stream")[:100]
        self.received.files.append(ReceivedFile(self._name, name, self._made[-1], self._size, media_type))

    def _over(self) -> None:
        self.ended = True


def _boundary(content_type: str) -> str:
    from python_multipart.multipart import parse_options_header

    kind, options = parse_options_header(content_type)
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise BadUpload("send the file as multipart/form-data")
    return options[b"boundary"].decode("latin-1")
