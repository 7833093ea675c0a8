"""The graph in files for other programs: GraphML, GEXF, JSON Lines, CSV.

They are made from an export (graphvine.export), so that they hold one moment of the graph on any engine, a part in
memory at a time. Embeddings and the columns that guard the queue are left out.
"""

from __future__ import annotations

import csv
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from graphvine.errors import GraphvineError, StoreError, did_you_mean
from graphvine.export_format import read_table
from graphvine.pipelines import tables

if TYPE_CHECKING:
    from graphvine.graph import Graph

_QUEUE_COLUMNS = frozenset({"seq", "due", "lease", "lost_claims", "failure_count", "claimed_by", "claimed_at", "lock"})
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML_TYPES = {"BOOL": "boolean", "DOUBLE": "double", "FLOAT": "double"}


class UnknownLabel(GraphvineError):
    """A label that the graph does not have."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A table of the export; the ends are labels, empty for nodes."""

    name: str
    file: Path
    columns: dict[str, str]
    key: str
    source: str = ""
    target: str = ""


def write(
    graph: Graph, target: str | Path, format: str | None = None, *, labels: Sequence[str] | None = None
) -> tuple[int, int]:
    """Write the graph into a new file (a folder for CSV). Returns how many nodes and relationships it holds."""
    place = Path(target)
    form = format or place.suffix.removeprefix(".")
    if form not in _WRITERS:
        raise GraphvineError(f"there is no format {form!r}{did_you_mean(form, list(_WRITERS))}")
    if place.exists():
        raise StoreError(f"{place} exists already: choose another name for the export")
    with tempfile.TemporaryDirectory(dir=place.absolute().parent, prefix=".graphvine-export-") as folder:
        nodes, edges = _kinds(graph, Path(folder) / "tables", labels)
        part = Path(folder) / "part"
        counts = _WRITERS[form](part, nodes, edges)
        part.rename(place)
    return counts


def _kinds(graph: Graph, folder: Path, labels: Sequence[str] | None) -> tuple[list[_Kind], list[_Kind]]:
    declared = tables(graph.library)
    known = [name for name, table in declared.items() if table.kind == "NODE"]
    for label in labels or ():
        if label not in known:
            raise UnknownLabel(f"there are no nodes with the label {label!r}{did_you_mean(label, known)}")
    nodes, edges = [], []
    for moved in graph.export(folder).tables:
        table = declared[moved.name]
        columns = {
            name: kind for name, kind in moved.columns.items()
            if name not in _QUEUE_COLUMNS and kind != "FLOAT[]" and (table.kind == "NODE" or name not in ("from", "to"))
        }  # fmt: skip
        file = folder / moved.file
        if not moved.rows:
            continue
        if table.kind == "NODE":
            if not labels or table.name in labels:
                nodes.append(_Kind(table.name, file, columns, table.key))
        elif not labels or (table.source in labels and table.target in labels):
            edges.append(_Kind(table.name, file, columns, "", table.source, table.target))
    return nodes, edges


def _rows(kind: _Kind) -> Iterator[dict[str, Any]]:
    for part in read_table(kind.file, {}, embedded=False):
        yield from part.to_pylist()


def _node_id(label: str, key: Any) -> str:
    return f"{label}:{key}"


def _ends(kind: _Kind, row: dict[str, Any]) -> tuple[str, str]:
    return _node_id(kind.source, row["from"]), _node_id(kind.target, row["to"])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _xml(value: Any) -> str:
    return _NO_XML.sub("�", _text(value))


def _given(kind: _Kind, row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in kind.columns if row[name] is not None}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _json_lines(path: Path, nodes: list[_Kind], edges: list[_Kind]) -> tuple[int, int]:
    counts = [0, 0]
    with open(path, "w", encoding="utf-8", opener=_private) as file:
        for index, kinds in enumerate((nodes, edges)):
            for kind in kinds:
                for row in _rows(kind):
                    ends = dict(zip(("from", "to"), _ends(kind, row), strict=True)) if index else {}
                    name = (
                        {"type": kind.name} if index else {"id": _node_id(kind.name, row[kind.key]), "label": kind.name}
                    )
                    line = {**name, **ends, "properties": _given(kind, row)}
                    file.write(json.dumps(line, ensure_ascii=False, default=_text) + "\n")
                    counts[index] += 1
    return counts[0], counts[1]


