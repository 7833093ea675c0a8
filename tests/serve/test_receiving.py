"""Files that come in: streamed to the disk under names of ours; what is cut, too large or cunning leaves nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from graphvine.workers.serve.multipart import BadUpload, ReceiveLimits, receive, shown_name

LIMITS = ReceiveLimits(max_file_bytes=3_000_000, max_field_bytes=100, max_fields=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "uploads"


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    async def take(request: Request) -> Response:
        try:
            received = await receive(request, folder, LIMITS)
        except BadUpload as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse({
            "fields": received.fields,
            "files": [{"name": f.name, "path": str(f.path), "size": f.size, "field": f.field} for f in received.files],
        })  # fmt: skip

    with TestClient(Starlette(routes=[Route("/", take, methods=["POST"])])) as made:
        yield made


def test_a_file_is_streamed_to_the_disk(client: TestClient, folder: Path) -> None:
    content = os.urandom(2_500_000)
    answer = client.post("/", files={"file": ("items.jsonl", content)}, data={"owner": "ada"}).json()
    (file,) = answer["files"]
    assert (file["name"], file["size"], file["field"]) == ("items.jsonl", len(content), "file")
    path = Path(file["path"])
    assert path.read_bytes() == content and path.parent == folder
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert answer["fields"] == {"owner": "ada"}


@pytest.mark.parametrize(
    "name",
    ["../../../etc/cron.d/evil", "/etc/passwd", "..\\..\\evil.exe", "..", ".", "a\0b", "x" * 5_000, "\x1b[2J", "con/../../x",
     "....//....//etc/passwd", "%2e%2e%2fetc"],
)  # fmt: skip
def test_a_cunning_name_is_only_a_label(client: TestClient, folder: Path, tmp_path: Path, name: str) -> None:
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="'
        + name.encode()
        + b'"\r\n\r\nhello\r\n--b--\r\n'
    )
    answer = client.post("/", content=body, headers={"content-type": "multipart/form-data; boundary=b"})
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.parent == folder for path in found)
    if answer.status_code == 200:
        (file,) = answer.json()["files"]
        assert Path(file["path"]).parent == folder and Path(file["path"]).read_bytes() == b"hello"
        assert "/" not in file["name"] and "\\" not in file["name"] and file["name"] not in (".", "..")
        assert file["name"].isprintable() and len(file["name"]) <= 200


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhalf of", "multipart/form-data; boundary=b"),
        (b"nothing of the kind", "multipart/form-data; boundary=b"),
        (b"", "multipart/form-data; boundary=b"),
        (b"{}", "application/json"),
        (b"{}", "multipart/form-data"),
        (b'--b\r\nX: y\r\n\r\nno name\r\n--b--\r\n', "multipart/form-data; boundary=b"),
        (b'--b\r\nContent-Disposition: form-data; name="f"\r\n\r\n' + b"x" * 200 + b"\r\n--b--\r\n", "multipart/form-data; boundary=b"),
        (b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n' + b"x" * 3_100_000 + b"\r\n--b--\r\n",
         "multipart/form-data; boundary=b"),
        (b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nx\r\n' * 2 + b"--b--\r\n", "multipart/form-data; boundary=b"),
        (b"".join(b'--b\r\nContent-Disposition: form-data; name="f%d"\r\n\r\nx\r\n' % n for n in range(9)) + b"--b--\r\n",
         "multipart/form-data; boundary=b"),
    ],
)  # fmt: skip
def test_what_can_not_be_taken_leaves_nothing(client: TestClient, folder: Path, body: bytes, content_type: str) -> None:
    answer = client.post("/", content=body, headers={"content-type": content_type})
    assert answer.status_code == 400 and answer.json()["error"]
    assert not folder.exists() or list(folder.iterdir()) == []


@given(st.binary(max_size=300))
def test_no_body_is_a_fault(wild: Any, rest: bytes) -> None:
    answer = wild.post("/", content=b"--b\r\n" + rest, headers={"content-type": "multipart/form-data; boundary=b"})
    assert answer.status_code in (200, 400)


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("wild")

    async def take(request: Request) -> Response:
        try:
            (await receive(request, folder, LIMITS)).remove()
        except BadUpload as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse({})

    with TestClient(Starlette(routes=[Route("/", take, methods=["POST"])])) as made:
        yield made


def test_a_name_in_any_script_is_shown(client: TestClient) -> None:
    body = '--b\r\nContent-Disposition: form-data; name="f"; filename="лоза \U000b17e5.json"\r\n\r\nx\r\n--b--\r\n'
    answer = client.post("/", content=body.encode(), headers={"content-type": "multipart/form-data; boundary=b"})
    assert answer.json()["files"][0]["name"] == "лоза _.json"


@given(st.text(max_size=400))
def test_any_name_can_be_shown(name: str) -> None:
    shown = shown_name(name)
    assert shown and "/" not in shown and "\\" not in shown and shown.isprintable() and len(shown) <= 200
