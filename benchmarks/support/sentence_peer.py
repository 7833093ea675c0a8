"""sentence-transformers as a peer, in a process of its own and, where need be, in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.child import CHILDREN
from support.contender import Sample, Unavailable

_OWN_ENVIRONMENT = CHILDREN.parents[1] / ".venv-st" / "bin" / "python"


class SentencePeer:
    """Encodes when asked, and is idle in between."""

    def __init__(self, model: Path, threads: int, folder: Path, python: str | None) -> None:
        self._texts, self._vectors = folder / "texts.json", folder / "vectors.npy"
        command = [_interpreter(python), str(CHILDREN / "sentence_encoder.py"), str(model), str(threads)]
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._answer()

    def encode(self, texts: list[str]) -> tuple[Sample, NDArray[np.float32]]:
        """The time that encode itself took, and the vectors."""
        self._texts.write_text(json.dumps(texts), encoding="utf-8")
        assert self._child.stdin is not None
        print(json.dumps([str(self._texts), str(self._vectors)]), file=self._child.stdin, flush=True)
        seconds = float(self._answer()["seconds"])
        return Sample(len(texts), seconds), np.load(self._vectors)

    def close(self) -> None:
        self._child.kill()
        self._child.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            self.close()
            raise Unavailable(f"sentence-transformers not measured: {self._child.args!r} ended")
        return dict(json.loads(line))


def _interpreter(python: str | None) -> str:
    """The one named, this one if it has the package, or the environment that its tests use."""
    if python:
        return python
    if find_spec("sentence_transformers"):
        return sys.executable
    if _OWN_ENVIRONMENT.exists():
        return str(_OWN_ENVIRONMENT)
    raise Unavailable(
        "sentence-transformers not measured: it is not installed here; name a Python that has it with --peer-python"
    )
