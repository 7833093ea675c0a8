"""procrastinate on PostgreSQL: its job manager alone, so that no worker's overhead is in the figure.

Durability: fsync=on and synchronous_commit=on, PostgreSQL's defaults. fetch_job and finish_job are one
synced commit each. It has no batches; what its worker has instead is concurrency, so a batch of ten or
more runs as ten jobs at a time over ten connections, which lets PostgreSQL sync several commits at once.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from peers.postgres import Cluster
from support.contender import Contender, Sample, package

MOST_LANES = 10

# Without the triggers, which would write an event and a notice for each of a million jobs: it takes minutes,
# and leaving it out is to the peer's advantage, since its race starts from smaller tables.
FILL = """
    SET session_replication_role = replica;
    INSERT INTO procrastinate_jobs (queue_name, task_name, args)
    SELECT 'articles', 'expand', jsonb_build_object('title', 'Article ' || number)
    FROM generate_series(1, {items}) AS number;
    SET session_replication_role = origin;
    VACUUM ANALYZE;
"""


class ProcrastinatePeer:
    name = "procrastinate"
    durability = "PostgreSQL, fsync and synchronous_commit on; one commit each, up to ten jobs at a time"
    batches: tuple[int, ...] = (1, 10)

    def __init__(self) -> None:
        self.library = package("procrastinate", "procrastinate")
        package("psycopg", "psycopg[binary,pool]")
        self.cluster = Cluster()
        self.loop = asyncio.Runner()
        self.app: Any = None
        self.worker = 0
        self.filled = 0

    def fill(self, items: int) -> None:
        """Fill a template database once; later fillings are copies of it."""
        template = f"filled_{items}"
        self.loop.run(self.disconnect())
        if self.filled != items:
            self.cluster.execute(f"CREATE DATABASE {template}")
            self.loop.run(self.create_schema(template))
            self.cluster.execute(FILL.format(items=items), template)
            self.filled = items
        self.cluster.execute("DROP DATABASE IF EXISTS race")
        self.cluster.execute(f"CREATE DATABASE race TEMPLATE {template}")
        self.cluster.execute("CHECKPOINT")
        self.loop.run(self.connect("race"))
        self.worker = self.loop.run(self.app.job_manager.register_worker())

    async def connect(self, database: str) -> None:
        connector = self.library.PsycopgConnector(
            conninfo=self.cluster.dsn(database), min_size=MOST_LANES, max_size=MOST_LANES
        )
        self.app = self.library.App(connector=connector)
        await self.app.open_async()

    async def disconnect(self) -> None:
        if self.app is not None:
            await self.app.close_async()
            self.app = None

    async def create_schema(self, database: str) -> None:
        await self.connect(database)
        await self.app.schema_manager.apply_schema_async()
        await self.disconnect()

    def run(self, batch: int, seconds: float, items: int) -> Sample:
        return self.loop.run(self.race(min(batch, MOST_LANES), seconds, items))

    async def race(self, lanes: int, seconds: float, items: int) -> Sample:
        manager, succeeded = self.app.job_manager, self.library.jobs.Status.SUCCEEDED
        started = done = 0
        start = time.perf_counter()

        async def lane() -> None:
            nonlocal started, done
            while started < items and time.perf_counter() - start < seconds:
                started += 1
                job = await manager.fetch_job(queues=["articles"], worker_id=self.worker)
                if job is None:
                    return
                await manager.finish_job(job, status=succeeded, delete_job=False)
                done += 1

        await asyncio.gather(*(lane() for _ in range(lanes)))
        return Sample(done, time.perf_counter() - start)

    def close(self) -> None:
        self.loop.run(self.disconnect())
        self.loop.close()
        self.cluster.close()


def build(folder: Path) -> Contender:
    return ProcrastinatePeer()
