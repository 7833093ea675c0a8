"""The command line at 60, 80 and 200 columns, --json on every command, settings, completion, grouped help."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from pathlib import Path

import pytest

from graphvine.workers.cli import commands, discovery
from graphvine.workers.cli.apps import commands_of
from graphvine.workers.cli.output import size
from graphvine.workers.cli.packaged import PACKAGED
from graphvine.workers.cli.reference import pages
from graphvine.workers.cli.settings_listing import _edited
from tests.acceptance.cli_support import plant, process, run, terminal
from tests.support.stores import Place, make_template

WORDS = re.compile(r"[A-Za-z_]{4,}")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = make_template("kuzu", tmp_path_factory.mktemp("planted") / "store")
    plant(place)
    return place


@pytest.fixture
def garden(planted: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return planted.copy_to(tmp_path / "store").where


@pytest.mark.long("runs every command at every width")
@pytest.mark.parametrize(
    "command",
    ["status", "failed", "config", "machine", "machine hn_item", "doctor --all", "stats", "search vine --mode text"],
)
def test_no_line_is_too_wide_and_no_word_is_split(garden: str, tmp_path: Path, command: str) -> None:
    arguments = [*command.split(), "--graph", garden]
    wide = process(*arguments, cwd=tmp_path).out
    # Every word of up to 24 letters that stands in the wide output stands whole in the narrow one.
    whole = {word for word in WORDS.findall(wide) if len(word) <= 24 and word not in garden}
    for columns in (60, 80, 200):
        said = process(*arguments, cwd=tmp_path, COLUMNS=str(columns)).out
        too_long = [line for line in said.splitlines() if len(line) > columns and garden not in line]
        assert not too_long, (columns, too_long[:3])
        assert whole <= set(WORDS.findall(said)), columns


def test_status_begins_with_the_totals_and_hides_zeros(garden: str) -> None:
    first, _, head, *_ = run("status", "--graph", garden).out.splitlines()
    assert first.endswith("5 rows, 20.0 % done, 2 failed")
    assert head.split()[:3] == ["pipeline", "rows", "done"] and "claimed" not in head and "paused" not in head
    assert "excluded" not in run("status", "--graph", garden).out
    assert "hn_item" not in run("status", "--graph", garden).out


def test_the_doctor_has_one_line_when_all_is_well(garden: str) -> None:
    [line] = run("doctor", "--graph", garden).out.splitlines()
    assert re.search(r": \d+ checks, all ok$", line)
    assert run("doctor", "--graph", garden, "--all").out.count("\n") > 20


def test_lists_for_other_programs(garden: str) -> None:
    lines = run("failed", "--graph", garden, "--jsonl").out.splitlines()
    assert {json.loads(line)["key"] for line in lines} >= {"Ivy"}
    head, *rows = run("failed", "--graph", garden, "--csv").out.splitlines()
    assert head.startswith("pipeline,key,state,reason") and len(rows) == 2
    assert "choose one" in run("failed", "--graph", garden, "--csv", "--jsonl", status=2).err
    assert run("config", "--csv").out.startswith("name,value,source,default,variable,help\n")


WRITING = {
    "seed article Oak": {"pipeline": "article", "new": 1, "known": 0},
    "pause article": {"pipeline": "article", "paused": True, "reason": ""},
    "resume article": {"pipeline": "article", "paused": False},
    "requeue article Ivy": {"pipeline": "article", "requeued": 1, "left_alone": 0},
    "exclude article Fern": {"pipeline": "article", "excluded": 1, "left_alone": 0},
}


@pytest.mark.parametrize("command", WRITING)
def test_what_a_command_did_is_one_object(garden: str, command: str) -> None:
    assert run(*command.split(), "--graph", garden, "--json").json == {"graph": garden, **WRITING[command]}


def test_every_command_that_ends_prints_json() -> None:
    without = {name for name, one in pages().items() if not any("--json" in p.opts for p in one.params)}
    assert without == {"serve", "mcp"}, "these run until they are stopped"


# With what each holds beside the name of the graph, where it has one.
READING = {
    "status": "pipelines", "failed": "failed", "stats": "nodes", "doctor": "findings", "config graph": "settings",
    "machine": "machines", "machine article": "states", "machine article --block claim": "statements",
    "pipelines": "pipelines", "search vine --mode text": "hits", "ask vine": "groups",
    "edges --counts": "edges", "reindex": "indexed", "titles --source sample": "titles", "uploads": "uploads",
    "token list": "tokens", "news list": "articles", "news queue": "entries", "hn search vine": "found",
    "map -o m.svg": "articles", "export x.jsonl": "nodes", "export folder": "tables", "backup monday": "files",
}  # fmt: skip


def test_json_is_one_object_that_names_the_graph(garden: str) -> None:
    for command, field in READING.items():
        said = run(*command.split(), "--graph", garden, "--json").json
        assert isinstance(said, dict) and field in said, command
        assert said.get("graph", garden) == garden and ("graph" in said or command.startswith("machine")), command


def test_lists_have_a_line_a_row(garden: str, tmp_path: Path) -> None:
    listing = {name for name, one in pages().items() if any("--jsonl" in p.opts for p in one.params)}
    assert {"failed", "search", "titles", "uploads", "news list", "hn search", "hn thread", "config"} <= listing
    first, *rest = run("titles", "--source", "sample", "--jsonl").out.splitlines()
    assert json.loads(first) == {"title": "Aerial root"} and len(rest) > 50
    assert process("titles", "--source", "sample", "--csv", cwd=tmp_path).out.startswith("title\nAerial root\n")
    assert "choose one of --json and --csv" in run("titles", "--source", "sample", "--json", "--csv", status=2).err


def test_long_output_goes_through_the_pager_at_a_terminal_alone(tmp_path: Path) -> None:
    command = ("titles", "--source", "sample")
    status, shown = terminal(*command, cwd=tmp_path, rows=10, PAGER="wc -l")
    assert status == 0 and shown.endswith("86\n") and "Aerial root" not in shown
    assert "Aerial root" in terminal(*command, cwd=tmp_path, rows=200, PAGER="wc -l")[1], "it fits"
    assert "Aerial root" in terminal(*command, cwd=tmp_path, rows=10, PAGER="")[1]
    assert "Aerial root" in terminal(*command, cwd=tmp_path, rows=10, PAGER="no-such-pager")[1]
    assert process(*command, cwd=tmp_path, PAGER="wc -l").out.startswith("Aerial root\n")


LISTED = {name: told for members in PACKAGED.values() for name, told in members.items()}


def test_the_list_of_commands_is_what_they_say() -> None:
    """What --help shows of a command without loading it."""
    brought = set(discovery._from_packages())
    for module in pkgutil.iter_modules(commands.__path__):
        brought |= set(commands_of(importlib.import_module(f"{commands.__name__}.{module.name}").app))
    assert brought == set(LISTED), "workers/cli/packaged.py lists every command"
    said = {name: discovery.find(name).get_short_help_str(200) for name in LISTED}
    assert {name: discovery.described(name).get_short_help_str(200) for name in LISTED} == said
    assert {name: sentence.removesuffix(".") for name, (_, sentence) in LISTED.items()} == {
        name: text.removesuffix(".") for name, text in said.items()
    }


def test_settings_are_set_checked_and_unset(garden: str) -> None:
    assert run("config", "--changed", "--graph", garden).out.count("\n") > 2
    run("config", "set", "buffer_pool_mb", "512")
    run("config", "set", "serve.allowed_hosts", '["graph.example.org"]')
    run("config", "set", "serve.workers", '{"article": 2}')
    run("config", "set", "sync", "false")
    shown = {row["name"]: row["value"] for row in run("config", "--changed", "--json").json["settings"]}
    assert shown == {
        "buffer_pool_mb": 512, "serve.allowed_hosts": ["graph.example.org"], "serve.workers": {"article": 2}, "sync": False,
    }  # fmt: skip
    assert run("config", "unset", "sync", "--json").json["value"] is None
    assert "sync" not in run("config", "--changed").out
    assert "GRAPHVINE_BUFFER_POOL_MB" in run("config", "buffer_pool_mb").out
    before = Path("graphvine.toml").read_text()
    assert "Expected `int`" in run("config", "set", "buffer_pool_mb", "much", status=2).err
    assert "did you mean 'batch_size'" in run("config", "set", "batch_sise", "7", status=2).err
    assert "write: graphvine config set" in run("config", "set", "batch_size", status=2).err
    assert Path("graphvine.toml").read_text() == before


def test_what_somebody_wrote_in_the_file_stays() -> None:
    text = "# mine\nbatch_size = 7  # seven\n\n[serve]  # here\n# port below\nport = 1\n\n[news]\ntopic = 'x'\n"
    assert _edited(text, "serve", "port", "2") == text.replace("port = 1", "port = 2")
    assert _edited(text, "serve", "host", '"h"') == text.replace("port = 1\n", 'port = 1\nhost = "h"\n')
    assert _edited(text, "", "sync", "true") == text.replace("# seven\n", "# seven\nsync = true\n")
    assert _edited(text, "hn", "a", "1").endswith("\n[hn]\na = 1\n")
    assert _edited(text, "serve", "port", None) == text.replace("port = 1\n", "")
    assert _edited("", "", "sync", "true") == "sync = true\n"


def test_the_shell_completes_pipelines_sources_titles_and_settings(garden: str, tmp_path: Path) -> None:
    def completed(*words: str) -> set[str]:
        line = " ".join(("graphvine", *words))
        variables = {"_GRAPHVINE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
        return set(process(cwd=tmp_path, **variables).out.split())

    assert completed("pause", "art") == {"article"}
    assert completed("machine", "up") == {"upload"}
    assert completed("grow", "--source", "sa") == {"sample"}
    assert "Ivy" in completed("grow", "--source", "sample", "iv")
    assert completed("search", "leaves", "--graph", garden, "--near", "mo") == {"Moss"}
    assert completed("map", "--graph", "missing.kuzu", "--around", "mo") == set()
    assert "buffer_pool_mb" in completed("config", "buffer")
    assert completed("stat") == {"stats", "status"}


def test_sizes_are_for_people() -> None:
    assert [size(n) for n in (0, 1, 999, 1500, 2_500_000, 3 * 10**9)] == [
        "0 bytes", "1 byte", "999 bytes", "1.5 KB", "2.5 MB", "3.0 GB",
    ]  # fmt: skip
