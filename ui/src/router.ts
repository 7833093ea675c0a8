// Addresses of pages: /ui/<page>/<part>?<filters>. The browser's history keeps them, so reload and Back work.

import { useEffect, useState } from "preact/hooks";

export const BASE = "/ui";

export interface Place {
  page: string;
  parts: string[];
  query: URLSearchParams;
}

export interface PageProps {
  place: Place;
}

export function parse(href: string): Place {
  const url = new URL(href, "http://x");
  const path = url.pathname.startsWith(BASE) ? url.pathname.slice(BASE.length) : url.pathname;
  const [page = "", ...parts] = path.split("/").filter(Boolean).map(decodeURIComponent);
  return { page: page || "overview", parts, query: url.searchParams };
}

/** The address of a page; values that are empty stay out of it. */
export function address(page: string, parts: string[] = [], query: Record<string, string | number | null | undefined> = {}): string {
  const path = [page, ...parts].map(encodeURIComponent).join("/");
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== "" && value !== null && value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return `${BASE}/${path}${text ? `?${text}` : ""}`;
}

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((one) => one());
if (typeof window !== "undefined") window.addEventListener("popstate", tell);

export function go(href: string, replace = false): void {
  if (href !== location.pathname + location.search) {
    history[replace ? "replaceState" : "pushState"](null, "", href);
  }
  tell();
}

export function usePlace(): Place {
  const [href, setHref] = useState(location.pathname + location.search);
  useEffect(() => {
    const heard = () => setHref(location.pathname + location.search);
    listeners.add(heard);
    return () => void listeners.delete(heard);
  }, []);
  return parse(href);
}

/** Clicks on our own links change the page without loading it; those with a modifier key are the browser's. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(BASE) || link.target || link.hasAttribute("download")) return;
  event.preventDefault();
  go(link.pathname + link.search);
  window.scrollTo(0, 0);
}
