// Asking the service: with the token where there is one, asking for it once where it is needed.

import { byId, tell } from "./dom.js";

const KEPT = "graphvine-token";
const CHANGES = "What changes the graph needs its token.";
const WRONG = "The token was not the right one.";
let asking = null;

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const get = (path, parameters = {}) => ask("GET", path + query(parameters));
export const post = (path, body) => ask("POST", path, body);

function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

async function ask(method, path, body) {
  const answer = await request(method, path, body);
  const told = await answer.json().catch(() => ({}));
  if (answer.ok) return told;
  throw new Refused(answer.status, told.error?.message ?? told.errors?.[0]?.message ?? `status ${answer.status}`);
}

/** One request; a refusal for want of the right token is answered with the token, and the request sent again. */
export async function request(method, path, body, signal) {
  for (;;) {
    const token = sessionStorage.getItem(KEPT);
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    if (token) headers.Authorization = `Bearer ${token}`;
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const answer = await fetch(path, { method, headers, body: sent, signal, cache: "no-store" });
    if (answer.status !== 401) return answer;
    if (sessionStorage.getItem(KEPT) === token) {
      sessionStorage.removeItem(KEPT);
      await needToken(token ? WRONG : CHANGES);
    }
  }
}

/** Send a file, and tell how much of it is there; fetch can't tell that, so this is the older way. */
export async function send(path, name, file, onProgress) {
  if (!sessionStorage.getItem(KEPT)) await needToken(CHANGES);
  for (;;) {
    const answer = await sendOnce(path, name, file, onProgress);
    if (answer.status !== 401) {
      const told = answer.response ?? {};
      if (answer.status < 300) return told;
      throw new Refused(answer.status, told.error?.message ?? `status ${answer.status}`);
    }
    sessionStorage.removeItem(KEPT);
    await needToken(WRONG);
  }
}

function sendOnce(path, name, file, onProgress) {
  const sending = new XMLHttpRequest();
  const form = new FormData();
  form.append(name, file);
  sending.open("POST", path);
  sending.responseType = "json";
  sending.setRequestHeader("Authorization", `Bearer ${sessionStorage.getItem(KEPT)}`);
  sending.upload.addEventListener("progress", (event) => onProgress(event.loaded / Math.max(1, event.total)));
  return new Promise((resolve, reject) => {
    sending.addEventListener("load", () => resolve(sending));
    sending.addEventListener("error", () => reject(new Refused(0, "The file could not be sent.")));
    sending.send(form);
  });
}

/** Everybody who needs the token waits for the same answer. */
function needToken(why) {
  asking ??= new Promise((resolve, reject) => {
    const dialog = byId("token");
    const form = byId("token-form");
    const value = byId("token-value");
    tell(byId("token-why"), why);
    value.value = "";
    const end = (finish) => {
      form.removeEventListener("submit", given);
      byId("token-cancel").removeEventListener("click", cancelled);
      dialog.removeEventListener("cancel", cancelled);
      asking = null;
      dialog.close();
      finish();
    };
    const given = (event) => {
      event.preventDefault();
      sessionStorage.setItem(KEPT, value.value.trim());
      end(resolve);
    };
    const cancelled = () => end(() => reject(new Refused(401, "Not done: it needs the token.")));
    form.addEventListener("submit", given);
    byId("token-cancel").addEventListener("click", cancelled);
    dialog.addEventListener("cancel", cancelled);
    dialog.showModal();
  });
  return asking;
}
