"""What a statement does, read from its tokens in one pass; whether that is right is decided elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphvine.queries.errors import QueryFileError
from graphvine.queries.proof.values import entry_end, words_of
from graphvine.queries.tokens import CLAUSES, NodeHead, Token, function_call, is_keyword, node_head, writes

# What an engine would answer differently each time it is asked.
# fmt: off
_CLOCKS = frozenset({
    "current_timestamp", "current_date", "current_time", "currenttimestamp", "now", "localdatetime",
    "localtime", "rand", "random", "gen_random_uuid", "randomuuid",
})
# fmt: on
# These convert a value that they are given; without one they ask the clock.
_CLOCKS_WHEN_EMPTY = frozenset({"datetime", "timestamp", "date", "time"})
_CLOCK_METHODS = frozenset({"transaction", "statement", "realtime"})
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_DEEPEST_BRACKETS = 50


@dataclass(slots=True)
class Assigned:
    """A column is given a value. `words` is None when the value is not made of words in quotes."""

    variable: str
    column: str
    words: frozenset[str] | None
    value: str
    line: int


@dataclass(slots=True)
class Compared:
    variable: str
    column: str
    words: frozenset[str]
    line: int


@dataclass(slots=True)
class Facts:
    parameters: dict[str, int] = field(default_factory=dict)
    writes: bool = False
    assigned: list[Assigned] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    # Variables whose columns are all written at once, so that nothing can be proved of any of them.
    replaced: list[tuple[str, int]] = field(default_factory=list)
    # Labels of which rows may be made.
    made: list[tuple[str, int]] = field(default_factory=list)
    looked_at: set[str] = field(default_factory=set)
    clocks: list[tuple[str, int]] = field(default_factory=list)
    unwound_fields: list[tuple[str, int]] = field(default_factory=list)
    returned: set[str] = field(default_factory=set)
    labels: dict[str, set[str]] = field(default_factory=dict)

    def may_be(self, variable: str, label: str) -> bool:
        """Whether a variable can stand for a node of this label; one without a known label can."""
        known = self.labels.get(variable)
        return not known or label.lower() in known


@dataclass(slots=True)
class _Frame:
    """One level of brackets."""

    clause: str = ""
    negated: bool = False
    # The next token opens the target of a SET, or an entry of a map.
    target: bool = False
    sets: bool = False
    cases: int = 0
    map_of: NodeHead | None = None
    in_matched_map: bool = False


def facts_of(tokens: Sequence[Token], file: str) -> Facts:
    """Read a statement; its tokens come without comments."""
    return _Reader(tokens, file).run()


def match_brackets(tokens: Sequence[Token], file: str) -> dict[int, int]:
    """Where each opening bracket is closed."""
    open_at: list[int] = []
    closed: dict[int, int] = {}
    for at, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in _PAIRS:
            open_at.append(at)
            if len(open_at) > _DEEPEST_BRACKETS:
                raise QueryFileError(file, token.line, f"brackets go more than {_DEEPEST_BRACKETS} deep here")
        elif token.text in _PAIRS.values():
            if not open_at or _PAIRS[tokens[open_at[-1]].text] != token.text:
                raise QueryFileError(file, token.line, f"`{token.text}` closes nothing that is open")
            closed[open_at.pop()] = at
    if open_at:
        left = tokens[open_at[-1]]
        raise QueryFileError(file, left.line, f"`{left.text}` is never closed")
    return closed


class _Reader:
    def __init__(self, tokens: Sequence[Token], file: str) -> None:
        self.tokens = tokens
        self.closed = match_brackets(tokens, file)
        self.facts = Facts(writes=writes(tokens))
        self.frames = [_Frame()]
        self.maps: dict[int, NodeHead] = {}
        self.unwound: set[str] = set()

    def text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def name(self, at: int) -> str:
        return self.tokens[at].name if 0 <= at < len(self.tokens) else ""

    def run(self) -> Facts:
        for at, token in enumerate(self.tokens):
            frame = self.frames[-1]
            if token.kind == "parameter":
                self.facts.parameters.setdefault(token.text[1:], token.line)
            if frame.target and token.text not in {"}", ")"}:
                frame.target = False
                self.map_entry(frame.map_of, at) if frame.map_of else self.set_target(frame, at)
            if token.kind == "mark":
                self.mark(frame, at, token.text)
            elif token.name:
                self.word(frame, at, token)
        return self.facts

    def mark(self, frame: _Frame, at: int, text: str) -> None:
        if text in _PAIRS:
            self.open_bracket(frame, at, text)
        elif text in {")", "]", "}"}:
            self.frames.pop()
        elif text == ",":
            frame.target = frame.map_of is not None or (frame.sets and frame.cases == 0)

    def open_bracket(self, frame: _Frame, at: int, text: str) -> None:
        before = at - 2 if self.name(at - 1) == "exists" else at - 1
        negated = frame.negated or self.name(before) == "not"
        inner = _Frame(frame.clause, negated, in_matched_map=frame.in_matched_map)
        if text == "{":
            inner.map_of = self.maps.get(at)
            inner.target = inner.map_of is not None
            inner.in_matched_map |= inner.map_of is not None and inner.map_of.matches
        elif text == "[" and self.text(at - 1) in {"-", "<-"}:
            self.labelled(node_head(self.tokens, at, frame.clause))
        elif text == "(" and not function_call(self.tokens, at):
            head = node_head(self.tokens, at, frame.clause)
            self.labelled(head)
            if head.opens is not None:
                self.maps[head.opens] = head
            if head.clause in {"create", "merge"}:
                self.facts.made += [(label, self.tokens[at].line) for label in head.labels]
        self.frames.append(inner)

    def labelled(self, head: NodeHead) -> None:
        if head.variable and head.labels:
            self.facts.labels.setdefault(head.variable, set()).update(head.labels)

    def word(self, frame: _Frame, at: int, token: Token) -> None:
        self.clock(at, token)
        name = token.name
        if self.text(at - 1) == ".":
            self.property(frame, at, name)
        elif frame.in_matched_map and name in self.unwound and self.text(at + 1) == ".":
            self.facts.unwound_fields.append((f"{token.text}.{self.text(at + 2)}", token.line))
        if is_keyword(self.tokens, at):
            self.keyword(frame, at, name)
        elif self.name(at - 1) == "as":
            self.alias(frame, at, name)
        if frame.clause == "return" and len(self.frames) == 1:
            self.returned(at, name)

    def keyword(self, frame: _Frame, at: int, name: str) -> None:
        if name == "case":
            frame.cases += 1
        elif name == "end":
            frame.cases = max(0, frame.cases - 1)
        elif name in CLAUSES and self.name(at - 1) != "on" and not self.operator(at, name):
            frame.clause, frame.cases = name, 0
            frame.sets = frame.target = name in {"set", "remove"}
            if name == "return" and len(self.frames) == 1:
                self.facts.returned.clear()
            elif name == "copy":
                self.facts.made.append((self.name(at + 1), self.tokens[at].line))

    def operator(self, at: int, name: str) -> bool:
        """STARTS WITH and ENDS WITH are no clauses."""
        return name == "with" and self.name(at - 1) in {"starts", "ends"}

    def alias(self, frame: _Frame, at: int, name: str) -> None:
        # WITH r AS q: q is as unwound as r was.
        passed_on = self.name(at - 2) in self.unwound and self.text(at - 3) != "."
        if frame.clause == "unwind" or (frame.clause == "with" and passed_on):
            self.unwound.add(name)

    def returned(self, at: int, name: str) -> None:
        before, after = self.name(at - 1), self.text(at + 1)
        alone = before in {"return", "distinct"} or self.text(at - 1) == ","
        ended = after in {"", ",", "}"} or self.name(at + 1) in {"order", "limit", "skip", "union"}
        if before == "as" or (alone and ended):
            self.facts.returned.add(name)

    def clock(self, at: int, token: Token) -> None:
        name = token.name
        called = self.text(at + 1) == "("
        empty = called and self.text(at + 2) == ")"
        method = self.text(at + 1) == "." and self.name(at + 2) in _CLOCK_METHODS and self.text(at + 3) == "("
        if (name in _CLOCKS and called) or (name in _CLOCKS_WHEN_EMPTY and (empty or method)):
            self.facts.clocks.append((f"{token.text}()", token.line))

    def property(self, frame: _Frame, at: int, column: str) -> None:
        """A column by name: note what it is compared with."""
        variable = self.name(at - 2)
        if frame.clause != "where":
            return
        self.facts.looked_at.add(column)
        if frame.negated or self.name(at - 3) == "not":
            return
        words: set[str] = set()
        if self.text(at + 1) == "=" and at + 2 < len(self.tokens) and self.tokens[at + 2].kind == "string":
            words.add(self.tokens[at + 2].content)
        elif self.text(at - 3) == "=" and at >= 4 and self.tokens[at - 4].kind == "string":
            words.add(self.tokens[at - 4].content)
        elif self.name(at + 1) == "in" and self.text(at + 2) == "[":
            listed = self.tokens[at + 3 : self.closed[at + 2]]
            words.update(token.content for token in listed if token.kind == "string")
        if words:
            self.facts.compared.append(Compared(variable, column, frozenset(words), self.tokens[at].line))

    def set_target(self, frame: _Frame, at: int) -> None:
        line, variable, then = self.tokens[at].line, self.name(at), self.text(at + 1)
        if then == "." and self.name(at + 2):
            self.assign(variable, self.name(at + 2), at + 4 if frame.clause == "set" else None, line)
        elif then == "+=" and self.text(at + 2) == "{":
            self.maps[at + 2] = NodeHead(variable, frozenset(), "set", at + 2)
        elif then in {"=", "+=", "["}:
            self.facts.replaced.append((variable, line))

    def map_entry(self, entry_of: NodeHead | None, at: int) -> None:
        if entry_of is None or self.text(at + 1) != ":":
            return
        column, line = self.name(at), self.tokens[at].line
        variable = entry_of.variable or f"({entry_of.opens})"
        if entry_of.labels and variable not in self.facts.labels:
            self.facts.labels[variable] = set(entry_of.labels)
        if entry_of.clause in {"set", "create", "merge"}:
            self.assign(variable, column, at + 2, line)
        elif self.tokens[at + 2].kind == "string":
            words = frozenset({self.tokens[at + 2].content})
            self.facts.compared.append(Compared(variable, column, words, line))

    def assign(self, variable: str, column: str, start: int | None, line: int) -> None:
        if start is None:
            self.facts.assigned.append(Assigned(variable, column, None, "", line))
            return
        value = self.tokens[start : entry_end(self.tokens, start, self.closed)]
        own = (variable, column)
        lone = value[0].text if len(value) == 1 else ""
        self.facts.assigned.append(Assigned(variable, column, words_of(value, own), lone, line))
