"""The folder in which a graph travels: a Parquet file for each table, and a list that vouches for them.

Parquet, since it keeps the types (whole numbers of 64 bits, moments, vectors of 32-bit floats), is written and read in
parts however large the table, and opens in whatever else people use.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from graphvine.errors import StoreError
from graphvine.moving_rows import arrow_type
from graphvine.schema.tables import Table

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
    return {**ends, **table.columns}


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


def read_table(path: Path, *, zoned: bool) -> Iterator[Any]:
    """The parts of a table as Arrow tables; the embedded engines know moments without their zone alone."""
    import pyarrow
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            part = pyarrow.Table.from_batches([batch])
            if not zoned:
                plain = [
                    field.with_type(pyarrow.timestamp("us")) if pyarrow.types.is_timestamp(field.type) else field
                    for field in part.schema
                ]
                part = part.cast(pyarrow.schema(plain))
            yield part


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
