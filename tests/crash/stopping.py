"""Stops a process between two of its steps, so that its parent can kill it there.

A step is whatever changes files: a call of the operating system, or of the engine where it commits, checkpoints or
copies. Nothing in the product knows of this: the functions are wrapped in the process that is to die.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphvine.engines.kuzu.session import Session
from graphvine.engines.kuzu.typed_writes import TypedWrites
from tests.support.processes import Send

# Syncing is no step: it changes nothing that a kill could leave behind.
_CALLS = ("mkdir", "rename", "replace", "unlink", "rmdir", "truncate", "pwrite", "sendfile")
_ENGINE_STEPS = ("CHECKPOINT", "COPY")


class Stopper:
    """Numbers the steps from when it is armed; at the one it is set to, it says so and waits for its end."""

    def __init__(self, send: Send, engine: str, stop_at: int | None) -> None:
        self._send, self._stop_at = send, stop_at
        self._armed = False
        self.seen: list[str] = []
        for name in _CALLS:
            self._wrap(os, name, lambda *given, name=name: f"{name} {_file(given)}")
        self._wrap(Session, "commit", lambda session: "COMMIT")
        self._wrap(Session, "run", lambda session, text, *_: _engine_step(text))
        self._wrap(Session, "table", lambda session, text, *_: _engine_step(text))
        # What somebody types and writes pages runs in a child, which dies with its parent.
        self._wrap(TypedWrites, "_run_in_child", lambda typed, text, *_: _engine_step(text))
        driver = importlib.import_module(engine)
        self._wrap(driver.Database, "__init__", lambda *_: "open the engine")
        self._wrap(driver.Database, "close", lambda database: "close the engine")

    def arm(self) -> None:
        self._armed = True

    def _wrap(self, owner: Any, name: str, describe: Callable[..., str | None]) -> None:
        real = getattr(owner, name)

        def step(*given: Any, **named: Any) -> Any:
            point = describe(*given) if self._armed else None
            if point is not None:
                self._before(point, real, given)
            return real(*given, **named)

        setattr(owner, name, step)

    def _before(self, point: str, real: Callable[..., Any], given: tuple[Any, ...]) -> None:
        if len(self.seen) == self._stop_at:
            if point.startswith("sendfile"):  # half of the file is there
                target, source, offset, size = given
                real(target, source, offset, size // 2)
            self._send(f"reached {point}")
            threading.Event().wait()
        self.seen.append(point)


def _engine_step(text: str) -> str | None:
    word = text.split(maxsplit=1)[0].upper()
    return word if word in _ENGINE_STEPS else None


def _file(given: tuple[Any, ...]) -> str:
    first = given[0]
    if isinstance(first, int):
        return Path(os.readlink(f"/proc/self/fd/{first}")).name
    return Path(os.fspath(first)).name
