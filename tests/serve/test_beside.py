"""Every command beside a running daemon: it does its work through it, or says what to do instead. One daemon for all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.cli_support import run
from tests.pipelines.hn.server import HackerNewsServer, serving
from tests.pipelines.news.servers import Site
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.stores import Place
from tests.support.web_server import WebServer

# The daemon has no workers of its own here, so that what the commands do is theirs.
NONE = ("--worker", "article=0", "--worker", "hn_item=0", "--worker", "upload=0", "--worker", "news_article=0")
SETTINGS = """
[hn]
base_url = "{hn}"
attempts = 1
since_last_seconds = 0
updates_seconds = 0
[scrape]
allowed_private_hosts = "127.0.0.1"
summarizer = "words"
[news]
allowed_private_hosts = "127.0.0.1"
summarizer = "words"
same_story = "off"
process_seconds = 0
"""


@dataclass
class Neighbour:
    """A daemon with what it needs around it."""

    folder: Path
    hn: HackerNewsServer
    site: Site
    daemon: DaemonProcess


@pytest.fixture(scope="module")
def neighbour(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neighbour]:
    folder = template.copy_to(tmp_path_factory.mktemp("beside") / "store").folder
    with ExitStack() as stack:
        hn = stack.enter_context(serving())
        site = Site()
        site.url = stack.enter_context(WebServer(site.answer)).url
        (folder / "graphvine.toml").write_text(QUICK_DAEMON + SETTINGS.format(hn=hn.url))
        daemon = stack.enter_context(DaemonProcess(folder, *NONE))
        daemon.ready()
        yield Neighbour(folder, hn, site, daemon)


def story(id: int) -> dict[str, object]:
    return {"id": id, "type": "story", "title": f"Vine {id}", "by": "ada", "time": 1_700_000_000 + id}


def prepare(at: Neighbour) -> None:
    at.hn.items = {id: story(id) for id in range(1, 41)}
    at.hn.lists["topstories"] = [3, 2, 1]
    at.site.add(1, 2)
    good = [story(id) for id in range(101, 131)]
    (at.folder / "good.jsonl").write_text("\n".join(map(json.dumps, good)))
    (at.folder / "mixed.json").write_text(json.dumps([story(140), {"id": 141, "type": "no such type"}]))
    (at.folder / "seeded.json").write_text(json.dumps([story(150), story(151)]))
    (at.folder / "steps.json").write_text(json.dumps([story(160)]))


# What is typed, the end of the status (0 unless it is told), and what must be said, on either stream.
COMMANDS: list[tuple[list[str], int, str]] = [
    (["hn", "pull", "--top", "3"], 0, "3 new"),
    (["hn", "pull", "--from", "4", "--to", "9", "--json"], 0, '"new": 6'),
    (["hn", "add", "-"], 0, "1 new"),
    (["hn", "search", "vine", "--type", "story"], 0, "of 9 items"),
    (["hn", "thread", "50"], 0, "Typed in"),
    (["hn", "mark-failed", "50", "--reason", "to see it"], 0, "item 50 is failed"),
    (["hn", "retry", "50"], 0, "1 item to be processed again"),
    (["hn", "transitions", "3"], 0, "item 3 is completed"),
    (["hn", "transitions", "3", "--take", "validate_item"], 1, "it is completed"),
    (["seed", "hn_item", "20", "21", "999"], 0, "3 rows of hn_item new"),
    (["work", "hn_item", "--once", "--batch", "1"], 0, "hn_item: 1 claimed"),
    (["work", "hn_item", "--until-empty"], 0, "2 done, 1 failed"),
    (["failed", "hn_item"], 0, "there is no item 999"),
    (["requeue", "hn_item", "999"], 0, "1 row of hn_item back"),
    (["exclude", "hn_item", "999"], 0, "1 row of hn_item excluded"),
    (["upload", "good.jsonl"], 0, "completed"),
    (["upload", "good.jsonl"], 0, "was uploaded before"),
    (["upload", "mixed.json"], 1, "partial_success"),
    (["upload", "retry", "{mixed}"], 1, "partial_success"),
    (["upload", "show", "{mixed}", "--errors"], 0, "no such type"),
    (["upload", "steps.json", "--no-auto"], 0, "uploaded"),
    (["upload", "validate", "{steps}"], 0, "validated"),
    (["upload", "start", "{steps}"], 0, "completed"),
    (["upload", "start", "{steps}"], 1, "it is completed"),
    (["upload", "-"], 0, "completed"),
    (["seed", "upload", "seeded.json"], 0, "1 row of upload new"),
    (["work", "upload", "--until-empty"], 0, "3 done"),
    (["uploads"], 0, "seeded.json"),
    (["news", "update", "--feed", "{site}/rss"], 0, "Fetched 2 new articles"),
    (["news", "process", "--until-empty"], 0, "2"),
    (["news", "list", "--state", "processed"], 0, "Bitcoin story number 2"),
    (["news", "retry", "--all"], 3, "nothing to retry"),
    (["work", "news_article"], 1, "graphvine news process"),
    (["scrape", "{site}/page/7", "--batch", "one"], 0, "completed"),
    (["work", "scrape_item"], 1, "graphvine scrape --batch"),
    (["grow", "Vine", "--depth", "0"], 0, "1 claimed, 1 done"),
    (["work", "article", "--once", "--batch", "2"], 0, "article: 2 claimed, 2 done"),
    (["refresh"], 0, "3 articles checked"),
    (["search", "vine", "--mode", "text"], 0, "Vine"),
    (["reindex"], 0, "rows indexed"),
    (["map", "--output", "map.svg"], 0, "map.svg:"),
    (["pause", "article", "--reason", "a look"], 0, "article is paused"),
    (["work", "article", "--until-empty"], 0, "is paused"),
    (["resume", "article"], 0, "article continues"),
    (["status"], 0, "hn_item"),
    (["doctor"], 0, "ok"),
    (["open", "--json"], 0, '"link": "http://127.0.0.1:'),
    (["machine", "upload"], 0, "validated"),
    (["console", "-c", "MATCH (u:Upload) RETURN count(*)"], 0, "5"),
    (["console", "-c", "CREATE (:Article {{title: 'x'}})"], 1, "--write"),
    (["console", "--write", "-c", "MATCH (a:Article {{title: 'Vine'}}) SET a.expansion_state = 'excluded'"], 0, "0 rows"),
    (["backup", "kept"], 0, "kept"),
    (["export", "moved"], 0, "rows"),
    (["load", "moved"], 1, "empty"),
    (["restore", "kept", "--force"], 1, "stop"),
    (["serve"], 1, "served already"),
]  # fmt: skip
TYPED = {
    "hn add -": json.dumps({"id": 50, "type": "story", "title": "Typed in"}),
    "upload -": json.dumps([story(170)]),
}


@pytest.mark.long("runs every command beside a daemon")
def test_every_command_works_through_it_or_says_what_to_do(
    neighbour: Neighbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(neighbour.folder)
    prepare(neighbour)
    names = {"site": neighbour.site.url}
    for typed, status, said in COMMANDS:
        words = [word.format(**names) for word in typed]
        answer = run(*words, "--graph", "graph.db", status=status, stdin=TYPED.get(" ".join(words)))
        assert said in answer.out + answer.err, (words, answer)
        if words[0] == "upload" and words[1] in ("mixed.json", "steps.json"):
            names[Path(words[1]).stem] = json.loads(run("uploads", "--json", "--graph", "graph.db").out)["uploads"][0][
                "upload_id"
            ]
    assert neighbour.daemon.process.poll() is None
    faults = [line for line in neighbour.daemon.lines() if line["level"] == "error"]
    assert faults == []
