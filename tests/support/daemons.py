"""The daemon as people run it: the installed command in a process of its own, found by its file, ended by a signal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from graphvine.service_file import Service, find
from tests.support.waiting import WAIT_LIMIT, eventually

COMMAND = Path(sys.executable).with_name("graphvine")
# Quick rounds, and no embedding: what these tests look at is who writes what, not what it means.
QUICK_DAEMON = """
sync = false
buffer_pool_mb = 256
batch_size = 5
heartbeat_seconds = 0.5
timeout_seconds = 600
[wikipedia]
source = "sample"
embedder = "none"
serve_depth = 9
[serve]
port = 0
"""


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": "1", **variables}


class DaemonProcess:
    def __init__(self, folder: Path, *options: str, graph: str = "graph.db") -> None:
        self.folder, self.where = folder, str(folder / graph)
        self._log = (folder / "daemon.log").open("ab")
        self.process = subprocess.Popen(
            [COMMAND, "serve", "--graph", graph, *options], cwd=folder, stdout=self._log, stderr=self._log,
            stdin=subprocess.DEVNULL, env=environment(),
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._log.close()

    def ready(self) -> Service:
        """Where it is, once it says so."""

        def look() -> Service:
            assert self.process.poll() is None, f"it ended: {self.log()[-2000:]}"
            service = find(self.where)
            assert service is not None and service.pid == self.process.pid
            return service

        return eventually(look)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """SIGTERM; returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=WAIT_LIMIT)

    def log(self) -> str:
        return (self.folder / "daemon.log").read_text("utf-8", "replace")

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log().splitlines()]
