"""graphvine scrape: addresses or a file, a table or lines of JSON, and going on by name."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphvine.clock import SystemClock
from graphvine.workers.scrape.api import open_batch
from graphvine.workers.scrape.batches import resume
from graphvine.workers.scrape.events import ScrapeEvent
from graphvine.workers.scrape.output import LiveTable
from tests.acceptance.cli_support import COMMAND, environment, run
from tests.pipelines.scrape.support import TEXT
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT
from tests.support.web_server import Request, WebServer


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    async def page(request: Request) -> None:
        if request.path == "/gone":
            await request.answer(b"gone", status=404)
        else:
            await request.answer(TEXT.encode())

    with WebServer(page) as server:
        monkeypatch.setenv("GRAPHVINE_SCRAPE_ALLOWED_PRIVATE_HOSTS", f"127.0.0.1:{server.port}")
        monkeypatch.setenv("GRAPHVINE_SCRAPE_SUMMARIZER", "words")
        yield server


def test_pages_from_the_command_line_and_again_by_name(site: WebServer, place: Place) -> None:
    said = run("scrape", f"{site.url}/a", f"{site.url}/gone", "--batch", "b", "--graph", place.where, status=1)
    assert "batch b: 1 completed, 1 failed" in said.out and "404" in said.out and "A vine is a plant" in said.out
    again = run("scrape", "--batch", "b", "--graph", place.where, status=1)
    assert "1 completed, 1 failed" in again.out and "1 page failed before: trying again" in again.err
    assert "1 page already done: the stored result is shown" in again.err
    pages = [path for path in site.traffic.asked if path != "/robots.txt"]
    assert sorted(pages) == ["/a", "/gone", "/gone"], "what is done is not asked for again"
    failed = run("failed", "scrape_item", "--json", "--graph", place.where).json["failed"]
    assert [row["key"] for row in failed] == [f"b {site.url}/gone"]


def test_after_the_cause_is_gone_the_same_command_works(site: WebServer, place: Place) -> None:
    command = ("scrape", f"{site.url}/gone", "--graph", place.where)
    assert "404" in run(*command, status=1).out
    site.handler = answers_all
    assert "1 completed" in run(*command).out
    said = run(*command)
    assert "1 completed" in said.out and "--again scrapes anew" in said.err
    asked = site.traffic.asked.count("/gone")
    anew = run(*command, "--again")
    assert "1 completed" in anew.out and "stored" not in anew.err and site.traffic.asked.count("/gone") == asked + 1


def test_pages_that_wait_are_counted_and_now_skips_the_wait(site: WebServer, place: Place) -> None:
    command = ("scrape", f"{site.url}/busy", "--graph", place.where)
    with place.open(SystemClock()) as graph:
        batch = open_batch(graph, [f"{site.url}/busy"], None)
        later = graph.clock.now_ms() + 3_000_000
        graph.execute("MATCH (a:ScrapeItem) SET a.due = $due, a.retry_count = 1", {"due": later})
        assert resume(graph, batch)[0].counts["waiting"] == 1
    said = run(*command, "--now", "--json")
    assert [json.loads(line)["name"] for line in said.out.splitlines()][-2:] == ["batch_finished", "result"]


async def answers_all(request: Request) -> None:
    await request.answer(TEXT.encode())


def test_a_file_of_addresses_and_lines_of_json(site: WebServer, place: Place, tmp_path: Path) -> None:
    listed = tmp_path / "addresses.txt"
    listed.write_text(f"# pages\n\n{site.url}/a\n{site.url}/b\n{site.url}/a\n")
    said = run("scrape", "--from", str(listed), "--json", "--graph", place.where)
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert lines[0]["name"] == "batch_started" and lines[0]["batch"].startswith("pages-")
    results = [line for line in lines if line["name"] == "result"]
    assert [result["url"] for result in results] == [f"{site.url}/a", f"{site.url}/b"]
    assert all(result["summary"] and result["summarizer"] for result in results)
    assert [line["counts"] for line in lines if line["name"] == "batch_finished"] == [{"completed": 2}]


@pytest.mark.parametrize(
    ("content", "place_named", "reason"),
    [
        ("http://a.example/\nftp://b.example/\n", "line 2", "only http"),
        ("# nothing\n", "addresses.txt", "no address"),
        ("x" * 20_000, "line 1", "longer than"),
    ],
)
def test_a_bad_line_is_named_and_makes_no_graph(tmp_path: Path, content: str, place_named: str, reason: str) -> None:
    listed = tmp_path / "addresses.txt"
    listed.write_text(content)
    said = run("scrape", "--from", str(listed), "--graph", str(tmp_path / "new.kuzu"), status=1)
    assert place_named in said.err and reason in said.err and not (tmp_path / "new.kuzu").exists()


def test_without_anything_to_scrape_it_says_what_to_give(tmp_path: Path) -> None:
    assert "--from FILE" in run("scrape", "--graph", str(tmp_path / "g"), status=2).err
    said = run("scrape", "http://a.example/", "--batch", "a b", "--graph", str(tmp_path / "g"), status=1)
    assert "not a valid batch name" in said.err and not (tmp_path / "g").exists()


def test_ctrl_c_stops_it_cleanly_and_the_same_command_goes_on(place: Place, tmp_path: Path) -> None:
    arrived, go_on = threading.Event(), threading.Event()

    async def page(request: Request) -> None:
        if request.path == "/slow":
            arrived.set()
            await request.wait_for(go_on)
        await request.answer(TEXT.encode())

    with WebServer(page) as server:
        variables = environment(GRAPHVINE_SCRAPE_ALLOWED_PRIVATE_HOSTS="127.0.0.1", GRAPHVINE_SCRAPE_SUMMARIZER="words")
        command = [COMMAND, "--graph", place.where, "scrape", f"{server.url}/slow", f"{server.url}/a", "--json"]
        running = subprocess.Popen(command, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, text=True)
        try:
            assert arrived.wait(WAIT_LIMIT)
            os.kill(running.pid, signal.SIGINT)
            out, _ = running.communicate(timeout=WAIT_LIMIT)
        finally:
            running.kill()
        assert running.returncode == 130 and json.loads(out.splitlines()[-1])["name"] == "stopped"
        go_on.set()
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=WAIT_LIMIT)
    finished = [json.loads(line) for line in done.stdout.splitlines() if '"batch_finished"' in line]
    assert finished[0]["counts"] == {"completed": 2}, done.stderr


def test_the_live_table_shows_what_is_in_work_and_what_was_done() -> None:
    from rich.console import Console

    table = LiveTable()
    for number in range(20):
        table.take(ScrapeEvent("summary_finished", "b", f"http://a.example/{number}", "completed", text="Done."))
    growing = "Vines climb walls. " * 10 + "And so on"
    table.take(ScrapeEvent("summary_partial", "b", "http://a.example/now", "summarizing", text=growing))
    out = Console(file=io.StringIO(), width=200)
    out.print(table.drawn())
    shown = out.file.getvalue()  # type: ignore[attr-defined]
    assert "batch b: 20 completed" in shown and "And so on" in shown and shown.count("Done.") == 8
    assert shown.index("summarizing") < shown.index("http://a.example/19")
