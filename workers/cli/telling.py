"""How what went wrong is told: one sentence on standard error, and an exit status."""

from __future__ import annotations

import os
import sys

from graphvine.workers.cli.text import printable

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141


def tell(error: BaseException, *, verbose: bool) -> int:
    """Say what went wrong, and return the exit status for it."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        _write_nowhere()
        return PIPE_CLOSED
    if verbose:
        import traceback

        traceback.print_exception(error)
    print(f"error: {printable(_sentence(error))}", file=sys.stderr)
    return FAILED


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _write_nowhere() -> None:
    """Whoever read our output is gone; without this Python would complain once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
