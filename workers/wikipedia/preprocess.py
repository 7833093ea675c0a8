"""Takes comments, extension tags and templates out of wikitext, in one pass, as MediaWiki's preprocessor does.

What is left is text with links, tables, tags and lines. The work is proportional to the length of the text, however it
is nested or torn: every character is looked at once, and what is nested deeper than any real page is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from graphvine.workers.wikipedia.placeholders import ASIDE, ASIDE_END, SEAM

# MediaWiki stops at 100; each level may copy what stands inside it once.
MAX_DEPTH = 100

_RAW = frozenset({"nowiki", "pre", "syntaxhighlight", "source", "math", "chem", "ce"})
_RAW_BLOCKS = frozenset({"pre", "syntaxhighlight", "source"})
# Not part of the text, but their links are links of the page.
_LINKING = frozenset({"ref", "references", "gallery", "imagemap", "indicator"})
_DROPPED = frozenset(
    {
        "timeline", "score", "templatestyles", "section", "graph", "mapframe", "maplink", "hiero", "inputbox",
        "categorytree", "style", "script", "templatedata", "dynamicpagelist", "rss", "phonos", "includeonly",
    }
)  # fmt: skip
_TAGS = "|".join(sorted(_RAW | _LINKING | _DROPPED, key=len, reverse=True))
_OUTSIDE = re.compile(rf"<!--|\{{\{{+|<({_TAGS})(?=[\s/>])|</?(?:noinclude|onlyinclude)\s*>", re.IGNORECASE)
_INSIDE = re.compile(rf"{_OUTSIDE.pattern}|\}}{{2,3}}|\[\[|\]\]|\||=", re.IGNORECASE)
_CLOSING = {tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in _RAW | _LINKING | _DROPPED}
_MAY_LINK = re.compile(r"\[\[|link\s*=|\{\{\s*(?:ill|interlanguage|main|see|further)\b", re.IGNORECASE)
_LINK_OPTION = re.compile(r"\|[ \t]*link[ \t]*=([^|\n\[\]]+)")
_DIGIT = re.compile(r"\d")


class Aside(NamedTuple):
    """A text that was taken out: shown as it is, or wikitext of which only the links count."""

    kind: Literal["raw", "links"]
    text: str


class Arguments:
    """The arguments of a template by name, the unnamed ones by number; remembers which of them were shown."""

    def __init__(self, pairs: Sequence[tuple[str | None, str]] = ()) -> None:
        self._values: dict[str, str] = {}
        self._shown: set[str] = set()
        self.count = 0
        for name, value in pairs:
            if name is None:
                self.count += 1
                self._values[str(self.count)] = value
            else:
                self._values[name] = value.strip()
                # Numbered by hand, for a value with an equals sign in it.
                self.count += name == str(self.count + 1)

    def show(self, *names: str | int) -> str:
        """The first of these that says something, which becomes part of the text."""
        for name in map(str, names):
            if self._values.get(name, "").strip():
                self._shown.add(name)
                return self._values[name]
        return ""

    def look(self, name: str | int) -> str:
        """A value that is only asked for; what is not shown is kept for its links."""
        return self._values.get(str(name), "").strip()

    def show_all(self, first: int = 1, last: int | None = None) -> list[str]:
        """All unnamed ones that say something."""
        shown = [self.show(place) for place in range(first, (self.count if last is None else last) + 1)]
        return [value for value in shown if value.strip()]

    def numbered(self) -> list[str]:
        """The unnamed ones, to be looked at."""
        return [self.look(place) for place in range(1, self.count + 1)]

    @property
    def has_number(self) -> bool:
        return any(_DIGIT.search(self.look(place)) for place in range(1, self.count + 1))

    def left(self) -> str:
        """What was not shown and may hold links."""
        values = (value for name, value in self._values.items() if name not in self._shown)
        return "\n".join(value for value in values if "[[" in value or ASIDE in value)


Render = Callable[[str, Arguments], str]


class _Piece:
    """Braces that are open: `{{` or more of them, with the parts that stand between pipes."""

    __slots__ = ("count", "equals", "parts")

    def __init__(self, count: int, start: str = "") -> None:
        self.count = count
        self.parts: list[list[str]] = [[start] if start else []]
        # For each part the place of its first equals sign.
        self.equals: list[int | None] = [None]


class Preprocessor:
    """One page. `render` is asked for the wikitext of each template: its name, and its arguments as wikitext."""

    def __init__(self, render: Render) -> None:
        self._render = render
        self.aside: list[Aside] = []

    def put_aside(self, kind: Literal["raw", "links"], text: str) -> str:
        """Keep a text and return the mark that stands for it."""
        self.aside.append(Aside(kind, text))
        return f"{ASIDE}{len(self.aside) - 1}{ASIDE_END}"

    def links_in(self, wikitext: str) -> str:
        """The mark for wikitext of which only the links count; nothing where there can be none."""
        if not _MAY_LINK.search(wikitext):
            return ""
        return self.put_aside("links", self.expand(wikitext))

    def expand(self, text: str) -> str:
        """The text without comments, extension tags and templates."""
        return _Scan(self, text).run()

    def template(self, piece: _Piece, braces: int, depth: int) -> str:
        """What stands in the place of a template or, with three braces, of a parameter."""
        if depth > MAX_DEPTH:
            return SEAM
        if braces == 3:
            return "".join(piece.parts[1]) if len(piece.parts) > 1 else SEAM
        pairs: list[tuple[str | None, str]] = []
        for part, equals in zip(piece.parts[1:], piece.equals[1:], strict=True):
            if equals is None:
                pairs.append((None, "".join(part)))
            else:
                pairs.append(("".join(part[:equals]).strip(), "".join(part[equals + 1 :])))
        arguments = Arguments(pairs)
        shown = self._render("".join(piece.parts[0]), arguments)
        left = arguments.left()
        return shown + self.put_aside("links", left) if left else shown

    def tag(self, name: str, content: str) -> str:
        """What stands in the place of an extension tag with its content."""
        if name == "nowiki":
            return self.put_aside("raw", content)
        if name in _RAW:
            if name in _RAW_BLOCKS:  # its lines are its own: those around it stay as they are
                return self.put_aside("raw", f"\n{content}\n")
            return SEAM + self.put_aside("raw", content) + SEAM
        if name not in _LINKING:
            return SEAM
        if name == "gallery":
            content = _LINK_OPTION.sub(r"|[[:\1]]", content)
        return SEAM + self.links_in(content)


class _Scan:
    """One walk over one text."""

    def __init__(self, owner: Preprocessor, text: str) -> None:
        self._owner, self._text, self._at = owner, text, 0
        self._root: list[str] = []
        # Open braces, and None for an open link: pipes and braces inside one are its own.
        self._open: list[_Piece | None] = []
        self._pieces: list[_Piece] = []
        self._next_end = -1
        self._never_closed: set[str] = set()

    def run(self) -> str:
        text = self._text
        while found := (_INSIDE if self._pieces else _OUTSIDE).search(text, self._at):
            if found.start() > self._at:
                self._out.append(text[self._at : found.start()])
            self._at = found.end()
            self._token(found)
        self._out.append(text[self._at :])
        # What was opened and never closed is text.
        for piece in self._pieces:
            self._root.append("{" * piece.count)
            for place, part in enumerate(piece.parts):
                self._root += ["|", *part] if place else part
        return "".join(self._root)

    @property
    def _out(self) -> list[str]:
        return self._pieces[-1].parts[-1] if self._pieces else self._root

    def _token(self, found: re.Match[str]) -> None:
        token = found[0]
        match token[0]:
            case "{":
                self._open.append(piece := _Piece(len(token)))
                self._pieces.append(piece)
            case "}":
                self._close(found)
            case "[":
                self._open.append(None)
                self._out.append(token)
            case "]":
                if self._open[-1] is None:
                    self._open.pop()
                self._out.append(token)
            case "|" | "=":
                self._separate(token)
            case _:
                self._tag(found)

    def _separate(self, token: str) -> None:
        piece = self._open[-1]
        if piece is not None and token == "|":
            piece.parts.append([])
            piece.equals.append(None)
            return
        if piece is not None and len(piece.parts) > 1 and piece.equals[-1] is None:
            piece.equals[-1] = len(piece.parts[-1])
        self._out.append(token)

    def _close(self, found: re.Match[str]) -> None:
        piece = self._open[-1]
        if piece is None:
            self._out.append(found[0])
            return
        braces = min(len(found[0]), piece.count, 3)
        self._at = found.start() + braces
        depth = len(self._pieces)
        self._open.pop()
        self._pieces.pop()
        made = self._owner.template(piece, braces, depth)
        left = piece.count - braces
        if left >= 2:
            self._open.append(again := _Piece(left, made))
            self._pieces.append(again)
        else:
            self._out.append("{" * left + made)

    def _tag(self, found: re.Match[str]) -> None:
        text, start = self._text, found.start()
        if found[0] == "<!--":
            self._comment(start)
        elif found[1] is None:
            pass  # <noinclude> and <onlyinclude> show what is in them
        elif (end := self._end_of_tag(found.end())) < 0:
            self._out.append(found[0])
        elif text[end - 1] == "/":
            self._at = end + 1
            self._out.append("" if found[1].lower() == "nowiki" else SEAM)
        else:
            self._at = end + 1
            self._content(found[1].lower(), text[found.end() : end])

    def _content(self, name: str, attributes: str) -> None:
        closing = None if name in self._never_closed else _CLOSING[name].search(self._text, self._at)
        if closing is not None:
            content = self._text[self._at : closing.start()]
            self._at = closing.end()
            # A gallery's caption is one of its attributes.
            self._out.append(self._owner.tag(name, f"{attributes}\n{content}" if name == "gallery" else content))
        elif name == "includeonly":
            self._at = len(self._text)
        else:
            self._never_closed.add(name)
            self._out.append(SEAM)

    def _comment(self, start: int) -> None:
        text, end = self._text, self._text.find("-->", start + 4)
        end = len(text) if end < 0 else end + 3
        self._at = end
        # A comment that has its lines for itself takes the line along.
        after = end
        while after < len(text) and text[after] in " \t":
            after += 1
        if text[after : after + 1] == "\n":
            before = start - 1
            while before >= 0 and text[before] in " \t":
                before -= 1
            if before < 0 or text[before] == "\n":
                self._at = after + 1

    def _end_of_tag(self, after: int) -> int:
        """The place of the next `>`, looked for once however many tags lack one; -1 where there is none."""
        if self._next_end < after and self._next_end != len(self._text):
            found = self._text.find(">", after)
            self._next_end = len(self._text) if found < 0 else found
        return -1 if self._next_end == len(self._text) else self._next_end
