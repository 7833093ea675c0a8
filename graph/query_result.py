"""What a query returned, and the same as other libraries' tables and graphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from html import escape
from typing import TYPE_CHECKING, Any

from graphvine.queries.errors import GraphvineError

if TYPE_CHECKING:
    import networkx
    import pandas
    import polars
    import pyarrow

_SHOWN_ROWS, _SHOWN_CHARACTERS = 50, 200
_ENGINE_KEYS = frozenset({"_id", "_label", "_src", "_dst"})


class NoGraphInResult(GraphvineError):
    """A graph was asked for, and the result has neither nodes nor relationships."""


@dataclass(frozen=True, slots=True)
class EncodedResult:
    """Columns and rows as JSON, how many rows that are; `truncated` where there were more."""

    columns: bytes
    rows: bytes
    count: int
    truncated: bool = False

    @classmethod
    def of(cls, result: QueryResult) -> EncodedResult:
        from graphvine.json_text import encode

        return cls(encode(result.columns), encode(result.rows), len(result.rows), result.truncated)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Columns and rows of a query; `truncated` where there were more. Iterating gives a dict a row."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        return True  # an answer without rows is an answer

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def as_dicts(self) -> list[dict[str, Any]]:
        """All rows, each as a dict by column."""
        return list(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame (extra 'notebook')."""
        made: pandas.DataFrame = _library("pandas").DataFrame(self.rows, columns=self.columns)
        return made

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame (extra 'notebook'); values without a common type become texts."""
        made: polars.DataFrame = _library("polars").from_arrow(self.to_arrow())
        return made

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table; nodes and relationships become structs, values without a common type texts."""
        arrow = _library("pyarrow")
        columns = {}
        for index, name in enumerate(self.columns):
            values = [row[index] for row in self.rows]
            try:
                columns[name] = arrow.array(values)
            except (arrow.ArrowInvalid, arrow.ArrowTypeError):
                columns[name] = arrow.array([None if value is None else str(value) for value in values])
        return arrow.table(columns)

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The nodes, relationships and paths of the result as a graph of networkx (extra 'notebook').

        Nodes and relationships carry their properties, and their label or type as `label`. A relationship whose ends
        were not returned brings them along without properties: RETURN a, r, b has all three.
        """
        drawn: networkx.MultiDiGraph = _library("networkx").MultiDiGraph()
        for row in self.rows:
            for value in row:
                _add(drawn, value)
        if not len(drawn):
            example = "MATCH (a)-[r]->(b) RETURN a, r, b"
            raise NoGraphInResult(f"the result has no nodes or relationships: return them, as in {example}")
        return drawn

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_short(value))}</td>" for value in row) + "</tr>"
            for row in self.rows[:_SHOWN_ROWS]
        )
        more = "+" if self.truncated else ""
        shown = f", {_SHOWN_ROWS} shown" if len(self.rows) > _SHOWN_ROWS else ""
        count = f"{len(self.rows):,}{more} row{'s' if len(self.rows) != 1 or more else ''}{shown}"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{count}</p>"


def _library(name: str) -> Any:
    import importlib

    from graphvine.installation import missing_part

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise GraphvineError(missing_part(error) or str(error)) from error


def _short(value: Any) -> str:
    if isinstance(value, datetime | date | time | timedelta):
        return str(value)
    if isinstance(value, dict) and "_label" in value:  # without the properties of every other table
        value = {name: inner for name, inner in value.items() if inner is not None}
    text = "" if value is None else str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _add(drawn: networkx.MultiDiGraph, value: Any) -> None:
    if isinstance(value, list | tuple):
        for inner in value:
            _add(drawn, inner)
    elif isinstance(value, dict) and "_nodes" in value and "_rels" in value:
        _add(drawn, [*value["_nodes"], *value["_rels"]])
    elif isinstance(value, dict) and "_label" in value:
        known = {name: inner for name, inner in value.items() if name not in _ENGINE_KEYS and inner is not None}
        if "_src" in value:
            drawn.add_edge(
                _key(value["_src"]), _key(value["_dst"]), key=_key(value["_id"]), **{**known, "label": value["_label"]}
            )
        else:
            drawn.add_node(_key(value["_id"]), **{**known, "label": value["_label"]})


def _key(internal: Any) -> str:
    """Kuzu's internal ids are a dict of table and offset, Neo4j's a text."""
    return f"{internal['table']}:{internal['offset']}" if isinstance(internal, dict) else str(internal)
