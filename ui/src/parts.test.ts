import { describe, expect, it } from "vitest";
import { message, withQuery } from "./api";
import { ACTIONS, asking, outcome } from "./bulk";
import { take } from "./events";
import { colourOfState, Drawing, idOf } from "./graph-model";
import { merged } from "./hooks";
import { layers } from "./machine-layout";
import { paragraphs } from "./pages/threads";
import { MOST_PIXELS, visible } from "./parts/table";
import { fit, nearest, rgb } from "./points";
import { address, parse } from "./router";
import { drawable } from "./result-graph";
import { RowWindow } from "./row-window";
import { ofCommunities, ofRows, places } from "./whole-model";

describe("addresses", () => {
  it("come back as they went in, whatever they hold", () => {
    const made = address("row", ["hn item/ü"], { key: "AC/DC & <b>?#", empty: "" });
    expect(made).not.toContain("empty");
    const place = parse(made);
    expect([place.page, place.parts, place.query.get("key")]).toEqual(["row", ["hn item/ü"], "AC/DC & <b>?#"]);
    expect(parse("/ui/").page).toBe("overview");
  });
  it("leave out what is empty and repeat lists", () => expect(withQuery("/x", { a: "", b: null, c: ["1", "2"], d: 0 })).toBe("/x?c=1&c=2&d=0"));
});

describe("events", () => {
  it("are handed on whole, the rest is kept", () => {
    const heard: unknown[] = [];
    const rest = take('id: 1\nevent: batch\ndata: {"n": 1}\n\n: still here\n\nevent: status\ndata: {"n"', (name, facts) => heard.push([name, facts]));
    expect(heard).toEqual([["batch", { n: 1 }]]);
    expect(take(`${rest}: 2}\n\n`, (name, facts) => heard.push([name, facts]))).toBe("");
    expect(heard.at(-1)).toEqual(["status", { n: 2 }]);
  });
  it("errors are told in the service's words", () => {
    expect(message('{"error": {"message": "no"}}', 400)).toBe("no");
    expect(message('{"errors": [{"message": "bad query"}]}', 400)).toBe("bad query");
    expect(message("<html>", 502)).toBe("The service answered 502.");
  });
});

describe("the table", () => {
  it("draws only what can be seen, of a million rows", () => {
    const { first, last, offset } = visible(MOST_PIXELS / 2, 600, 37, 1_000_000);
    expect(first).toBeGreaterThan(499_000);
    expect(last - first).toBeLessThan(40);
    expect(Math.abs(offset - MOST_PIXELS / 2)).toBeLessThan(600);
    expect(visible(MOST_PIXELS - 600, 600, 37, 1_000_000).last).toBe(1_000_000);
    expect(visible(370, 600, 37, 400_000)).toEqual({ first: 2, last: 35, offset: 74 });
    expect(visible(0, 600, 37, 3)).toEqual({ first: 0, last: 3, offset: 0 });
    expect(visible(0, 600, 37, 0)).toEqual({ first: 0, last: 0, offset: 0 });
  });
  it("keeps a part of them, and reads on from either end of it", async () => {
    const all = Array.from({ length: 1_000_000 }, (_, at) => ({ seq: String(at + 1) }));
    const asked: (string | null)[] = [];
    const held = new RowWindow(async ({ after, newest, limit }) => {
      asked.push(after);
      const at = Number(after ?? 0);
      const rows = newest ? all.slice(Math.max(0, at - 1 - limit), at - 1).reverse() : all.slice(at, at + limit);
      return { rows, next: rows.length < limit ? null : rows.at(-1)!.seq };
    });
    const span = { count: all.length, first: "1", last: "1000000" };
    await held.reset();
    expect(await held.want(0, 40, span)).toBe(false);
    expect(await held.want(190, 230, span)).toBe(true);
    expect([held.start, held.rows.length]).toEqual([0, 400]);
    await held.want(500_000, 500_040, span);
    expect(held.rows[500_000 - held.start]!.seq).toBe("500001");
    await held.want(held.start - 30, held.start, span);
    expect(held.rows[500_000 - held.start]!.seq).toBe("500001");
    await held.want(999_970, 1_000_000, span);
    expect(held.rows.at(-1)!.seq).toBe("1000000");
    expect(held.start + held.rows.length).toBe(1_000_000);
    expect(await held.want(999_970, 1_000_000, span)).toBe(false);
    expect(asked.length).toBe(5);
  });
});

