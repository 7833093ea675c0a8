"""Output that is longer than the terminal goes through the reader's pager."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paged() -> Iterator[None]:
    """Collect what is printed here, and show it at the end: through $PAGER where it is longer than the terminal.

    Nothing is held open meanwhile, since the command is done by then. What is no terminal gets its output as it comes.
    `less` is taken where PAGER does not say; an empty PAGER, or 'cat', is none.
    """
    pager = _pager()
    if not sys.stdout.isatty() or pager is None:
        yield
        return
    screen, collected = sys.stdout, _Collected(sys.stdout.encoding)
    sys.stdout = collected
    try:
        yield
    finally:
        sys.stdout = screen
        text = collected.getvalue()
        if not (_fills_screen(text) and _shown_by(pager, text)):
            screen.write(text)
            screen.flush()


class _Collected(io.StringIO):
    """Text for a terminal: what prints into it may use colours, and the terminal's width."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return True


def _pager() -> list[str] | None:
    import shlex
    import shutil

    given = os.environ.get("PAGER")
    if os.environ.get("TERM") == "dumb" or (given is not None and given.strip() in ("", "cat")):
        return None
    if given is not None:
        try:
            return shlex.split(given)
        except ValueError:  # a quote that is not closed
            return None
    found = shutil.which("less")
    return [found] if found is not None else None


def _fills_screen(text: str) -> bool:
    import re
    import shutil

    size = shutil.get_terminal_size()
    shown = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return sum(1 + max(len(line) - 1, 0) // size.columns for line in shown.splitlines()) >= size.lines


def _shown_by(pager: list[str], text: str) -> bool:
    """Whether the pager could be started. It may be left before the end."""
    import subprocess

    # As git does: colours, lines kept on the screen, and no page for what fits; a LESS of the reader's own comes first.
    variables = {"LESS": "FRX", **os.environ}
    try:
        process = subprocess.Popen(pager, stdin=subprocess.PIPE, env=variables, encoding="utf-8", errors="replace")
    except OSError:
        return False
    assert process.stdin is not None
    try:
        process.stdin.write(text)
        process.stdin.close()
    except BrokenPipeError:
        pass
    while True:
        try:
            process.wait()
            return True
        except KeyboardInterrupt:  # it is the pager's, which stays
            continue
