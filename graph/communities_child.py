"""The child of communities.py: runs Louvain over pairs of places, in an engine of its own in memory.

Usage: python -m graphvine.communities_child NODES < pairs > groups, both as 64-bit numbers.
"""

from __future__ import annotations

import importlib.util  # noqa: F401  (the engine looks for Arrow through it, and does not import it)
import os
import resource
import sys
from importlib.resources import files

_POOL_BYTES = 1 << 30
_NICE = 5


def main() -> None:
    import kuzu
    import numpy as np
    import pyarrow as pa

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICE)
    nodes = int(sys.argv[1])
    pairs = np.frombuffer(sys.stdin.buffer.read(), dtype=np.int64).reshape(-1, 2)
    rows = pa.table({"place": np.arange(nodes)})
    joined = pa.table({"from": pairs[:, 0].copy(), "to": pairs[:, 1].copy()})
    database = kuzu.Database(buffer_pool_size=_POOL_BYTES)
    connection = kuzu.Connection(database)
    given = {"rows": rows, "joined": joined}
    lines = files("graphvine").joinpath("communities.cypher").read_text("utf-8").splitlines()
    for statement in (line for line in lines if not line.startswith("//")):
        connection.execute(statement, {name: value for name, value in given.items() if f"${name}" in statement} or None)
    result = connection.execute("CALL louvain('whole') RETURN node.place, louvain_id")
    assert not isinstance(result, list)
    found = result.get_as_arrow()
    groups = np.empty(nodes, dtype=np.int64)
    groups[found.column(0).to_numpy()] = found.column(1).to_numpy()
    sys.stdout.buffer.write(groups.tobytes())


if __name__ == "__main__":
    main()
