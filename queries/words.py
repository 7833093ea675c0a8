"""The words of Cypher that the checks look for, in small letters."""

from __future__ import annotations

WRITES = frozenset({"set", "create", "merge", "delete", "remove", "drop", "alter", "copy"})

# fmt: off
CLAUSES = frozenset({
    "match", "optional", "where", "set", "create", "merge", "with", "return", "unwind", "delete", "detach",
    "remove", "call", "order", "limit", "skip", "on", "foreach", "union", "copy", "load", "alter", "drop",
    "yield",
})

# Words that may stand before a parenthesis without calling anything.
BEFORE_PARENTHESES = frozenset({
    "match", "create", "merge", "where", "and", "or", "xor", "not", "in", "on", "return", "with", "then",
    "else", "when", "set", "by", "case", "unwind", "distinct", "limit", "skip", "from", "to", "as",
})

# What an engine would answer differently each time it is asked.
CLOCKS = frozenset({
    "current_timestamp", "current_date", "current_time", "currenttimestamp", "now", "localdatetime",
    "localtime", "rand", "random", "gen_random_uuid", "randomuuid",
})
# fmt: on

# These convert a value that they are given; without one they ask the clock.
CLOCKS_WHEN_EMPTY = frozenset({"datetime", "timestamp", "date", "time"})
CLOCK_METHODS = frozenset({"transaction", "statement", "realtime"})
