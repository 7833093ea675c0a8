"""The guard in front of typed Cypher, for every way in: it bounds what the engine has to plan, and knows what reads.

Kuzu and Ladybug plan by recursion, without a limit of time: 20,000 times NOT overflows their stack, 20 nested CASE take
them 18 seconds. What is not known to read is refused where only reading is allowed: a write in disguise, a file, a
procedure, a transaction of one's own.
"""

from __future__ import annotations

from pathlib import Path

from graphvine.errors import QueryFileError, QueryTooComplex, WriteRefused
from graphvine.queries.tokens import CLAUSES, WRITES, Token, tokenise

_MAX_CHARACTERS, _MAX_TOKENS = 100_000, 25_000
# Measured on Kuzu 0.11.3: each of these plans in a second or two; at ten times as much it takes minutes or crashes.
_MAX_DEPTH, _MAX_CASES, _MAX_OPERATORS, _MAX_CLAUSES = 40, 8, 2_000, 100
_OPENS, _CLOSES = frozenset("([{"), frozenset(")]}")
_OPERATORS = frozenset("+-*/%^=<>|&.") | {
    "<=", ">=", "<>", "=~", "and", "or", "xor", "not", "in", "is", "contains", "starts", "ends",
}  # fmt: skip
# What follows is no clause: a property, a label, STARTS WITH.
_BEFORE_NAMES = frozenset({".", ":", "starts", "ends"})
# Statements that run code, or read and write files of the machine that the engine runs on.
_IN_FOLDER = frozenset({"copy", "load"})
_FILES = {
    "copy": "COPY", "load": "LOAD", "install": "INSTALL", "uninstall": "UNINSTALL", "attach": "ATTACH",
    "export": "EXPORT DATABASE", "import": "IMPORT DATABASE",
}  # fmt: skip
_STARTS = frozenset({"match", "optional", "with", "unwind", "return", "call", "explain", "profile", "show", "("})
_FORBIDDEN = WRITES | {
    "foreach", "load", "install", "uninstall", "import", "export", "attach", "detach", "use", "begin", "commit",
    "rollback", "checkpoint", "insert", "grant", "revoke", "deny", "comment", "macro",
}  # fmt: skip
# Procedures that look and touch nothing, of all engines.
_PROCEDURES = {
    "show_tables", "table_info", "show_connection", "db_version", "bm_info", "show_functions", "show_indexes",
    "show_sequences", "storage_info", "stats_info", "current_setting", "query_fts_index", "query_vector_index",
    "show_attached_databases", "db.labels", "db.relationshiptypes", "db.propertykeys", "db.schema.visualization",
    "db.schema.nodetypeproperties", "db.schema.reltypeproperties", "db.indexes", "db.constraints", "db.ping",
    "dbms.components", "db.index.fulltext.querynodes", "db.index.vector.querynodes",
}  # fmt: skip


def check_complexity(text: str) -> list[Token]:
    """The tokens of a text; raises QueryTooComplex where planning it could take the engine down, or for ever."""
    if len(text) > _MAX_CHARACTERS:
        raise QueryTooComplex(f"the query has {len(text):,} characters, {_MAX_CHARACTERS:,} at most: use parameters")
    try:
        tokens = [token for token in tokenise(text) if token.kind != "comment"]
    except QueryFileError as error:
        raise WriteRefused(f"the query can't be read: {error.message}") from None
    if len(tokens) > _MAX_TOKENS:
        raise QueryTooComplex(f"the query has {len(tokens):,} tokens, {_MAX_TOKENS:,} at most: use parameters")
    levels, cases, clauses = [0], 0, 0  # operators since the last comma or clause, for each open bracket
    before = ""
    for token in tokens:
        word = token.name if token.kind == "word" else token.text
        if word in _OPENS:
            levels.append(0)
        elif word in _CLOSES:
            if len(levels) > 1:
                levels.pop()
            levels[-1] += 1  # an index or a call after it makes the expression one deeper
        elif word == ",":
            levels[-1] = 0
        elif word == ";":
            levels, cases, clauses = [0], 0, 0
        elif token.kind == "word" and word in CLAUSES and before not in _BEFORE_NAMES:
            levels[-1] = 0
            clauses += 1
        elif word in _OPERATORS:
            levels[-1] += 1
        elif token.kind == "word":
            cases = max(0, cases + (word == "case") - (word == "end"))
        before = word
        if len(levels) > _MAX_DEPTH:
            raise QueryTooComplex(f"the query is nested {len(levels)} deep, {_MAX_DEPTH} at most")
        if cases > _MAX_CASES:
            raise QueryTooComplex(f"CASE stands inside CASE {cases} deep, {_MAX_CASES} at most")
        if levels[-1] > _MAX_OPERATORS:
            raise QueryTooComplex(f"an expression has more than {_MAX_OPERATORS:,} operators: use IN with a parameter")
        if clauses > _MAX_CLAUSES:
            raise QueryTooComplex(f"the query has more than {_MAX_CLAUSES} clauses: split it")
    return tokens


