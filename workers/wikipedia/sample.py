"""A small wiki that comes with the package: climbing plants and gardens, for trying things out offline."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.resources import as_file, files

from graphvine.workers.wikipedia.dump import DumpSource

SEED = "Vine"


class SampleSource(DumpSource):
    """The sample wiki, read from the dump in the package; its index lives in memory."""

    def __init__(self, batch_size: int = 50) -> None:
        self._package = ExitStack()
        dump = files("graphvine.workers.wikipedia").joinpath("sample", "garden.xml")
        path = self._package.enter_context(as_file(dump))
        super().__init__(path, name="sample", in_memory=True, batch_size=batch_size)

    def close(self) -> None:
        super().close()
        self._package.close()
