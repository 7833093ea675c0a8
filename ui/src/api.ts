// Requests to the service. The token stays in this tab; what needs it asks for it once, in a dialog.

const KEPT = "graphvine-token";

export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

type Ask = (why: string) => Promise<string>;
let ask: Ask = () => Promise.reject(new Refused(401, "Not done: it needs the token."));
let asking: Promise<string> | null = null;

/** Who shows the dialog. */
export function askWith(dialog: Ask): void {
  ask = dialog;
}

export const hasToken = (): boolean => sessionStorage.getItem(KEPT) !== null;

export function logOut(): void {
  sessionStorage.removeItem(KEPT);
}

/** The link of `graphvine serve` and `graphvine open` carries a code that works once: exchange it for the token. */
export async function logIn(): Promise<string | null> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!code) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  const answer = await fetch("/login", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code }),
  });
  if (!answer.ok) return message(await answer.text(), answer.status);
  sessionStorage.setItem(KEPT, (await answer.json()).token);
  return "You are logged in.";
}

export async function request(method: string, path: string, body?: BodyInit | null, options: RequestInit = {}): Promise<Response> {
  for (;;) {
    const headers = new Headers(options.headers);
    const token = sessionStorage.getItem(KEPT);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    let answer: Response;
    try {
      answer = await fetch(path, { ...options, method, body, headers });
    } catch (error) {
      if ((error as Error).name === "AbortError") throw error;
      throw new Refused(0, "The service does not answer.");
    }
    if (answer.status !== 401) return answer;
    if (sessionStorage.getItem(KEPT) !== token) continue; // somebody logged in meanwhile
    if (token) logOut();
    const why = token ? "That token was not right." : "This needs the token of the service.";
    asking ??= ask(why).finally(() => (asking = null));
    sessionStorage.setItem(KEPT, await asking);
  }
}

type Query = Record<string, string | number | boolean | null | undefined | string[]>;

export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === "" || value === null || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text ? `${path}${path.includes("?") ? "&" : "?"}${text}` : path;
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return answered(await request("GET", withQuery(path, query), null, { signal }));
}

export async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const json = body === undefined ? null : JSON.stringify(body);
  return answered(await request(method, path, json, json ? { headers: { "Content-Type": "application/json" } } : {}));
}

export const post = <T>(path: string, body?: unknown): Promise<T> => send<T>("POST", path, body);

async function answered<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  if (!answer.ok) throw new Refused(answer.status, message(text, answer.status));
  return (text ? JSON.parse(text) : null) as T;
}

export function message(text: string, status: number): string {
  try {
    const told = JSON.parse(text);
    return told.error?.message ?? told.errors?.[0]?.message ?? `The service answered ${status}.`;
  } catch {
    return `The service answered ${status}.`;
  }
}