def refuse_files(text: str, folder: str = "") -> None:
    """Raise WriteRefused for a statement that runs code or touches files of the engine's machine.

    With a folder, COPY and LOAD FROM may read and write the files that are in it.
    """
    tokens = check_complexity(text)
    for index, token in enumerate(tokens):
        first = not index or tokens[index - 1].text == ";"
        if token.kind != "word" or token.name not in _FILES or not (first or _is_keyword(tokens, index)):
            continue
        if not folder or token.name not in _IN_FOLDER or not _stays_in(tokens[index + 1 :], folder):
            raise WriteRefused(
                f"{_FILES[token.name]} is refused by HTTP: it reaches files of the daemon's machine. Run it with the"
                " daemon stopped, or name a folder for COPY and LOAD FROM in the setting serve.files_folder"
            )


def _stays_in(tokens: list[Token], folder: str) -> bool:
    """Whether what follows FROM and TO, at least once, is a text that names a file in this folder."""
    found = 0
    for at, token in enumerate(tokens[:-1]):
        if token.kind == "word" and token.name == "extension":
            return False
        if token.kind == "word" and token.name in {"from", "to"}:
            if tokens[at + 1].kind != "string" or not is_inside(tokens[at + 1].content, folder):
                return False
            found += 1
    return found > 0


def is_inside(path: str, folder: str) -> bool:
    """Whether a path, with its links followed, is in a folder."""
    try:
        return "://" not in path and Path(path).resolve().is_relative_to(Path(folder).resolve())
    except (OSError, ValueError):  # no path at all: a NUL in it, a loop of links
        return False


def _is_keyword(tokens: list[Token], index: int) -> bool:
    before = tokens[index - 1].text if index else ""
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    return before not in {".", ":"} and after != ":"


def refuse_writes(text: str) -> None:
    """Raise WriteRefused unless this is one statement that reads, and QueryTooComplex where it is too much."""
    tokens = check_complexity(text)
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        raise WriteRefused("the query is empty")
    first = tokens[0].text.lower()
    if first not in _STARTS:
        raise WriteRefused(_sentence(tokens[0]))
    for index, token in enumerate(tokens):
        if token.text == ";":
            raise WriteRefused("one statement at a time, please")
        if token.kind != "word":
            continue
        name = token.text.lower()
        if name in _FORBIDDEN and _is_keyword(tokens, index):
            raise WriteRefused(_sentence(token))
        if name == "call":
            _look_at_call(tokens, index)


def _look_at_call(tokens: list[Token], index: int) -> None:
    """A sub-query is looked at like the rest; a procedure must be one that is known to read."""
    words = []
    for token in tokens[index + 1 :]:
        if token.kind not in {"word", "quoted"} and token.text != ".":
            break
        words.append(token.text.strip("`").lower())
    opens = tokens[index + 1 + len(words)].text if index + 1 + len(words) < len(tokens) else ""
    if not words and opens in {"{", "("}:
        return
    name = "".join(words)
    if name not in _PROCEDURES or opens not in {"(", ""}:
        raise WriteRefused(f"CALL {name} is not among the procedures that only read")


def _sentence(token: Token) -> str:
    where = f" (line {token.line})" if token.line > 1 else ""
    advice = "use --write, or Graph.execute, for statements that change something"
    return f"{token.text.upper()}{where} is not for reading: {advice}"
