"""A headless Chromium that renders by software, and what a frame in it costs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ARGUMENTS = ("--no-sandbox", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
SIZE = {"width": 1440, "height": 900}
_BUNDLE = Path(__file__).resolve().parents[2] / "workers" / "serve" / "static" / "index.html"
_WAIT_MS = 300_000
# Drag the drawing in circles, a step a frame, and say when each frame came.
_DRAG = """async (ms) => {
  const box = document.querySelector(".points");
  const { left, top, width, height } = box.getBoundingClientRect();
  const send = (kind, x, y) =>
    box.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX: left + width * x, clientY: top + height * y }));
  const times = [];
  send("pointerdown", 0.5, 0.5);
  await new Promise((done) => {
    const step = (now) => {
      times.push(now);
      const angle = times.length / 20;
      send("pointermove", 0.5 + 0.8 * Math.sin(angle), 0.5 + 0.8 * Math.cos(angle));
      now - times[0] < ms ? requestAnimationFrame(step) : done();
    };
    requestAnimationFrame(step);
  });
  send("pointerup", 0.5, 0.5);
  return times;
}"""
_SCROLL = """async (body) => {
  const times = [];
  await new Promise((done) => {
    const step = (now) => {
      times.push(now);
      body.scrollTop += 25;
      times.length < 120 ? requestAnimationFrame(step) : done();
    };
    requestAnimationFrame(step);
  });
  return times;
}"""
_ROWS_ARE_THERE = """() => document.querySelectorAll(".table [role=row] a").length > 5
  && !document.querySelector(".table [aria-busy=true]")"""


def browser_missing() -> str:
    """Why there can be no browser; empty where there can."""
    if find_spec("playwright") is None:
        return "there is no playwright: make parts LANES=browser"
    if shutil.which("chromium") is None:
        return "there is no Chromium: make parts LANES=browser"
    return "" if _BUNDLE.exists() else "the dashboard is not built: make ui"


@contextmanager
def open_browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
        yield launched
        launched.close()


class Page:
    def __init__(self, browser: Any, address: str) -> None:
        self._context = browser.new_context(viewport=SIZE)
        self.page = self._context.new_page()
        self.page.set_default_timeout(_WAIT_MS)
        self.page.goto(address)

    def shows(self, selector: str) -> None:
        self.page.locator(selector).first.wait_for()

    def attribute(self, selector: str, name: str) -> str:
        return str(self.page.locator(selector).get_attribute(name))

    def thrown_to(self, share: float) -> tuple[float, str]:
        """Put the scroll bar of the table there: how long until its rows are there, and the last of them."""
        started = time.monotonic()
        self._body().evaluate("(body, share) => { body.scrollTop = share * body.scrollHeight; }", share)
        self.page.wait_for_function("() => new Promise((done) => requestAnimationFrame(() => done(true)))")
        self.page.wait_for_function(_ROWS_ARE_THERE)
        return time.monotonic() - started, str(self.page.locator(".table [role=row] a").last.text_content())

    def scrolled(self) -> float:
        """Frames a second while the table is scrolled."""
        return _rate(self._body().evaluate(_SCROLL))

    def close(self) -> None:
        self._context.close()

    def _body(self) -> Any:
        return self.page.locator(".table .body")


@dataclass(frozen=True, slots=True)
class Frames:
    rate: float
    cpu_ms: float  # of all processes of the browser, for one frame


def frames(page: Page, seconds: float) -> Frames:
    """Drag the drawing about."""
    before = _cpu_seconds()
    times = page.page.evaluate(_DRAG, 1000 * seconds)
    return Frames(_rate(times), 1000 * (_cpu_seconds() - before) / len(times))


def _rate(times: list[float]) -> float:
    return 1000 * (len(times) - 1) / max(1.0, times[-1] - times[0])


def _cpu_seconds() -> float:
    import psutil

    total = 0.0
    for child in psutil.Process().children(recursive=True):
        try:
            if "chrom" in child.name():
                spent = child.cpu_times()
                total += spent.user + spent.system
        except psutil.NoSuchProcess:
            continue
    return total
