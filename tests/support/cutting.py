"""A line that is cut: a proxy on loopback that lets a request through and, when told to, swallows its answer."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self


class CuttingProxy:
    """Passes bytes both ways. After `cut_next(path)` the next request for it is done, but its answer never comes."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._cut: bytes | None = None
        self.cuts = 0
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()
        for one in list(self._open):
            one.close()

    def cut_next(self, path: str) -> None:
        self._cut = f"POST {path} ".encode()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(line,), daemon=True).start()

    def _pass(self, line: socket.socket) -> None:
        far = socket.create_connection(self._target)
        self._open |= {line, far}
        cut_here = threading.Event()

        def back() -> None:
            try:
                while data := far.recv(65536):
                    if cut_here.is_set():
                        break  # it was done over there, and nobody hears of it
                    line.sendall(data)
            except OSError:
                pass
            _close(line)

        threading.Thread(target=back, daemon=True).start()
        try:
            while data := line.recv(65536):
                if self._cut is not None and data.startswith(self._cut):
                    self._cut = None
                    self.cuts += 1
                    cut_here.set()
                far.sendall(data)
        except OSError:
            pass
        _close(far)


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the other side was quicker
        one.shutdown(socket.SHUT_RDWR)
    one.close()