describe("a whole graph", () => {
  const rows = {
    label: "Article", relations: ["LINKS_TO"], age_seconds: 0, total: { nodes: 4, edges: 2, communities: 2 },
    keys: ["a", "b", "c", "d"], states: ["processed", "failed", "discovered", "claimed"], depths: [0, 1, null, 9], groups: [0, 0, 1, 0], degrees: [2, 1, 1, 0], pairs: [0, 1, 2, 0],
  };
  it("lays rows of a community together", () => {
    const [a, b, c] = places(rows);
    expect(Math.hypot(a!.x - b!.x, a!.y - b!.y)).toBeLessThan(Math.hypot(a!.x - c!.x, a!.y - c!.y));
  });
  it("is points with sizes, colours and lines", () => {
    const made = ofRows(rows, "state", true);
    expect([made.places.length, made.sizes.length, made.colours.length, [...made.lines]]).toEqual([8, 4, 16, [0, 1, 2, 0]]);
    expect([...made.colours.slice(4, 8)]).toEqual([...rgb(colourOfState("failed")), 255]);
    expect(nearest(made.places, made.places[2]!, made.places[3]!, 0.1)).toBe(1);
    expect(nearest(made.places, 1e6, 1e6, 1)).toBe(null);
    const camera = fit(made.places, 800, 600);
    expect(camera.scale * Math.abs(made.places[0]! - camera.x)).toBeLessThan(400);
  });
  it("shows communities by their size", () => {
    const community = (id: number, size: number) => ({ id, size, name: `c${id}`, edges: 1 });
    const made = ofCommunities({ ...rows, communities: [community(0, 900), community(1, 9)], links: [{ source: 0, target: 1, count: 3 }] });
    expect(made.sizes[0]).toBeGreaterThan(3 * made.sizes[1]!);
    expect([...made.lines]).toEqual([0, 1]);
  });
});

describe("the drawing", () => {
  const node = (key: string) => ({ label: "Article", key, name: key, properties: { state: "done" } });
  const around = { node: node("a"), nodes: [node("a"), node("b")], edges: [{ type: "LINKS_TO", source: node("a"), target: node("b") }] };
  it("expands in place and holds nothing twice", () => {
    const drawing = new Drawing();
    expect(drawing.add(around)).toBe(2);
    const before = drawing.graph.getNodeAttributes(idOf(node("b"))).x;
    expect(drawing.add({ ...around, nodes: [...around.nodes, node("c")] })).toBe(1);
    expect(drawing.graph.getNodeAttributes(idOf(node("b"))).x).toBe(before);
    expect(drawing.graph.size).toBe(1);
  });
  it("shows a way between two, and paints by state", () => {
    const drawing = new Drawing();
    drawing.add(around);
    expect(drawing.addPath({ nodes: [node("a"), node("c")], edges: [{ type: "LINKS_TO", source: node("c"), target: node("a") }] })).toBe(1);
    expect(drawing.graph.size).toBe(2);
    drawing.paint("state");
    expect(drawing.graph.getNodeAttribute(idOf(node("a")), "color")).toBe(colourOfState("done"));
    drawing.paint("kind");
    expect(drawing.graph.getNodeAttribute(idOf(node("a")), "color")).toBe(drawing.colourOf("Article"));
  });
  it("is saved as text, whatever a title holds", () => {
    const drawing = new Drawing();
    drawing.add({ ...around, node: node("<script>"), nodes: [node("<script>"), node("b")] });
    expect(drawing.toSvg()).not.toContain("<script>");
  });
});

