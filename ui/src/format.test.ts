import { describe, expect, it } from "vitest";
import { ago, bytes, count, csv, duration, fromLocalInput, localInput, moment, rate, short } from "./format";

describe("numbers and times", () => {
  it("says rates, durations and sizes as people do", () => {
    expect([rate(null), rate(0), rate(0.05), rate(2.34), rate(1234)]).toEqual(["–", "0/s", "3.0/min", "2.3/s", "1,234/s"]);
    expect([duration(0.05), duration(5), duration(75), duration(600), duration(7200), duration(200_000)]).toEqual(["50 ms", "5.0 s", "75 s", "10 min", "2.0 h", "2.3 days"]);
    expect([bytes(0), bytes(999), bytes(1500), bytes(12e9)]).toEqual(["0 B", "999 B", "1.5 KB", "12 GB"]);
    expect(count(1234567)).toBe("1,234,567");
  });
  it("takes times without a zone for UTC", () => {
    expect(moment("2026-01-01T00:00:00")).toBe(Date.UTC(2026, 0, 1));
    expect(moment("2026-01-01 00:00:00.5")).toBe(Date.UTC(2026, 0, 1) + 500);
    expect(ago("2026-01-01T00:00:00Z", Date.UTC(2026, 0, 1, 0, 5))).toBe("5 min ago");
    expect(ago("no time at all")).toBe("no time at all");
  });
  it("cuts between letters", () => expect(short("🌱🌱🌱🌱", 3)).toBe("🌱🌱…"));
});

describe("CSV", () => {
  it("quotes what needs it and takes the life out of formulas", () => {
    expect(csv(["a", "b"], [["x,y", 'say "hi"'], ["=1+1", -5], [null, ["l"]]])).toBe('a,b\r\n"x,y","say ""hi"""\r\n\'=1+1,-5\r\n,"[""l""]"\r\n');
  });
});

describe("fields of local time", () => {
  it("come back as they went in, to the minute", () => {
    const made = fromLocalInput("2026-03-29T12:34");
    expect(made).toMatch(/Z$/);
    expect(localInput(made)).toBe("2026-03-29T12:34");
    expect([localInput(""), localInput("no time"), fromLocalInput(""), fromLocalInput("x")]).toEqual(["", "", "", ""]);
  });
});
