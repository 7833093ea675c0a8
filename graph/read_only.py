"""Decides from its tokens whether Cypher only reads, before any engine sees it.

What is not known to read is refused: a write in disguise, a file, a procedure, a transaction of one's own.
"""

from __future__ import annotations

from graphvine.errors import QueryFileError, WriteRefused
from graphvine.queries.tokens import WRITES, Token, tokenise

_LONGEST = 100_000
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


def refuse_writes(text: str) -> None:
    """Raise WriteRefused unless this is one statement that reads."""
    if len(text) > _LONGEST:
        raise WriteRefused(f"the query has {len(text)} characters, {_LONGEST} at most")
    try:
        tokens = [token for token in tokenise(text) if token.kind != "comment"]
    except QueryFileError as error:
        raise WriteRefused(f"the query can't be read: {error.message}") from None
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
        before = tokens[index - 1].text if index else ""
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        name = token.text.lower()
        if name in _FORBIDDEN and before not in {".", ":"} and after != ":":
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