describe("machines and threads", () => {
  it("states stand in layers from the first; one without a way to it stands at the end", () => {
    const state = (name: string, initial = false) => ({ name, initial, final: false, claimed: false, beyond: "" });
    const move = (source: string, target: string) => ({ source, target, block: "", transition: "", manual: false, purpose: "" });
    expect(layers({ states: [state("a", true), state("b"), state("lost")], moves: [move("a", "b"), move("b", "a")] })).toEqual([["a"], ["b"], ["lost"]]);
  });
  it("comments are text", () => expect(paragraphs("x &lt;b&gt; <p>y<i>z</i><p>")).toEqual(["x <b> ", "yz"]));
});

describe("actions on many rows", () => {
  it("are for the rows that they can move", () => {
    expect(ACTIONS.requeue.fits({ contains: "x" })).toEqual({ contains: "x", state: "failed" });
    expect(ACTIONS.requeue.fits({ state: "claimed" })).toBeNull();
    expect(ACTIONS.prioritise.fits({})).toEqual({ standing: "waiting" });
    expect(ACTIONS.prioritise.fits({ standing: "ready" })).toEqual({ standing: "ready" });
    expect(ACTIONS.release.fits({ standing: "ready" })).toBeNull();
    expect(ACTIONS.release.fits({ standing: "" })).toEqual({ standing: "claimed" });
  });
  it("say how many, before and after", () => {
    expect([asking("release", 1), asking("requeue", 1311)]).toEqual(["Release 1 row?", "Requeue 1,311 rows?"]);
    expect([outcome("exclude", 2, 3), outcome("exclude", 1, 1)]).toEqual(["2 rows excluded, 1 row left alone.", "1 row excluded."]);
  });
});

describe("results as a graph", () => {
  const node = (offset: number, title: string) => ({ _id: { offset, table: 1 }, _label: "Article", title, absent: null });
  it("finds nodes and relationships wherever they stand, each once", () => {
    const joined = { _id: { offset: 5, table: 9 }, _src: { offset: 0, table: 1 }, _dst: { offset: 1, table: 1 }, _label: "LINKS_TO" };
    const dangling = { ...joined, _id: { offset: 6, table: 9 }, _dst: { offset: 77, table: 1 } };
    const found = drawable([[node(0, "a"), joined, node(1, "b")], [{ _nodes: [node(0, "a")], _rels: [joined, dangling] }, 7]]);
    expect(found.nodes.map((one) => [one.name, one.properties])).toEqual([["a", { title: "a" }], ["b", { title: "b" }]]);
    expect(found.edges).toEqual([{ type: "LINKS_TO", source: { label: "Article", key: "1:0" }, target: { label: "Article", key: "1:1" } }]);
  });
  it("takes the ids of Neo4j, and rows without nodes", () => {
    expect(drawable([[{ _id: "4:x:1", _label: "HNItem", hnId: 7 }]]).nodes[0]).toMatchObject({ key: "4:x:1", name: "7" });
    expect(drawable([["text", 1, null, [1, 2], { a: 1 }]])).toEqual({ nodes: [], edges: [], cut: false });
  });
});

describe("a list that is read page by page", () => {
  const keyOf = (row: string) => row;
  it("keeps what was read further down when the top is read again", () => {
    expect(merged({ rows: ["c", "b", "a"], next: "a" }, { rows: ["d", "c"], next: "c" }, keyOf)).toEqual({ rows: ["d", "c", "b", "a"], next: "a" });
  });
  it("leaves out what is gone from the top", () => {
    expect(merged({ rows: ["d", "c", "b", "a"], next: null }, { rows: ["d", "b"], next: "b" }, keyOf)).toEqual({ rows: ["d", "b", "a"], next: null });
  });
  it("begins anew where it can't know what lies between", () => {
    expect(merged({ rows: ["b", "a"], next: null }, { rows: ["f", "e"], next: "e" }, keyOf)).toEqual({ rows: ["f", "e"], next: "e" });
    expect(merged({ rows: ["b", "a"], next: null }, { rows: ["b"], next: null }, keyOf)).toEqual({ rows: ["b"], next: null });
  });
});
