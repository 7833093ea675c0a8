"""The settings of this pipeline, under [upload] in graphvine.toml or as GRAPHVINE_UPLOAD_* variables."""

from __future__ import annotations

from typing import Annotated

import msgspec

from graphvine.settings import Positive, describe_as, section

TABLE = "upload"


class UploadSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file may be, and how much of it is worked on at once. The document's constants have its names."""

    max_file_size: Annotated[int, Positive, describe_as("MAX_FILE_SIZE: the largest file, in bytes")] = 8 << 30
    max_retries: Annotated[int, Positive, describe_as("retries by hand of one upload, resets included")] = 3
    max_expanded_size: Annotated[int, Positive, describe_as("the longest text that a file may unpack to, in bytes")] = (
        64 << 30
    )
    max_expansion: Annotated[int, Positive, describe_as("how many times its own size a packed file may unpack to")] = (
        200
    )
    max_nesting: Annotated[int, Positive, describe_as("how deep the value of a field may be nested")] = 32
    max_item_size: Annotated[int, Positive, describe_as("the longest text of one item, in bytes")] = 4 << 20
    max_tree_size: Annotated[
        int, Positive, describe_as("the longest text of one value that holds several items, in bytes")
    ] = 32 << 20
    items_at_once: Annotated[int, Positive, describe_as("items that are written in one transaction")] = 25_000
    bytes_at_once: Annotated[int, Positive, describe_as("text of a transaction's items, in bytes, about")] = 16 << 20
    chunk_bytes: Annotated[int, Positive, describe_as("text that is read and parsed at once, in bytes")] = 1 << 20
    errors_kept: Annotated[int, Positive, describe_as("messages in processing_errors; all are error nodes")] = 100


def load(**given: object) -> UploadSettings:
    return section(UploadSettings, TABLE, {name: value for name, value in given.items() if value is not None})
