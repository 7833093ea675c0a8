"""The installed command in processes of its own: how it starts, how it is stopped, what it leaves behind."""

from __future__ import annotations

import importlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import graphvine
from graphvine.engines.kuzu.file_lock import Holder
from graphvine.service_file import find
from graphvine.workers import wikipedia
from tests.acceptance.cli_support import COMMAND, environment, process, run
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually

# Heavy: none of these may be loaded to show help.
HEAVY = [
    "kuzu", "pyarrow", "numpy", "rich", "prompt_toolkit", "apscheduler", "psutil", "onnxruntime", "httpx", "fastapi",
    "mwclient", "pydantic",
]  # fmt: skip
# The command with another handler of articles.
LAUNCH = """
import sys
from dataclasses import replace
from graphvine.workers import wikipedia
sys.path.append(sys.argv.pop(1))
from practice import build
wikipedia.PIPELINE = (replace(wikipedia.ARTICLES, build=build, build_several=None), wikipedia.SECTIONS)
from graphvine.workers.cli.main import main
main()
"""
# It answers for "Vine", says that it is at "Ivy", and waits there until it is told to stop.
HANDLER = """
import sys, threading
from graphvine.outcomes import Done

class Practice:
    def handle(self, claims, context):
        for claim in claims:
            if claim.key == "Ivy":
                print("reached Ivy", file=sys.stderr, flush=True)
                while not context.stopping:
                    threading.Event().wait(0.01)
                return
            yield Done(claim)

    def close(self):
        print("closed", file=sys.stderr, flush=True)

def build(graph):
    return Practice()
"""


@pytest.fixture
def practice(tmp_path: Path) -> Path:
    """A folder with a handler that works on articles in its own way."""
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "practice.py").write_text(HANDLER)
    return folder


@pytest.fixture
def where(place: Place) -> str:
    with place.open() as graph:
        graph.seed("article", ["Vine", "Ivy", "Moss"])
    return place.where


