"""The tables as the schema files declare them, all versions applied: what every engine's graph is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from graphvine.queries.errors import QueryFileError
from graphvine.queries.tokens import Token, tokenise
from graphvine.schema.files import Migration

_TYPES = {"BOOLEAN": "BOOL"}
_NOT_COLUMNS = {"MANY_MANY", "MANY_ONE", "ONE_MANY", "ONE_ONE"}


@dataclass(frozen=True, slots=True)
class Table:
    """A kind of node with its key, or a kind of relationship with the tables of its two ends."""

    name: str
    entity: str
    columns: dict[str, str]
    # What a column holds where nothing is said.
    defaults: dict[str, Any]
    key: str = ""
    source: str = ""
    target: str = ""

    @property
    def kind(self) -> str:
        return "REL" if self.source else "NODE"

    @property
    def lists(self) -> dict[str, str]:
        """The columns that hold a list of numbers as text, with the list's type: `old_<column>` has its older ones."""
        return {
            name: self.columns[f"old_{name}"]
            for name, kind in self.columns.items()
            if kind == "STRING" and self.columns.get(f"old_{name}", "").endswith("[]")
        }

    @property
    def values(self) -> dict[str, str]:
        """The columns as every engine can hold them: a list is a list."""
        lists = self.lists
        return {
            name: lists.get(name, kind)
            for name, kind in self.columns.items()
            if name.removeprefix("old_") not in lists or not name.startswith("old_")
        }


def tables(*folders: Path) -> dict[str, Table]:
    """Every table of the package, and of further folders, in the order in which they are made."""
    return dict(_tables(folders))


@cache
def _tables(folders: tuple[Path, ...]) -> dict[str, Table]:
    from graphvine.schema import migrations

    found: dict[str, Table] = {}
    for steps in migrations("kuzu", *folders).values():
        for migration in steps:
            apply(migration, found)
    return found


def apply(migration: Migration, found: dict[str, Table]) -> None:
    """Change the tables as this migration does."""
    for text in migration.statements:
        tokens = [token for token in tokenise(text, migration.file) if token.kind != "comment"]
        words = [token.text.upper() for token in tokens[:3]]
        if words in (["CREATE", "NODE", "TABLE"], ["CREATE", "REL", "TABLE"]):
            table = _created(tokens, migration, words[1])
            found[table.name] = table
        elif words[:2] == ["ALTER", "TABLE"]:
            table = _altered(tokens, migration, found)
            found[table.name] = table


def _refuse(migration: Migration, what: str) -> NoReturn:
    raise QueryFileError(migration.file, migration.line, f"{what}: schema/tables.py can't read this statement")


def _created(tokens: Sequence[Token], migration: Migration, kind: str) -> Table:
    at = next((at for at, token in enumerate(tokens) if token.text == "("), None)
    if at is None:
        _refuse(migration, "a table without columns")
    name, key, ends = tokens[at - 1].text, "", [""]
    columns: dict[str, str] = {}
    defaults: dict[str, Any] = {}
    for part in _parts(tokens[at + 1 : -1]):
        words = [token.text.upper() for token in part]
        if words[0] == "FROM":
            ends.append(f"{part[1].text} {part[3].text}")
        elif words[:2] == ["PRIMARY", "KEY"]:
            key = part[3].text
        elif words[0] not in _NOT_COLUMNS:
            columns[_column(part[0])] = _type(part[1:])
            key = _column(part[0]) if "PRIMARY" in words else key
            if "DEFAULT" in words:
                defaults[_column(part[0])] = _value(part[words.index("DEFAULT") + 1 :])
    if len(ends) > 2 or (kind == "REL") != (len(ends) == 2):
        _refuse(migration, f"{name}: a relationship leads from one table to one other")
    source, _, target = ends[-1].partition(" ")
    return Table(name, migration.entity, columns, defaults, key, source, target)


def _altered(tokens: Sequence[Token], migration: Migration, found: dict[str, Table]) -> Table:
    name, what = tokens[2].text, tokens[3].text.upper()
    rest = [token for token in tokens[4:] if token.text.upper() not in {"IF", "NOT", "EXISTS", "COLUMN"}]
    if name not in found or what not in {"ADD", "DROP", "RENAME"}:
        _refuse(migration, f"a change of {name} by {what}: only ADD, DROP and RENAME of a known table's columns")
    columns, defaults = dict(found[name].columns), dict(found[name].defaults)
    words = [token.text.upper() for token in rest]
    if what == "ADD":
        columns[_column(rest[0])] = _type(rest[1:])
        if "DEFAULT" in words:
            defaults[_column(rest[0])] = _value(rest[words.index("DEFAULT") + 1 :])
    elif what == "RENAME":
        if len(rest) < 3 or words[1] != "TO":
            _refuse(migration, f"a change of {name} by RENAME: only `RENAME column TO column`")
        columns[_column(rest[2])] = columns.pop(_column(rest[0]))
        if _column(rest[0]) in defaults:
            defaults[_column(rest[2])] = defaults.pop(_column(rest[0]))
    else:
        columns.pop(_column(rest[0]))
        defaults.pop(_column(rest[0]), None)
    return replace(found[name], columns=columns, defaults=defaults)


def _column(token: Token) -> str:
    """A column's name, which stands in backticks where an engine has the word for something else."""
    return token.text.strip("`")


def _type(tokens: Sequence[Token]) -> str:
    """A type stands behind the name of its column, up to the words that say more of it."""
    said = ""
    for token in tokens:
        if token.text.upper() in {"DEFAULT", "PRIMARY"}:
            break
        said += token.text.upper()
    return _TYPES.get(said, said)


def _value(tokens: Sequence[Token]) -> Any:
    """A default: a text, a whole number, or true or false."""
    if tokens[0].kind == "string":
        return tokens[0].content
    if tokens[0].name in ("true", "false"):
        return tokens[0].name == "true"
    return int("".join(token.text for token in tokens[:2] if token.text == "-" or token.kind == "number"))


def _parts(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """What stands between commas, those inside brackets aside."""
    part: list[Token] = []
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == "," and depth == 0:
            yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part
