"""Status of every pipeline for many callers: computed once a second at most."""

from __future__ import annotations

import threading
import time

from graphvine.records import PipelineStatus
from graphvine.status import status
from graphvine.workers.serve.app_state import AppState

_FRESH_SECONDS = 1.0


class StatusLook:
    def __init__(self, app_state: AppState) -> None:
        self._app_state, self._lock = app_state, threading.Lock()
        self._at, self._found = 0.0, list[PipelineStatus]()

    def status(self, fresh_seconds: float = _FRESH_SECONDS) -> list[PipelineStatus]:
        # While one looks, the others take what is known: a second old, and not worth waiting for.
        if not self._lock.acquire(blocking=not self._found or not fresh_seconds):
            return self._found
        try:
            if time.monotonic() - self._at >= fresh_seconds:
                supervisor = self._app_state.supervisor
                self._found = status(self._app_state.graph, supervisor.depths if supervisor is not None else None)
                self._at = time.monotonic()
            return self._found
        finally:
            self._lock.release()

    def close(self) -> None:
        """Nothing is held open."""


def status_of(app_state: AppState, fresh_seconds: float = _FRESH_SECONDS) -> list[PipelineStatus]:
    look: StatusLook = app_state.kept("status", lambda: StatusLook(app_state))
    return look.status(fresh_seconds)
