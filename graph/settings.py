"""Settings: one typed object for the core, and one for each pipeline that brings its own.

A value comes from the call, then from a GRAPHVINE_* variable, then from graphvine.toml in the current folder (the core
at its top, a pipeline under a table of its own), then from the default. Everything is checked before work starts.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from graphvine.errors import SettingsError, did_you_mean

FILE = "graphvine.toml"
PREFIX = "GRAPHVINE_"

S = TypeVar("S", bound=msgspec.Struct)
Positive = msgspec.Meta(gt=0)


def describe_as(text: str, *, trust: Literal["", "always", "address"] = "") -> msgspec.Meta:
    """The help text of a setting, and whether a graphvine.toml must be trusted to set it: always, or to an address."""
    return msgspec.Meta(description=text, extra={"trust": trust} if trust else None)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds for every graph and pipeline."""

    graph: Annotated[str, describe_as("the graph to work on: a path, neo4j://... or http://...", trust="address")] = (
        "graphvine.kuzu"
    )
    timeout_seconds: Annotated[
        float, Positive, describe_as("a claim with no heartbeat for this long is taken back")
    ] = 300
    heartbeat_seconds: Annotated[float, Positive, describe_as("how often a worker says that its claims go on")] = 30
    reclaim_seconds: Annotated[float, Positive, describe_as("how often the reaper looks for lost claims")] = 60
    max_retries: Annotated[int, Positive, describe_as("attempts in all before a row fails for good")] = 3
    max_lost_claims: Annotated[int, Positive, describe_as("workers a row may take down before it fails for good")] = 10
    backoff_seconds: Annotated[float, Positive, describe_as("pause before the first retry; it doubles each time")] = 5
    backoff_max_seconds: Annotated[float, Positive, describe_as("the longest pause before a retry")] = 3600
    batch_size: Annotated[int, Positive, describe_as("rows that a worker claims at once")] = 10
    window_rows: Annotated[int, Positive, describe_as("rows that are next in the queue, known in memory")] = 20_000
    read_ahead_rows: Annotated[
        int, msgspec.Meta(ge=0), describe_as("rows that a process may claim before a quick handler is ready for them")
    ] = 256
    buffer_pool_mb: Annotated[int, msgspec.Meta(ge=64), describe_as("memory for the embedded engine's pages")] = 1024
    checkpoint_memory_mb: Annotated[
        int, Positive, describe_as("memory held by changed rows that asks for a checkpoint")
    ] = 64
    checkpoint_log_mb: Annotated[int, Positive, describe_as("length of the log that asks for a checkpoint")] = 16
    writer_threads: Annotated[int, Positive, describe_as("threads of the embedded engine for one write")] = 1
    reader_threads: Annotated[int, Positive, describe_as("threads of the embedded engine for one read")] = 2
    sync: Annotated[
        bool, describe_as("sync marks and copies to the disk, so that a power cut loses nothing either")
    ] = True
    min_free_mb: Annotated[
        int, msgspec.Meta(ge=0), describe_as("with less room than this on the graph's disk, no new work is taken")
    ] = 512
    query_timeout_seconds: Annotated[float, Positive, describe_as("the longest that a typed query may take")] = 60
    query_max_rows: Annotated[int, Positive, describe_as("the most rows that a typed query shows")] = 10_000
    query_answer_mb: Annotated[int, Positive, describe_as("the largest answer of a typed query")] = 32
    query_memory_mb: Annotated[
        int, Positive, describe_as("memory of the process that runs a typed query for the daemon")
    ] = 512
    query_processes: Annotated[int, Positive, describe_as("such processes side by side")] = 2
    otel: Annotated[
        bool, describe_as("send traces and metrics by OpenTelemetry, where the OTEL_* variables say", trust="always")
    ] = False
    pipelines_folder: Annotated[
        str, describe_as("a folder of your own pipelines, each a Python package; their code is run", trust="always")
    ] = ""


def load(given: Mapping[str, Any] | None = None, *, folder: Path | None = None) -> Settings:
    """The core's settings from all their sources."""
    return section(Settings, None, given, folder=folder)