@contextmanager
def at_work(practice: Path, where: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A worker that has come to Ivy."""
    command = [sys.executable, "-c", LAUNCH, str(practice), "--graph", where, "work", "article", *options]
    worker = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=practice, env=environment()
    )
    try:
        assert worker.stderr is not None
        assert worker.stderr.readline() == "reached Ivy\n"
        yield worker
    finally:
        worker.kill()
        worker.communicate(timeout=WAIT_LIMIT)


def open_door(where: str) -> None:
    assert find(where) is not None


def states(where: str) -> dict[str, str]:
    with graphvine.open(where, create=False) as graph:
        return dict(graph.query("MATCH (a:Article) RETURN a.title, a.expansion_state").rows)  # type: ignore[arg-type]


def test_help_lists_every_command_and_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys, atexit, json\n"
        f"atexit.register(lambda: print(json.dumps([m for m in {HEAVY} if m in sys.modules]), file=sys.stderr))\n"
        "sys.argv = ['graphvine', '--help']\n"
        "from graphvine.workers.cli.main import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=WAIT_LIMIT
    )
    assert done.returncode == 0
    assert json.loads(done.stderr) == []
    commands = done.stdout.partition("\nGrow:\n")[2]
    listed = [line.split()[0] for line in commands.splitlines() if line.startswith("  ") and line[2] != " "]
    assert {"status", "console", "work", "demo", "config"} <= set(listed)
    assert "..." not in commands, "a command's first line is too long for the list"
    titles = [line for line in commands.splitlines() if line and not line.startswith(" ")]
    assert titles == ["Look:", "Queue:", "Serve:", "Maintain:", "Develop:"]


def test_importing_the_package_loads_python_s_own_modules_alone(tmp_path: Path) -> None:
    code = "import sys; before = set(sys.modules); import graphvine; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded - sys.stdlib_module_names == {"graphvine"}


def test_the_version_and_a_wrong_command(tmp_path: Path) -> None:
    assert process("--version", cwd=tmp_path).out == f"graphvine {graphvine.__version__}\n"
    said = process("satus", cwd=tmp_path, status=2)
    assert said.out == ""
    assert "there is no command 'satus', did you mean 'status'?" in said.err


def test_an_error_is_one_sentence_and_verbose_adds_the_traceback(tmp_path: Path) -> None:
    said = process("status", cwd=tmp_path, status=1)
    assert said.out == ""
    assert said.err.startswith("error: there is no graph at graphvine.kuzu")
    assert said.err.count("\n") == 1
    loud = process("-v", "status", cwd=tmp_path, status=1).err
    assert "Traceback" in loud
    assert loud.endswith(said.err)


def test_the_graph_is_named_by_an_option_or_a_variable(where: str, tmp_path: Path) -> None:
    assert process("--graph", where, "status", "--json", cwd=tmp_path).json["pipelines"][0]["ready"] == 3
    query = ("console", "--json", "-c", "MATCH (a:Article) RETURN count(*) AS n")
    assert process(*query, cwd=tmp_path, GRAPHVINE_GRAPH=where).out == '[{"n": 3}]\n'


def test_an_encoding_without_the_letter_is_no_obstacle(where: str, tmp_path: Path) -> None:
    script = "RETURN 'ü' AS u;\n:format json\nRETURN 'ü' AS u"
    out = process("--graph", where, "console", cwd=tmp_path, stdin=script, PYTHONIOENCODING="ascii").out
    assert r"| \xfc |" in out
    assert json.loads(out.splitlines()[-1]) == [{"u": "ü"}]


def test_what_is_no_text_is_refused(where: str, tmp_path: Path) -> None:
    def refused(*arguments: str | bytes, stdin: bytes = b"") -> tuple[int, str]:
        command = [COMMAND, "--graph", where, *arguments]
        done = subprocess.run(
            command, input=stdin, capture_output=True, cwd=tmp_path, env=environment(), timeout=WAIT_LIMIT
        )
        return done.returncode, done.stderr.decode()

    assert refused("console", stdin=b"RETURN '\xff';") == (1, "error: standard input is not UTF-8 text\n")
    assert refused("exclude", "article", b"\xff") == (2, "error: argument 5, '\\udcff', is not UTF-8 text\n")


def test_a_reader_that_goes_away_is_no_error(where: str, tmp_path: Path) -> None:
    command = [COMMAND, "--graph", where, "console", "--csv", "-c", "UNWIND range(1, 9000) AS n RETURN n"]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment()
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert "Traceback" not in child.stderr.read()
    child.stderr.close()
    assert child.wait(timeout=WAIT_LIMIT) == 141


def test_ctrl_c_ends_the_work_and_gives_the_rest_back(practice: Path, where: str) -> None:
    with at_work(practice, where) as worker:
        eventually(lambda: open_door(where))
        # It holds the file, and lets others in: what it has in work is seen beside it.
        beside = process("status", "--json", "--graph", where, cwd=practice).json["pipelines"]
        assert next(one for one in beside if one["pipeline"] == "article")["claimed"] == 3
        worker.send_signal(signal.SIGINT)
        out, err = worker.communicate(timeout=WAIT_LIMIT)
    assert worker.returncode == 130
    assert out == "article: 3 claimed, 1 done, 2 given back\n"
    assert err == "stopping after this batch; press Ctrl-C again to stop now\nclosed\n"
    assert states(where) == {"Vine": "processed", "Ivy": "discovered", "Moss": "discovered"}


def test_a_polite_end_is_no_error(practice: Path, where: str) -> None:
    with at_work(practice, where, "--until-empty") as worker:
        worker.terminate()
        worker.communicate(timeout=WAIT_LIMIT)
    assert worker.returncode == 0
    assert "claimed" not in states(where).values()


def test_after_a_kill_the_work_goes_on(practice: Path, where: str) -> None:
    with at_work(practice, where, "--batch", "1") as worker:
        worker.kill()
    assert states(where)["Vine"] == "processed"
    with at_work(practice, where, "--once") as worker:  # it comes to Ivy again: the dead worker's claim is free
        worker.send_signal(signal.SIGINT)
        worker.communicate(timeout=WAIT_LIMIT)
    assert states(where)["Ivy"] == "discovered"


def test_the_work_ends_when_nothing_is_left(practice: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(practice)
    build = importlib.import_module("practice").build
    monkeypatch.setattr(
        wikipedia, "PIPELINE", (replace(wikipedia.ARTICLES, build=build, build_several=None), wikipedia.SECTIONS)
    )
    run("exclude", "--graph", where, "article", "Ivy")
    work = ("work", "--graph", where, "article")
    assert run(*work, "--once", "--batch", "1").out == "article: 1 claimed, 1 done\n"
    assert run(*work, "--until-empty").out == "article: 1 claimed, 1 done\n"
    assert run(*work, "--once").out == "article: nothing to claim\n"
    run("pause", "--graph", where, "article", "--reason", "frost")
    assert "article is paused (frost)" in run(*work, "--once").err
    assert "not both" in run(*work, "--once", "--until-empty", status=2).err


def test_a_command_waits_for_a_process_that_has_just_opened_the_graph(where: str) -> None:
    """A daemon that starts holds the file before it serves it."""
    lock = Holder(Path(where))
    lock.take()
    try:
        command = [COMMAND, "--graph", where, "status"]
        waiting = subprocess.Popen(
            command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert waiting.stderr is not None
        assert "waiting for it" in waiting.stderr.readline()
    finally:
        lock.drop()
    told, error = waiting.communicate(timeout=WAIT_LIMIT)
    assert waiting.returncode == 0 and "3 rows" in told, (told, error)
