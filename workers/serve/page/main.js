// The dashboard: what is asked for at the start, and what happens as events come in.

import { get } from "./api.js";
import { byId, say, tell } from "./dom.js";
import { listen } from "./events.js";
import { followFailures, startFailures } from "./failures.js";
import { showCounts, startMachines } from "./machines.js";
import { showQueues } from "./queues.js";
import { offerPlaces, startSearch } from "./search.js";
import { followUploads, startUploads } from "./uploads.js";
import { beginWalk, lookAgain, startWalk, walkTo } from "./walk.js";
import { showWorkers } from "./workers.js";

const AGAIN_MS = 2000;
const WORKERS_MS = 3000;
const SILENT_MS = 2500;
let resting = [];
let titles = {};
let told = 0;

async function start() {
  startSearch(walkTo);
  startFailures();
  startUploads();
  const status = await untilReady();
  tell(byId("graph"), `${status.graph} (${status.engine}, ${status.version})`);
  document.title = `${status.graph.split("/").at(-1)} – Graphvine`;
  const [machines, tables] = await Promise.all([get("/machines"), get("/tables")]);
  resting = machines.flatMap((one) => one.states.filter((state) => state.final).map((state) => [one.pipeline, state.name]));
  titles = status.titles;
  startMachines(machines);
  startWalk(machines, tables);
  show(status.pipelines);
  listen(happened, lineIs);
  setInterval(lookWhereNobodyTells, SILENT_MS);
  setInterval(lookAtWorkers, WORKERS_MS);
  await lookAtWorkers();
}

/** The service answers before its graph is open. */
async function untilReady() {
  for (;;) {
    try {
      return await get("/status");
    } catch (error) {
      tell(byId("line"), error.status === 503 ? "opening the graph" : error.status ? error.message : "not reached");
      if (error.status === 401) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

function show(pipelines) {
  told = performance.now();
  showQueues(pipelines, resting, titles);
  showCounts(pipelines);
  followFailures(pipelines);
  offerPlaces(pipelines);
  followUploads(pipelines);
  if (pipelines.some((one) => one.pipeline === "article" && one.total)) beginWalk().catch((error) => say(error.message));
}

function happened(name, facts) {
  if (name === "status") {
    show(facts.pipelines);
    lookAgain();
  } else if (name === "worker_restarted") {
    say(`A worker of ${facts.pipeline} was restarted: ${facts.error}`);
  } else if (name === "closing") {
    say("The service ends.");
  }
}

function lineIs(open, before) {
  tell(byId("line"), open ? "live" : "not connected");
  byId("line").dataset.state = open ? "good" : "bad";
  if (!open && before) say("The connection is lost; trying again.");
  else if (open && before) say("Connected again.");
}

/** A command that shares its graph sends no status events: poll for it. */
async function lookWhereNobodyTells() {
  if (document.hidden || performance.now() - told < SILENT_MS || byId("line").dataset.state !== "good") return;
  await look("/pipelines", show);
}

async function lookAtWorkers() {
  if (!document.hidden) await look("/workers", showWorkers);
}

/** Ask and show; a service that is away for a moment is told of by the line above. */
async function look(path, use) {
  try {
    use(await get(path));
  } catch (error) {
    if (error.status && error.status !== 503) say(error.message);
  }
}

start().catch((error) => say(error.message));
