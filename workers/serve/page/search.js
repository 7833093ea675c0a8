// The search box: articles by words and meaning, items of Hacker News by words. What is found can be walked to.

import { get } from "./api.js";
import { byId, choices, make, tell } from "./dom.js";
import { count, short } from "./words.js";

const MOST = 20;
const PLACES = {
  article: { text: "articles", find: inArticles },
  hn_item: { text: "Hacker News", find: inHackerNews },
};
let asked = 0;

export function offerPlaces(pipelines) {
  const there = pipelines.map((one) => one.pipeline).filter((name) => name in PLACES);
  choices(byId("search-where"), there, (name) => PLACES[name].text);
  modes();
}

export function startSearch(walkTo) {
  byId("search-where").addEventListener("change", modes);
  byId("search-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const words = byId("search-words").value.trim();
    const place = PLACES[byId("search-where").value];
    if (!words || !place) return;
    asked += 1;
    const mine = asked;
    tell(byId("search-told"), "Searching.");
    try {
      const found = await place.find(words);
      if (mine !== asked) return; // another search was begun meanwhile
      byId("found").replaceChildren(...found.map((one) => hit(one, walkTo)));
      tell(byId("search-told"), found.length ? `${count(found.length)} found.` : "Nothing found.");
    } catch (error) {
      if (mine === asked) tell(byId("search-told"), error.message);
    }
  });
}

function modes() {
  byId("search-mode").closest("label").hidden = byId("search-where").value !== "article";
}

async function inArticles(words) {
  const hits = await get("/search", { q: words, mode: byId("search-mode").value, limit: MOST });
  return hits.map((one) => ({
    label: "Article", key: one.article, title: one.section ? `${one.article}: ${one.section}` : one.article,
    text: one.path?.length ? `${one.snippet} (by a link of ${one.path[0]})` : one.snippet,
  }));
}

async function inHackerNews(words) {
  const page = await get("/hn/search", { q: words, limit: MOST });
  return page.found.map(({ item, snippet }) => ({
    label: "HNItem", key: String(item.id), title: item.title ?? `${item.type ?? "item"} ${item.id} by ${item.by ?? "nobody"}`,
    text: snippet || short(item.text ?? "", 200),
  }));
}

function hit(one, walkTo) {
  return make("li", {},
    make("button", { type: "button", class: "link", onclick: () => walkTo(one.label, one.key) }, one.title),
    make("p", {}, one.text));
}
