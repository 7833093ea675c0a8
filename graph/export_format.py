"""The export folder: a Parquet file for each table, a manifest, and checksums that no order changes."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from graphvine.errors import StoreError
from graphvine.schema.tables import Table
from graphvine.vectors import pack

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NULL = b"\xff"
_WHOLE = ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "SERIAL")


def arrow_type(kind: str) -> Any:
    """The Arrow type of a column that is declared so."""
    import pyarrow

    if kind.endswith("]"):
        return pyarrow.list_(arrow_type(kind[: kind.rindex("[")]))
    known = {
        "STRING": pyarrow.string(), "UUID": pyarrow.string(), "BOOL": pyarrow.bool_(), "FLOAT": pyarrow.float32(),
        "DOUBLE": pyarrow.float64(), "TIMESTAMP": pyarrow.timestamp("us", tz="UTC"), "DATE": pyarrow.date32(),
        "BLOB": pyarrow.binary(), **dict.fromkeys(_WHOLE, pyarrow.int64()),
    }  # fmt: skip
    if kind not in known:
        raise StoreError(f"a column of type {kind} can't be moved")
    return known[kind]


class Checksum:
    """The sum of the hashes of rows: the same in any order, another when a row or a value differs."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self._as_bytes = [_bytes_of(kind) for kind in kinds]
        self._sum = 0
        self.rows = 0

    def add(self, row: Sequence[Any]) -> None:
        parts = []
        for value, as_bytes in zip(row, self._as_bytes, strict=True):
            parts.append(_with_length(_NULL if value is None else as_bytes(value)))
        digest = hashlib.blake2b(b"".join(parts), digest_size=16).digest()
        self._sum = (self._sum + int.from_bytes(digest, "little")) % (1 << 128)
        self.rows += 1

    @property
    def hex(self) -> str:
        return f"{self._sum:032x}"


def _bytes_of(kind: str) -> Callable[[Any], bytes]:
    if kind == "FLOAT[]":
        return lambda values: struct.pack(f"<{len(values)}f", *values)
    if kind.endswith("]"):
        one = _bytes_of(kind[: kind.rindex("[")])
        return lambda values: b"".join(_with_length(_NULL if value is None else one(value)) for value in values)
    if kind == "FLOAT":
        return lambda value: struct.pack("<f", value)
    if kind == "DOUBLE":
        return lambda value: struct.pack("<d", value)
    if kind == "TIMESTAMP":
        return _moment
    if kind == "BOOL":
        return lambda value: b"\1" if value else b"\0"
    if kind == "BLOB":
        return bytes
    if kind in _WHOLE:
        return lambda value: int(value).to_bytes(8, "little", signed=True)
    return lambda value: value.isoformat().encode() if isinstance(value, date) else str(value).encode()


def _with_length(said: bytes) -> bytes:
    return len(said).to_bytes(4, "little") + said


def _moment(value: datetime) -> bytes:
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return ((aware - _EPOCH) // _MICROSECOND).to_bytes(8, "little", signed=True)


LIST = "export.json"
FORMAT = 1
_ROWS_AT_ONCE = 5_000
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class MovedTable:
    name: str
    columns: dict[str, str]
    rows: int
    checksum: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Moved:
    """What an export holds, or what a load has brought in."""

    engine: str
    made_at: str
    tables: list[MovedTable]
    paused: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    format: int = FORMAT

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


def columns_of(table: Table, keys: dict[str, str]) -> dict[str, str]:
    """Names and types as they stand in the file: a relationship begins with the keys of its two ends."""
    ends = {"from": keys[table.source], "to": keys[table.target]} if table.kind == "REL" else {}
    return {**ends, **table.values}


def write_table(path: Path, columns: dict[str, str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as they come, some thousand in memory at a time."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(name, arrow_type(kind)) for name, kind in columns.items()])
    coming = iter(rows)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while part := list(islice(coming, _ROWS_AT_ONCE)):
            values = list(zip(*part, strict=True)) if columns else []
            arrays = [pyarrow.array(column, type=field.type) for column, field in zip(values, schema, strict=True)]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def read_table(path: Path, lists: Mapping[str, str], *, embedded: bool) -> Iterator[Any]:
    """The parts of a table as Arrow tables; the embedded engines know no zones of moments, and keep lists as text."""
    import pyarrow
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            part = pyarrow.Table.from_batches([batch])
            if embedded:
                for name, kind in lists.items():
                    as_text = pack if kind == "FLOAT[]" else _text_of
                    texts = pyarrow.array(map(as_text, part[name].to_pylist()), type=pyarrow.string())
                    part = part.set_column(part.column_names.index(name), name, texts)
                plain = [
                    field.with_type(pyarrow.timestamp("us")) if pyarrow.types.is_timestamp(field.type) else field
                    for field in part.schema
                ]
                part = part.cast(pyarrow.schema(plain))
            yield part


def _text_of(numbers: list[int] | None) -> str | None:
    """A list of whole numbers as Kuzu reads it."""
    return None if numbers is None else f"[{','.join(map(str, numbers))}]"


def write_list(folder: Path, moved: Moved) -> None:
    (folder / LIST).write_text(json.dumps(asdict(moved), indent=2) + "\n", "utf-8")


def read_list(folder: Path) -> Moved:
    """The list of an export, every file of which has been compared with its checksum."""
    try:
        content = json.loads((folder / LIST).read_text("utf-8"))
        if content.get("format") != FORMAT:
            raise StoreError(f"{folder} is an export of format {content.get('format')}, this Graphvine reads {FORMAT}")
        tables = [MovedTable(**table) for table in content.pop("tables")]
        moved = Moved(**content, tables=tables)
    except FileNotFoundError:
        raise StoreError(f"{folder} is not an export: it has no {LIST}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{folder / LIST} can't be read: {error}") from None
    for table in moved.tables:
        path = folder / Path(table.file).name
        if not path.is_file() or sha256(path) != table.sha256:
            raise StoreError(f"{path} is not what was exported (its checksum differs, or it is missing)")
    return moved


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
