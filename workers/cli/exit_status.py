"""Errors as one sentence and an exit status: docs/exit-codes.md."""

from __future__ import annotations

import os
import sys

from graphvine.workers.cli.output import printable

FAILED, WRONG_USE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141


def print_error(error: BaseException, *, verbose: bool) -> int:
    """Say what went wrong, and return the exit status for it."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        _write_nowhere()
        return PIPE_CLOSED
    from graphvine.redact import redact

    if verbose:
        import traceback

        print(redact("".join(traceback.format_exception(error))), end="", file=sys.stderr)
    print(f"error: {printable(redact(_sentence(error)))}", file=sys.stderr)
    from graphvine.errors import SettingsError, UnknownPipeline
    from graphvine.requests import BadRequest

    return WRONG_USE if isinstance(error, BadRequest | SettingsError | UnknownPipeline) else FAILED


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _write_nowhere() -> None:
    """Whoever read our output is gone; without this Python would complain once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
