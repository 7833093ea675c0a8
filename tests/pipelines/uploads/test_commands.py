"""The commands, as people call them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

from tests.acceptance.cli_support import COMMAND, run
from tests.pipelines.uploads.making import as_array, as_lines, items, write
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT


def test_upload_show_and_list(place: Place, tmp_path: Path) -> None:
    graph = str(place.path)
    path = str(write(tmp_path, as_array([*items(5), {"id": 9}])))
    done = run("upload", path, "--graph", graph, status=1)
    id = done.out.split()[0]
    assert "partial_success: 5 of 6 items processed" in done.out
    again = run("--graph", graph, "upload", path, "--json", status=1)
    assert "uploaded before" in again.err and json.loads(again.out)["uploads"][0]["state"] == "partial_success"
    shown = json.loads(run("upload", "show", id, "--json", "--graph", graph).out)
    assert (shown["processed_items"], shown["failed_items"], shown["failure_report"]["failed_items"]) == (5, 1, 1)
    errors = json.loads(run("upload", "--graph", graph, "show", id, "--errors", "--json").out)["errors"]
    assert [(error["index"], error["hnId"], error["field"]) for error in errors] == [(5, 9, "type")]
    assert "there is none" in run("upload", "show", id, "--errors", "--graph", graph).out
    assert "success" in run("upload", "show", id, "--graph", graph).out
    assert id in run("uploads", "--graph", graph).out
    assert json.loads(run("uploads", "--json", "--graph", graph).out)["uploads"][0]["upload_id"] == id
    assert "partial_success" in run("upload", "retry", id, "--graph", graph, status=1).out


def test_step_by_step(place: Place, tmp_path: Path) -> None:
    graph, path = str(place.path), str(write(tmp_path, as_lines(items(4))))
    id = run("upload", path, "--no-auto", "--graph", graph).out.split()[0]
    assert "can't go through start_processing" in run("upload", "start", id, "--graph", graph, status=1).err
    assert "validated: 4 items" in run("upload", "validate", id, "--graph", graph).out
    assert "completed: 4 of 4 items" in run("upload", "start", id, "--graph", graph).out
    bad = str(write(tmp_path, b"[1", "bad"))
    failed = run("upload", bad, "--graph", graph, status=1)
    assert "the array is cut" in failed.out
    id = failed.out.split()[0]
    assert "uploaded" in run("upload", "reset", id, "--no-auto", "--graph", graph).out
    assert "the array is cut" in run("upload", "validate", id, "--graph", graph, status=1).out


def test_mistakes_are_told_in_a_sentence(place: Place, tmp_path: Path) -> None:
    graph = str(place.path)
    assert "is not there" in run("upload", str(tmp_path / "none"), "--graph", graph, status=1).err
    assert "is no file" in run("upload", str(tmp_path), "--graph", graph, status=1).err
    assert "there is no upload 'x'" in run("upload", "show", "x", "--graph", graph, status=1).err
    assert "FILE" in run("upload", "--graph", graph, status=2).err
    assert "upload FILE" in run("upload", "--help").out


def test_from_a_pipe_and_stopped_by_ctrl_c(place: Place, tmp_path: Path) -> None:
    graph = str(place.path)
    command = [str(COMMAND), "upload", "--graph", graph]
    data = as_lines(items(3_000))
    environment = {**os.environ, "GRAPHVINE_UPLOAD_ITEMS_AT_ONCE": "50", "GRAPHVINE_UPLOAD_CHUNK_BYTES": "4000"}
    path = write(tmp_path, data)
    piped = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "--verbose", str(path)], **piped, env=environment) as child:  # type: ignore[call-overload]
        for line in child.stderr:
            if "upload.advance" in line:
                break
        child.send_signal(signal.SIGINT)
        told = child.stdout.read()
        child.stderr.read()
        status = child.wait(WAIT_LIMIT)
    assert status == 130, told
    assert "processing: " in told and "the same command goes on" in told
    done = subprocess.run([*command, "-"], input=data, capture_output=True, env=environment, timeout=WAIT_LIMIT)
    assert done.returncode == 0, done.stderr
    assert b"completed: 3,000 of 3,000 items processed (3,000 new, 0 updated, 0 unchanged)" in done.stdout
