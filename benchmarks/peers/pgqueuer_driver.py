"""The worker loop of pgqueuer for the race: `migrate URL ITEMS`, or `run URL WORKERS BATCH SECONDS`."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from datetime import timedelta
from typing import Any

_AT_ONCE = 5_000


async def connect(url: str) -> Any:
    import asyncpg
    from pgqueuer.db import AsyncpgDriver

    return AsyncpgDriver(await asyncpg.connect(url))


async def migrate(url: str, items: int) -> None:
    from pgqueuer.queries import Queries

    queries = Queries(await connect(url))
    await queries.install()
    for start in range(0, items, _AT_ONCE):
        count = min(_AT_ONCE, items - start)
        await queries.enqueue(["expand"] * count, [b"Article %d" % n for n in range(start, start + count)], [0] * count)


async def run(url: str, workers: int, batch: int, seconds: float) -> None:
    from pgqueuer import PgQueuer

    done, queuers = 0, [PgQueuer(await connect(url)) for _ in range(workers)]

    async def expand(job: Any) -> None:
        nonlocal done
        done += 1

    for queuer in queuers:
        queuer.entrypoint("expand")(expand)
    begun = time.perf_counter()
    running = [
        asyncio.create_task(queuer.qm.run(dequeue_timeout=timedelta(seconds=1), batch_size=batch)) for queuer in queuers
    ]
    await asyncio.sleep(seconds)
    for queuer in queuers:
        queuer.shutdown.set()
    await asyncio.gather(*running)
    print(json.dumps({"items": done, "seconds": time.perf_counter() - begun}))


if __name__ == "__main__":
    verb, url, *numbers = sys.argv[1:]
    if verb == "migrate":
        asyncio.run(migrate(url, int(numbers[0])))
    else:
        asyncio.run(run(url, int(numbers[0]), int(numbers[1]), float(numbers[2])))
