import { describe, expect, it } from "vitest";
import { message, withQuery } from "./api";
import { take } from "./events";
import { Drawing, idOf } from "./graph-model";
import { layers } from "./machine-layout";
import { plain } from "./pages/threads";
import { visible } from "./parts/table";
import { address, parse } from "./router";

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
    const [first, last] = visible(37_000_000 / 2, 600, 37, 1_000_000);
    expect(first).toBeGreaterThan(499_000);
    expect(last - first).toBeLessThan(40);
    expect(visible(0, 600, 37, 3)).toEqual([0, 3]);
    expect(visible(99_999, 600, 37, 0)).toEqual([0, 0]);
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
  it("is saved as text, whatever a title holds", () => {
    const drawing = new Drawing();
    drawing.addPairs("LINKS_TO", [[node("<script>"), node("b")]]);
    expect(drawing.toSvg()).not.toContain("<script>");
  });
});

describe("machines and threads", () => {
  it("states stand in layers from the first; one without a way to it stands at the end", () => {
    const state = (name: string, initial = false) => ({ name, initial, final: false, claimed: false, beyond: "" });
    const move = (source: string, target: string) => ({ source, target, block: "", transition: "", manual: false, purpose: "" });
    expect(layers({ states: [state("a", true), state("b"), state("lost")], moves: [move("a", "b"), move("b", "a")] })).toEqual([["a"], ["b"], ["lost"]]);
  });
  it("comments are text", () => expect(plain("x &lt;b&gt; <p>y<i>z</i>")).toBe("x <b>  ¶ yz"));
});
