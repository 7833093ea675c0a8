"""The daemon as people run it, in a process of its own, with settings for a measurement."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

COMMAND = str(Path(sys.executable).with_name("graphvine"))
SETTINGS = """
sync = false
buffer_pool_mb = 256
batch_size = 5
heartbeat_seconds = 0.5
[wikipedia]
source = "sample"
embedder = "none"
serve_depth = 9
"""
# A daemon that is not there by then has hung.
_START_SECONDS = 300.0
_LOOK_SECONDS = 0.005


@contextmanager
def daemon(folder: Path, graph: str, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Its process and its port; it is still starting then. It ends with the block."""
    (folder / "graphvine.toml").write_text(SETTINGS)
    port = free_port()
    command = [COMMAND, "serve", "--graph", graph, "--port", str(port), *options]
    with (folder / "daemon.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield process, port
        finally:
            process.terminate()
            process.wait()


def answers(port: int, path: str) -> float:
    """Ask until this path answers with success; the moment at which it did."""
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        try:
            with urlopen(f"http://127.0.0.1:{port}{path}", timeout=_START_SECONDS):
                return time.monotonic()
        except (URLError, ConnectionError):
            time.sleep(_LOOK_SECONDS)
    raise RuntimeError(f"no answer from {path} after {_START_SECONDS:.0f} s")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])
