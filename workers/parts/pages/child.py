"""The process that reads pages: hostile input may crash or stop it, and nothing else.

It answers each request on standard input with one on standard output: a length, then that many bytes of JSON; the body
of a page follows its request as it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import struct
import sys
from typing import Any, BinaryIO

LENGTH = struct.Struct(">I")


def main() -> None:
    memory_mb = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # A library that prints must not speak in our place.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _warm()
    while (head := _take(asked)) is not None:
        body = _take(asked)
        if body is None:
            return
        answer = json.dumps(_answer(json.loads(head), body)).encode()
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _warm() -> None:
    """Load what takes long before anybody waits for it; what is missing is told when a page needs it."""
    with contextlib.suppress(ImportError):
        import trafilatura  # noqa: F401


def _answer(asked: dict[str, Any], body: bytes) -> dict[str, Any]:
    from graphvine.workers.parts.pages.page import PageLimits, UnreadablePage
    from graphvine.workers.parts.pages.reading import read_page

    limits = PageLimits(**asked.pop("limits"))
    try:
        return {"page": read_page(body, limits=limits, **asked).as_dict()}
    except UnreadablePage as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {"unreadable": "reading it takes more memory than is allowed"}
    except ImportError as error:
        return {"missing": error.name or str(error)}


def _take(source: BinaryIO) -> bytes | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    return source.read(length)


if __name__ == "__main__":
    main()