def section(
    kind: type[S], table: str | None, given: Mapping[str, Any] | None = None, *, folder: Path | None = None
) -> S:
    """The settings of one pipeline (its table in graphvine.toml), or of the core (None)."""
    names = {field.name: field.encode_name for field in msgspec.structs.fields(kind)}
    values: dict[str, Any] = {}
    for name, (value, source) in _found(table, folder).items():
        if name not in names:
            if source == FILE:
                raise SettingsError(
                    f"{FILE}: there is no setting {_where(table, name)!r}{did_you_mean(name, list(names))}"
                )
            continue
        values[name] = checked(kind, name, value, source)
        if source == FILE and _asks_trust(kind, name, values[name]):
            refuse_untrusted((folder or Path.cwd()) / FILE, _where(table, name))
    for name, value in (given or {}).items():
        if name not in names:
            raise SettingsError(f"there is no setting {name!r}{did_you_mean(name, list(names))}")
        values[name] = checked(kind, name, value, "the call")
    return kind(**values)


def describe(kind: type[msgspec.Struct], current: msgspec.Struct | None = None) -> list[dict[str, Any]]:
    """Name, value, default and help of each setting, for people."""
    rows = []
    for field in msgspec.structs.fields(kind):
        metas = [meta for meta in getattr(field.type, "__metadata__", ()) if isinstance(meta, msgspec.Meta)]
        text = next((meta.description for meta in metas if meta.description), "")
        value = getattr(current, field.name) if current is not None else field.default
        rows.append({"name": field.name, "value": value, "default": field.default, "help": text})
    return rows


def _found(table: str | None, folder: Path | None) -> dict[str, tuple[Any, str]]:
    """Every value that the file and the environment have for this table, the environment's winning."""
    found: dict[str, tuple[Any, str]] = {}
    path = (folder or Path.cwd()) / FILE
    if path.exists():
        try:
            content = tomllib.loads(path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(f"{path} is not valid TOML: {error}") from None
        values = content if table is None else content.get(table, {})
        if not isinstance(values, dict):
            raise SettingsError(f"{path}: {table!r} must be a table, [{table}]")
        found = {
            name: (value, FILE) for name, value in values.items() if table is not None or not isinstance(value, dict)
        }
    prefix = PREFIX if table is None else f"{PREFIX}{table.upper()}_"
    for name, value in os.environ.items():
        if name.startswith(prefix):
            found[name.removeprefix(prefix).lower()] = (value, name)
    return found


def checked(kind: type[msgspec.Struct], name: str, value: Any, source: str, *, strict: bool | None = None) -> Any:
    """The value in the type of the setting; an error names where it came from."""
    field = next(field for field in msgspec.structs.fields(kind) if field.name == name)
    try:
        # From the environment everything is text; elsewhere the types must be right.
        return msgspec.convert(value, field.type, strict=not source.startswith(PREFIX) if strict is None else strict)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{source}: setting {name!r} has the value {value!r}: {error}") from None


def _asks_trust(kind: type[msgspec.Struct], name: str, value: Any) -> bool:
    field = next(field for field in msgspec.structs.fields(kind) if field.name == name)
    metas = [meta for meta in getattr(field.type, "__metadata__", ()) if isinstance(meta, msgspec.Meta)]
    asked = next((meta.extra["trust"] for meta in metas if meta.extra and "trust" in meta.extra), "")
    return value != field.default and (asked == "always" or (asked == "address" and "://" in str(value)))


def refuse_untrusted(file: Path, name: str) -> None:
    """Raise SettingsError unless the user has said that this file is trusted."""
    from graphvine.trust import is_trusted

    if not is_trusted(file):
        raise SettingsError(
            f"{file} sets {name!r}, which runs code or says where a key is sent: look at the file, and if it is yours"
            " run 'graphvine trust' in its folder"
        )


def _where(table: str | None, name: str) -> str:
    return name if table is None else f"{table}.{name}"
