"""A store that can't be written: its file, its folder or its disk is read-only. It is opened for reading alone.

Nothing beside it is touched: the file is opened read-only through a link in a temporary folder, with a copy of the
acknowledged log, or with the copy that an interrupted checkpoint left as the truth.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from graphvine.engines.kuzu.kill_safe import KillSafeFiles
from graphvine.engines.kuzu.marks import Marks
from graphvine.engines.kuzu.reader import EmbeddedReader
from graphvine.engines.protocol import Capabilities, SaveResponse
from graphvine.errors import StoreError
from graphvine.json_text import decode_parameters
from graphvine.records import EncodedResult, QueryResult, Unit, UnitResult


def is_read_only(path: Path) -> bool:
    """Whether there is a store here that this process may read, but not write."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK))


def linked_copy(files: KillSafeFiles) -> Path:
    """A temporary folder with the store as `graph`: a link to its file, and a copy of its log."""
    folder = Path(tempfile.mkdtemp(prefix="graphvine-read-"))
    try:
        source = files.safe if files.safe.exists() else files.database.parent
        (folder / "graph").symlink_to((source / files.database.name).absolute())
        log, marks = source / files.log.name, source / files.marks_file.name
        if log.exists():
            shutil.copyfile(log, folder / "graph.wal")
            if marks.exists():
                os.truncate(folder / "graph.wal", min(Marks.read(marks), log.stat().st_size))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


class ReadOnlyEngine(EmbeddedReader):
    capabilities = Capabilities(single_owner=True, bulk_load=False, file_backup=False, read_only=True)

    def query_isolated(
        self, text: str, parameters: Mapping[str, Any], *, max_rows: int | None, timeout_seconds: float
    ) -> QueryResult:
        return self.query(text, parameters, max_rows=max_rows, timeout_seconds=timeout_seconds)

    def query_encoded(
        self, text: str, parameters: bytes, *, max_rows: int | None, timeout_seconds: float
    ) -> EncodedResult:
        found = self.query(text, decode_parameters(parameters), max_rows=max_rows, timeout_seconds=timeout_seconds)
        return EncodedResult.of(found)

    def write(self, unit: Unit, save_response: SaveResponse | None = None) -> UnitResult:
        self._refuse()

    def execute(
        self, statements: Sequence[str], then: Unit | None = None, parameters: Mapping[str, Any] | None = None
    ) -> QueryResult:
        self._refuse()

    def bulk_load(self, table: str, columns: Any, progress: Callable[[int], None] | None = None) -> int:
        self._refuse()

    def copy_to(self, folder: Path) -> list[Path]:
        self._refuse()

    def shortage(self) -> str | None:
        return f"{self.where} is read-only"

    def probe(self) -> None:
        with self._reader() as session:
            session.prepared("RETURN 1 AS one", {})

    def close(self) -> None:
        self._closed = True
        self._processes.close()
        with self._gate.alone(30.0) as free, suppress(RuntimeError):
            if free:
                self._database.close()

    def _refuse(self) -> NoReturn:
        raise StoreError(f"{self.where} is open for reading only: its file or its folder can't be written")
