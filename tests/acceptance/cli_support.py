"""How the tests of the command line run it: inside this process, or as the installed command in one of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from graphvine.clock import SystemClock
from graphvine.workers.cli.main import app
from tests.support.articles import linking
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT

COMMAND = Path(sys.executable).with_name("graphvine")
# A title that would steer a terminal, and that rich would take for markup.
WILD = "[red]Wild\x1b[31m vine[/red]"
TRACE = 'File "vine.py", line 1\nValueError: no leaves'


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(*arguments: str, status: int = 0, stdin: str | None = None) -> Said:
    """Run a command in this process."""
    result = CliRunner().invoke(app, list(arguments), input=stdin, prog_name="graphvine", env={"COLUMNS": None})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    said = Said(result.exit_code, result.stdout, result.stderr)
    assert said.status == status, said
    return said


def environment(**variables: str) -> dict[str, str]:
    """Nobody's own settings, and no terminal's width."""
    mine = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES", "NO_COLOR"}}
    return {**mine, **variables}


def process(*arguments: str, cwd: Path, status: int = 0, stdin: str = "", **variables: str) -> Said:
    """Run the installed command in a process of its own."""
    done = subprocess.run(
        [COMMAND, *arguments], cwd=cwd, input=stdin, capture_output=True, text=True, timeout=WAIT_LIMIT,
        env=environment(**variables),
    )  # fmt: skip
    said = Said(done.returncode, done.stdout, done.stderr)
    assert said.status == status, said
    return said


def plant(place: Place) -> None:
    """One article in each situation: done, failed, failed with a wild title, backing off, waiting."""
    with place.open(SystemClock(), backoff_seconds=3600) as graph:
        claims = graph.claims("article", "gardener")
        graph.seed("article", ["Vine"])
        (vine,) = claims.claim(1)
        claims.complete(vine, linking(graph, vine, ["Ivy"]))
        (ivy,) = claims.claim(1)
        claims.fail(ivy, "no leaves at all", permanent=True, trace=TRACE)
        graph.seed("article", [WILD])
        (wild,) = claims.claim(1)
        claims.fail(wild, "too [bold]wild[/bold]\x1b[2J", permanent=True)
        graph.seed("article", ["Moss"])
        (moss,) = claims.claim(1)
        claims.fail(moss, "too damp")
        graph.seed("article", ["Fern"])


def terminal(*arguments: str, cwd: Path, rows: int = 24, columns: int = 80, **variables: str) -> tuple[int, str]:
    """Run the installed command at a terminal of this size; its status, and all that it showed."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    child = subprocess.Popen(
        [COMMAND, *arguments], cwd=cwd, stdin=its, stdout=its, stderr=its, env=environment(TERM="xterm", **variables),
        start_new_session=True,
    )  # fmt: skip
    os.close(its)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # nobody has the other end any more
        pass
    finally:
        os.close(ours)
    return child.wait(WAIT_LIMIT), shown.decode().replace("\r\n", "\n")
