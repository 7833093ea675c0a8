"""A task for the tests of the sandbox: it does what it is asked to, however bad that is."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any


def open_task(setup: Any) -> Callable[[Any, bytes], Any]:
    def do(request: Any, body: bytes) -> Any:
        match request:
            case "crash":
                ctypes.string_at(0)
            case "hang":
                while True:
                    pass
            case "memory":
                return len(bytearray(4 << 30))
            case "print":
                print("not an answer", flush=True)
                os.write(1, b"nor this")
            case "import":
                import not_there  # type: ignore[import-not-found]  # noqa: F401
            case "raise":
                raise ValueError("bad input")
        return {"pid": os.getpid(), "body": len(body), "setup": setup, "environment": sorted(os.environ)}

    return do
