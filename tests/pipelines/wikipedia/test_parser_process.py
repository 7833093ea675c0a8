"""The process that parses: bounded in time and memory, ended with its parent, started again when needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import psutil
import pytest

from graphvine.workers.wikipedia.dump import SampleSource
from graphvine.workers.wikipedia.errors import ParserUnavailable
from graphvine.workers.wikipedia.parse_page import Limits, parse_page
from graphvine.workers.wikipedia.parsed import Malformed, ParsedPage
from graphvine.workers.wikipedia.parser import Parser
from graphvine.workers.wikipedia.sources import Page
from tests.pipelines.wikipedia.pages import RULES, a_page
from tests.support.waiting import WAIT_LIMIT, eventually

# More than can be parsed in the time that it gets.
HURRIED = Limits(max_characters=10**9, parse_seconds=0.2)
LONG = {
    "templates": "{{a|b}} " * 500_000,
    "links": "[[a|b]] " * 500_000,
    "tables": "{|\n|-\n|\n|}\n" * 200_000,
    "tags": "<div>a</div>" * 300_000,
}


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser(RULES, Limits(parse_seconds=WAIT_LIMIT)) as running:
        yield running


@pytest.fixture(scope="module")
def hurried() -> Iterator[Parser]:
    with Parser(RULES, HURRIED) as running:
        yield running


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "sandbox_child" in " ".join(child.cmdline())]


def test_it_says_what_the_same_code_says_here(parser: Parser) -> None:
    sample = SampleSource()
    for page in sample.fetch(sample.titles()):
        assert isinstance(page, Page)
        assert parser.parse(page) == parse_page(page, RULES)
    sample.close()


@pytest.mark.parametrize("text", ["a\x00b\ud800c\u2028d\r\n", "\n" * 1_000, "é" * 300_000, '"\\', ""])
def test_any_characters_come_through(parser: Parser, text: str) -> None:
    assert parser.parse(a_page(text)) == parse_page(a_page(text), RULES)


@pytest.mark.parametrize("kind", LONG)
def test_a_parse_that_takes_too_long_is_stopped_and_named(hurried: Parser, kind: str) -> None:
    assert hurried.parse(a_page(LONG[kind])) == Malformed("Vine", "parsing it takes more than 0.2 s")


@pytest.mark.parametrize(
    "text",
    ["{{" * 100_000, "[[" * 100_000, "'''" * 100_000, "''a " * 50_000, "{{a|" * 200 + "}}" * 200, "=" * 100_000,
     "<b><i>" * 60 + "x" + "</i></b>" * 60, "{|\n|\n" * 60 + "|}\n" * 60, "* " * 50_000, "&" * 100_000,
     "<!--" * 5_000],
)  # fmt: skip
def test_what_only_looks_bad_is_answered(parser: Parser, text: str) -> None:
    assert isinstance(parser.parse(a_page(text)), ParsedPage | Malformed)


def test_after_a_page_was_stopped_the_next_one_is_parsed(hurried: Parser) -> None:
    hurried.parse(a_page(LONG["tables"]))
    parsed = hurried.parse(a_page("All is well."))
    assert isinstance(parsed, ParsedPage)
    assert parsed.lead.text == "All is well."


def test_a_process_that_is_killed_from_outside_costs_nothing() -> None:
    before = set(children())
    with Parser(RULES) as parser:
        parser.parse(a_page("first"))
        (child,) = set(children()) - before
        child.kill()
        child.wait(WAIT_LIMIT)
        parsed = parser.parse(a_page("second"))
        assert isinstance(parsed, ParsedPage)


def test_a_page_that_needs_too_much_memory_is_named() -> None:
    limits = Limits(max_characters=10**8, memory_bytes=160 * 1024**2, parse_seconds=WAIT_LIMIT)
    with Parser(RULES, limits) as parser:
        parsed = parser.parse(a_page("".join(f"[[{number}]] " for number in range(400_000))))
        assert isinstance(parsed, Malformed)
        assert "MiB" in parsed.reason or "crashes the process" in parsed.reason
        assert isinstance(parser.parse(a_page("small")), ParsedPage)


def test_several_threads_share_several_processes() -> None:
    texts = [f"Text {number}. " * 200 for number in range(24)]
    found: dict[str, str] = {}
    with Parser(RULES, processes=2) as parser:

        def work(own: list[str]) -> None:
            for text in own:
                parsed = parser.parse(a_page(text))
                assert isinstance(parsed, ParsedPage)
                found[text] = parsed.lead.text

        threads = [threading.Thread(target=work, args=(texts[start::4],)) for start in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {text: text.strip() for text in texts}


def test_closing_ends_the_processes_and_is_final() -> None:
    before = len(children())
    parser = Parser(RULES, processes=2)
    parser.parse(a_page("text"))
    assert len(children()) == before + 1
    parser.close()
    parser.close()
    assert len(children()) == before
    with pytest.raises(ParserUnavailable, match="closed"):
        parser.parse(a_page("text"))


def test_a_parser_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with Parser(RULES) as parser, pytest.raises(ParserUnavailable, match="nowhere"):
        parser.parse(a_page("text"))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Parser(RULES) as parser, pytest.raises(ParserUnavailable):
        parser.parse(a_page("text"))


WORK = """
import threading
from graphvine.workers.wikipedia.parser import Parser
from graphvine.workers.wikipedia.parse_page import Limits
from tests.pipelines.wikipedia.pages import RULES, a_page
from tests.pipelines.wikipedia.test_parser_process import LONG
parser = Parser(RULES, Limits(max_characters=10**9, parse_seconds=60))
parser.parse(a_page("text"))
threading.Thread(target=parser.parse, args=(a_page(LONG["tables"]),), daemon=True).start()
print("reached", flush=True)
threading.Event().wait()
"""


def test_when_the_parent_is_killed_no_process_is_left() -> None:
    """Neither an idle one nor one in the middle of a page."""
    parent = subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "reached\n"
    (child,) = psutil.Process(parent.pid).children()
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()

    def gone() -> None:
        assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE

    eventually(gone)
