// The worker loop of graphile-worker for the race: `node driver.mjs migrate URL`, or `run URL WORKERS BATCH SECONDS`.
import pg from "pg";
import { Logger, run, runMigrations } from "graphile-worker";

const [verb, url, workers, batch, seconds] = process.argv.slice(2);
const logger = new Logger(() => () => {});
const pool = new pg.Pool({ connectionString: url, max: Math.min(Number(workers ?? 1) + 4, 40) });
pool.on("error", () => {});

if (verb === "migrate") {
  await runMigrations({ pgPool: pool, logger });
} else {
  let items = 0;
  const size = Number(batch);
  // Its batching: a local queue that is filled ahead, and completions that are sent together.
  const ahead = size > 1 ? { localQueue: { size }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } : {};
  const begun = performance.now();
  const runner = await run({
    preset: { worker: { ...ahead } },
    pgPool: pool,
    logger,
    concurrency: Number(workers),
    noHandleSignals: true,
    pollInterval: 100,
    taskList: { expand: async () => { items += 1; } },
  });
  await new Promise((resolve) => setTimeout(resolve, 1000 * Number(seconds)));
  await runner.stop();
  console.log(JSON.stringify({ items, seconds: (performance.now() - begun) / 1000 }));
}
await pool.end();
process.exit(0);
