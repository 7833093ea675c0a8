"""Queues on PostgreSQL by their own worker loops, in processes of their own: pgqueuer, graphile-worker and River.

Each is installed into the benchmarks' cache by its own package manager the first time, where that is there. The loops
are small programs beside this file: no-op handlers, PostgreSQL's defaults (fsync and synchronous_commit on).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from peers.postgres import Cluster
from support.cache import cached
from support.contender import Sample, Unavailable

HERE = Path(__file__).resolve().parent
INSTALL_SECONDS, MARGIN_SECONDS = 600, 120
GRAPHILE, RIVER, PGQUEUER = "0.18.0", "v0.51.0", "1.6.0"


class WorkerLoop:
    """One of them on a server that all share; `best` is what it does best with, as (workers, batch)."""

    name = ""
    durability = "PostgreSQL, fsync and synchronous_commit on"
    best = (1, 1)
    # The setting that stands for one worker with batches of 100.
    hundred = (1, 100)
    fill_script = ""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.database = f"race_{self.name.replace('-', '_')}"
        self.filled = 0

    def command(self, verb: str, *rest: object) -> list[str]:
        raise NotImplementedError

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.cluster.folder}"

    def fill(self, items: int) -> None:
        """A fresh copy of a database that was filled once."""
        template = f"{self.database}_filled"
        if self.filled != items:
            self.cluster.execute(f"DROP DATABASE IF EXISTS {template}")
            self.cluster.execute(f"CREATE DATABASE {template}")
            self.call(self.command("migrate", self.url(template), items), INSTALL_SECONDS)
            if self.fill_script:
                self.cluster.execute(self.fill_script.format(items=items), template)
            self.cluster.execute("VACUUM ANALYZE", template)
            self.filled = items
        self.cluster.execute(f"DROP DATABASE IF EXISTS {self.database} WITH (FORCE)")
        self.cluster.execute(f"CREATE DATABASE {self.database} TEMPLATE {template}")
        self.cluster.execute("CHECKPOINT")

    def run(self, workers: int, batch: int, seconds: float) -> Sample:
        said = self.call(self.command("run", self.url(self.database), workers, batch, seconds), seconds)
        found = json.loads(said.splitlines()[-1])
        return Sample(found["items"], found["seconds"])

    def call(self, command: Sequence[str], seconds: float, environment: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds + MARGIN_SECONDS,
            env={**os.environ, **(environment or {})},
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {' '.join(command[:3])} ended with {done.stderr[-2000:]}")
        return done.stdout

    def close(self) -> None:
        """The server is its owner's."""


class Pgqueuer(WorkerLoop):
    name = "pgqueuer"
    best = (1, 500)

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)

        def install(folder: Path) -> None:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder)]
            self.call([*pip, f"pgqueuer[asyncpg]=={PGQUEUER}"], INSTALL_SECONDS)

        self.packages = cached(f"pgqueuer-{PGQUEUER}", install)

    def command(self, verb: str, *rest: object) -> list[str]:
        return [sys.executable, str(HERE / "pgqueuer_driver.py"), verb, *map(str, rest)]

    def call(self, command: Sequence[str], seconds: float, environment: dict[str, str] | None = None) -> str:
        packages = getattr(self, "packages", None)
        return super().call(command, seconds, {"PYTHONPATH": str(packages)} if packages else None)


class Graphile(WorkerLoop):
    name = "graphile-worker"
    best = (24, 500)
    hundred = (10, 100)
    # Past add_job, which takes minutes for so many.
    fill_script = """
        INSERT INTO graphile_worker._private_tasks (identifier) VALUES ('expand');
        INSERT INTO graphile_worker._private_jobs (task_id, payload)
        SELECT tasks.id, json_build_object('title', 'Article ' || number)
        FROM graphile_worker._private_tasks AS tasks, generate_series(1, {items}) AS number
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        npm = _program("npm", self.name)

        def install(folder: Path) -> None:
            options = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
            self.call([npm, *options, f"graphile-worker@{GRAPHILE}", "pg"], INSTALL_SECONDS)
            shutil.copy(HERE / "graphile_driver.mjs", folder)

        self.folder = cached(f"graphile-worker-{GRAPHILE}-{_mark('graphile_driver.mjs')}", install)

    def command(self, verb: str, *rest: object) -> list[str]:
        return [_program("node", self.name), str(self.folder / "graphile_driver.mjs"), verb, *map(str, rest)]


class River(WorkerLoop):
    name = "river"
    best = (1_000, 1)
    hundred = (100, 1)
    fill_script = """
        INSERT INTO river_job (kind, args, max_attempts)
        SELECT 'expand', jsonb_build_object('title', 'Article ' || number), 25
        FROM generate_series(1, {items}) AS number
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        go = _program("go", self.name)

        def install(folder: Path) -> None:
            shutil.copy(HERE / "river" / "main.go", folder)
            modules = ("river", "river/riverdriver/riverpgxv5")
            needed = [f"github.com/riverqueue/{module}@{RIVER}" for module in modules]
            build = ["build", "-o", "driver", "."]
            for step in (["mod", "init", "benchmark"], ["get", *needed], ["mod", "tidy"], build):
                self.call([go, "-C", str(folder), *step], INSTALL_SECONDS)

        self.folder = cached(f"river-{RIVER}-{_mark('river/main.go')}", install)

    def command(self, verb: str, *rest: object) -> list[str]:
        url, *numbers = map(str, rest)
        # How many it fetches at once is what its workers are free for: it has no batches beside them.
        kept = [numbers[0], numbers[2]] if verb == "run" else []
        return [str(self.folder / "driver"), verb, url, *kept]


def _program(name: str, peer: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Unavailable(f"{peer} not measured: {name} is not on this machine")
    return found


def _mark(file: str) -> str:
    import hashlib

    return hashlib.sha256((HERE / file).read_bytes()).hexdigest()[:8]


def build(opened: ExitStack) -> tuple[list[WorkerLoop], list[str]]:
    """Those that this machine can run, and one line for each that it can't."""
    loops: list[WorkerLoop] = []
    missing: list[str] = []
    try:
        cluster = Cluster()
    except Unavailable as reason:
        return loops, [str(reason).replace("procrastinate", "pgqueuer, graphile-worker and river")]
    opened.callback(cluster.close)
    for kind in (Pgqueuer, Graphile, River):
        try:
            loops.append(kind(cluster))
        except Unavailable as reason:
            missing.append(str(reason))
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
            missing.append(f"{kind.name} not measured: it could not be installed: {str(error)[:200]}")
    return loops, missing
