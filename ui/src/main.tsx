// The dashboard: a frame with the way to every page, and the page that the address names.

import { type ComponentType, type JSX, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hasToken, logIn, logOut } from "./api";
import { say, useLine, useSaid } from "./hooks";
import { TokenDialog } from "./parts/common";
import { address, follow, type PageProps, usePlace } from "./router";
import "./style.css";

type Load = () => Promise<{ default: ComponentType<PageProps> }>;

// Each page is loaded when it is first opened.
const PAGES: [name: string, title: string, load: Load][] = [
  ["overview", "Overview", () => import("./pages/overview")],
  ["queue", "Queue", () => import("./pages/queue")],
  ["graph", "Graph", () => import("./pages/graph")],
  ["query", "Query", () => import("./pages/query")],
  ["search", "Search", () => import("./pages/search")],
  ["threads", "Threads", () => import("./pages/threads")],
  ["news", "News", () => import("./pages/news")],
  ["scrape", "Scrape", () => import("./pages/scrape")],
  ["uploads", "Uploads", () => import("./pages/uploads")],
  ["jobs", "Jobs", () => import("./pages/jobs")],
  ["machines", "Machines", () => import("./pages/machines")],
  ["workers", "Workers", () => import("./pages/workers")],
  ["settings", "Settings", () => import("./pages/settings")],
  ["log", "Log", () => import("./pages/log")],
  ["api", "API", () => import("./pages/api")],
];
const HIDDEN: typeof PAGES = [["row", "Row", () => import("./pages/row")]];

function App(): JSX.Element {
  const place = usePlace();
  const line = useLine();
  const said = useSaid();
  const [logged, setLogged] = useState(hasToken());
  const found = [...PAGES, ...HIDDEN].find(([name]) => name === place.page);
  const [shown, setShown] = useState<{ name: string; Page: ComponentType<PageProps> } | null>(null);
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    document.title = `${[found?.[1] ?? "Not found", ...place.parts].join(" · ")} – Graphvine`;
    if (!found) return setShown(null);
    let over = false;
    found[2]().then(
      ({ default: Page }) => { if (!over) { setShown({ name: found[0], Page }); setMissing(false); } },
      () => { if (!over) setMissing(true); },
    );
    return () => void (over = true);
  }, [place.page, place.parts.join("/"), missing && line]);
  useEffect(() => void logIn().then((told) => { if (told) { setLogged(hasToken()); say(told); } }), []);
  useEffect(() => setLogged(hasToken()), [said]);
  const current = place.page === "row" ? "queue" : place.page;
  // On a phone the pages are one line that scrolls: show where one is.
  useEffect(() => document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  return (
    <div class="frame" onClick={follow}>
      <a class="skip" href="#main">Skip to the page</a>
      <header>
        <a class="brand" href={address("overview")}><img src="/static/icon.svg" alt="" width="24" height="24" />Graphvine</a>
        <span class="line" id="line" data-state={line ? "good" : "bad"}>{line ? "live" : "connecting …"}</span>
        {logged && <button type="button" class="quiet" onClick={() => { logOut(); setLogged(false); say("You are logged out."); }}>Log out</button>}
      </header>
      <nav aria-label="Pages">
        <ul>{PAGES.map(([name, title]) => (
          <li key={name}><a href={address(name)} aria-current={name === current ? "page" : undefined}>{title}</a></li>
        ))}</ul>
      </nav>
      <main id="main" tabIndex={-1}>
        {!found && <><h1>Not found</h1><p>There is no page at this address. <a href={address("overview")}>To the overview</a></p></>}
        {found && shown?.name === place.page && <shown.Page place={place} key={place.page} />}
        {found && shown?.name !== place.page && (missing
          ? <p class="error" role="alert">This page could not be loaded: the service does not answer, or was updated. <a href={location.href} target="_self">Reload</a></p>
          : <p class="hint" aria-busy="true">Loading …</p>)}
      </main>
      <p id="said" role="status" aria-live="polite" class={said ? "said" : "said empty"}>{said}</p>
      <TokenDialog />
    </div>
  );
}

render(<App />, document.getElementById("app")!);