def _csv(path: Path, nodes: list[_Kind], edges: list[_Kind]) -> tuple[int, int]:
    path.mkdir(0o700)
    counts = [0, 0]
    for index, kinds in enumerate((nodes, edges)):
        for kind in kinds:
            with (path / f"{kind.name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow([*(("from", "to") if index else ()), *kind.columns])
                for row in _rows(kind):
                    ends = (row["from"], row["to"]) if index else ()
                    values = ("" if row[name] is None else _text(row[name]) for name in kind.columns)
                    writer.writerow([*ends, *values])
                    counts[index] += 1
    return counts[0], counts[1]


def _graphml(path: Path, nodes: list[_Kind], edges: list[_Kind]) -> tuple[int, int]:
    def head(file: IO[str]) -> None:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        for what, kinds in (("node", nodes), ("edge", edges)):
            file.write(f'<key id="{what}.label" for="{what}" attr.name="label" attr.type="string"/>\n')
            for name, form in _attributes(kinds).items():
                key = f'id={quoteattr(f"{what}.{name}")} for="{what}" attr.name={quoteattr(name)} attr.type="{form}"'
                file.write(f"<key {key}/>\n")
        file.write('<graph edgedefault="directed">\n')

    def node(kind: _Kind, row: dict[str, Any]) -> str:
        name = quoteattr(_xml(_node_id(kind.name, row[kind.key])))
        return f"<node id={name}>{data('node', kind, row)}</node>\n"

    def edge(kind: _Kind, row: dict[str, Any], number: int) -> str:
        source, target = (quoteattr(_xml(end)) for end in _ends(kind, row))
        return f"<edge source={source} target={target}>{data('edge', kind, row)}</edge>\n"

    def data(what: str, kind: _Kind, row: dict[str, Any]) -> str:
        parts = [f'<data key="{what}.label">{escape(kind.name)}</data>']
        parts += [
            f"<data key={quoteattr(f'{what}.{name}')}>{escape(_xml(v))}</data>" for name, v in _given(kind, row).items()
        ]
        return "".join(parts)

    return _written(path, nodes, edges, head, node, edge, ("", "</graph>\n</graphml>\n"))


def _gexf(path: Path, nodes: list[_Kind], edges: list[_Kind]) -> tuple[int, int]:
    def head(file: IO[str]) -> None:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">\n')
        file.write('<graph defaultedgetype="directed">\n')
        for what, kinds in (("node", nodes), ("edge", edges)):
            file.write(f'<attributes class="{what}"><attribute id="kind" title="kind" type="string"/>\n')
            for name, form in _attributes(kinds).items():
                file.write(f'<attribute id={quoteattr(f"p.{name}")} title={quoteattr(name)} type="{form}"/>\n')
            file.write("</attributes>\n")
        file.write("<nodes>\n")

    def values(kind: _Kind, row: dict[str, Any]) -> str:
        parts = [f'<attvalue for="kind" value={quoteattr(kind.name)}/>']
        parts += [
            f"<attvalue for={quoteattr(f'p.{n}')} value={quoteattr(_xml(v))}/>" for n, v in _given(kind, row).items()
        ]
        return f"<attvalues>{''.join(parts)}</attvalues>"

    def node(kind: _Kind, row: dict[str, Any]) -> str:
        name, shown = quoteattr(_xml(_node_id(kind.name, row[kind.key]))), quoteattr(_xml(row[kind.key]))
        return f"<node id={name} label={shown}>{values(kind, row)}</node>\n"

    def edge(kind: _Kind, row: dict[str, Any], number: int) -> str:
        source, target = (quoteattr(_xml(end)) for end in _ends(kind, row))
        return f'<edge id="{number}" source={source} target={target}>{values(kind, row)}</edge>\n'

    return _written(path, nodes, edges, head, node, edge, ("</nodes>\n<edges>\n", "</edges>\n</graph>\n</gexf>\n"))


def _written(
    path: Path, nodes: list[_Kind], edges: list[_Kind], head: Callable[[IO[str]], None],
    node: Callable[[_Kind, dict[str, Any]], str], edge: Callable[[_Kind, dict[str, Any], int], str],
    closing: tuple[str, str],
) -> tuple[int, int]:  # fmt: skip
    counted = [0, 0]
    with open(path, "w", encoding="utf-8", opener=_private) as file:
        head(file)
        for kind in nodes:
            for row in _rows(kind):
                file.write(node(kind, row))
                counted[0] += 1
        file.write(closing[0])
        for kind in edges:
            for row in _rows(kind):
                file.write(edge(kind, row, counted[1]))
                counted[1] += 1
        file.write(closing[1])
    return counted[0], counted[1]


def _attributes(kinds: list[_Kind]) -> dict[str, str]:
    """Every property with its type; one that two kinds have with different types is a text."""
    found: dict[str, str] = {}
    for kind in kinds:
        for name, declared in kind.columns.items():
            form = _XML_TYPES.get(declared, "long" if declared.startswith(("INT", "UINT", "SERIAL")) else "string")
            form = "string" if declared.endswith("]") else form
            found[name] = form if found.get(name, form) == form else "string"
    return found


_WRITERS: dict[str, Callable[[Path, list[_Kind], list[_Kind]], tuple[int, int]]] = {
    "graphml": _graphml, "gexf": _gexf, "jsonl": _json_lines, "csv": _csv,
}  # fmt: skip
