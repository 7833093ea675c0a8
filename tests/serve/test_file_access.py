"""Files of the daemon's machine: a token that was given to others reaches none of them outside one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

import graphvine
from graphvine.engines.http.wire import pack, unpack
from graphvine.errors import GraphvineError
from graphvine.settings import Settings
from graphvine.workers.serve import access
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.http_server import HttpServer
from graphvine.workers.serve.settings import ServeSettings
from tests.serve.conftest import AUTHORISED, Serve, asking
from tests.support.shared_graphs import TOKEN
from tests.support.stores import QUICK, Place

SEED = "/pipelines/upload/seeds"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "diary.md").write_text("# Diary\n\nNobody is to read this.\n")
    return folder


def asks(notes: Path) -> list[tuple[str, dict[str, Any]]]:
    """Requests by which the daemon would read files."""
    return [
        ("/grow", {"source": str(notes), "all": True, "depth": 0}),
        ("/refresh", {"source": str(notes)}),
        (SEED, {"keys": [str(notes / "diary.md")]}),
    ]


@pytest.mark.parametrize("scope", ["work", "admin"])
def test_a_token_for_others_reads_no_file(place: Place, notes: Path, scope: access.Scope) -> None:
    with graphvine.open(place.path, settings=Settings(**QUICK)) as graph:
        token = access.create(place.where, "for others", scope)
        server = HttpServer(AppState(ServeSettings(port=0), TOKEN, "a test", where=place.where))
        server.app_state.enter(graph)
        server.open()
        try:
            with httpx.Client(base_url=server.address, headers={"Authorization": f"Bearer {token}"}) as client:
                for path, body in asks(notes):
                    answer = client.post(path, json=body)
                    assert answer.status_code == 403 and "serve.files_folder" in answer.text, path
                _refused_inside(client, notes)
                assert client.get("/jobs").json()["rows"] == client.get("/uploads").json()["rows"] == []
                assert client.post("/grow", json={"source": "sample", "depth": 0}).status_code == 202
        finally:
            server.close(wait=False)


def _refused_inside(client: httpx.Client, notes: Path) -> None:
    """The same through the routes of our own processes: a unit, a job, a call."""
    file, about = str(notes / "diary.md"), {"session": "s", "number": 1, "again": False, "now": 0, "if_held": False}
    row = {"upload_id": "x", "filename": "x", "path": file, "spooled": True, "file_size": 1, "file_time": 1,
           "sha256": "x", "auto": True, "seq": 0}  # fmt: skip
    moved = {"key": "x", "path": file, "file_time": 1}
    seeded = {"rows": [{"upload_id": file, "seq": 0}], "now": 0}
    registered = {"rows": [row], "at": None, "at_ms": 0, "never": 0}
    given: list[tuple[str, dict[str, Any]]] = [
        ("unit", {**about, "steps": [[f"upload.{block}", step]]})
        for block, step in (("seed", seeded), ("register", registered), ("move_file", moved))
    ]
    given += [
        ("start_job", {"verb": "grow", "fields": {"source": str(notes)}}),
        ("start_job", {"verb": "model switch", "fields": {"model": str(notes)}}),
        ("dispatch", {"verb": "seed", "fields": {"pipeline": "upload", "keys": [file]}}),
    ]
    for name, asked in given:
        answer = client.post(f"/engine/{name}", content=pack({**asked, "owner": True}))
        assert answer.status_code == 409 and "serve.files_folder" in str(unpack(answer.content)), (name, asked)


def test_the_owner_names_any_file_and_a_proxy_is_not_the_owner(serve: Serve, notes: Path) -> None:
    served = serve(allowed_hosts=["graph.example"])
    with asking(served, AUTHORISED) as client:
        for headers in ({"X-Forwarded-For": "203.0.113.7"}, {"Host": "graph.example"}):
            for path, body in asks(notes):
                assert client.post(path, json=body, headers=headers).status_code == 403, path
        started = client.post("/grow", json=asks(notes)[0][1])
        assert started.status_code == 202
        assert client.get(f"/jobs/{started.json()['id']}").json()["asked"]["source"] == str(notes)


def test_files_of_the_folder_for_them_are_read_for_everybody(serve: Serve, notes: Path, tmp_path: Path) -> None:
    served = serve(files_folder=str(notes))
    behind = {"X-Forwarded-For": "203.0.113.7"}
    (notes / "link").symlink_to("/etc")
    with asking(served, AUTHORISED) as client:
        assert client.post("/grow", json=asks(notes)[0][1], headers=behind).status_code == 202
        for elsewhere in (tmp_path, notes / "link", notes / ".." / "elsewhere"):
            answer = client.post("/grow", json={"source": str(elsewhere)}, headers=behind)
            assert answer.status_code == 403, elsewhere


@pytest.mark.parametrize("source", ["a" * 900, "a\0b", "\u202e", "http://127.0.0.1/x", "~root", "/proc/self/mem"])
def test_a_source_that_is_no_path_is_no_fault(serve: Serve, source: str) -> None:
    served = serve(files_folder="/nowhere")
    with asking(served, AUTHORISED) as client:
        for headers in ({}, {"X-Forwarded-For": "203.0.113.7"}):
            for path in ("/grow", "/refresh"):
                assert client.post(path, json={"source": source}, headers=headers).status_code in (202, 400, 403, 422)


def test_a_command_beside_the_daemon_reads_a_folder(serve: Serve, notes: Path) -> None:
    served = serve()
    with graphvine.open(served.with_token) as graph:
        summary = graph.grow([], source=str(notes), all=True, depth=0, embed="never")
        assert summary.counts.done == 1
        with pytest.raises(GraphvineError, match="makes backups and exports in"):
            graph.backup(notes / "backup")
