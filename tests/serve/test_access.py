"""Who may do what: reads from this machine alone, tokens with a scope, files only where a setting says so, HTTPS."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

import graphvine
from graphvine.errors import GraphvineError
from graphvine.service_file import NotPrivate, announce, file_of, find, withdraw
from graphvine.settings import Settings
from graphvine.workers.serve import access
from graphvine.workers.serve.settings import ServeSettings
from tests.serve.conftest import AUTHORISED, Serve, asking
from tests.support.daemons import COMMAND, QUICK_DAEMON, DaemonProcess
from tests.support.shared_graphs import TOKEN
from tests.support.stores import QUICK, Place
from tests.support.waiting import WAIT_LIMIT, eventually


@pytest.mark.parametrize(
    "headers",
    [{"X-Forwarded-For": "203.0.113.9"}, {"Forwarded": "for=203.0.113.9"}, {"X-Real-IP": "127.0.0.1"}, {"Via": "1.1 x"},
     {"Host": "graph.example"}, {"Host": "graph.example:443"}, {"X-Forwarded-Host": "localhost"}],
)  # fmt: skip
def test_behind_a_proxy_everything_needs_the_token(serve: Serve, headers: dict[str, str]) -> None:
    with asking(serve(allowed_hosts=["graph.example"]), headers) as client:
        for path in ("/status", "/metrics", "/openapi.json", "/tables", "/events"):
            assert client.get(path).status_code == 401, path
        assert client.post("/cypher", json={"statement": "RETURN 1"}).status_code == 401
        assert client.get("/healthz").status_code == 200
        assert client.get("/status", headers=AUTHORISED).status_code == 200


def test_a_proxy_that_says_nothing_of_itself_speaks_an_old_http(serve: Serve) -> None:
    served = serve()
    with socket.create_connection(("127.0.0.1", served.http_server.port), timeout=WAIT_LIMIT) as line:
        line.sendall(f"GET /status HTTP/1.0\r\nHost: 127.0.0.1:{served.http_server.port}\r\n\r\n".encode())
        assert b" 401 " in line.recv(4096).splitlines()[0]


def test_whether_it_is_ready_is_told_to_all_and_what_is_served_to_readers(serve: Serve) -> None:
    served = serve(allowed_hosts=["graph.example"])
    outside = {"Host": "graph.example", "X-Forwarded-For": "203.0.113.1"}
    with asking(served) as client:
        assert client.get("/readyz").json()["graph"] == served.graph.where
        assert client.get("/readyz", headers=outside).json() == {"status": "ready"}
        served.http_server.app_state.stopping.set()
        assert "about to end" in client.get("/readyz").text
        answer = client.get("/readyz", headers=outside)
        assert answer.status_code == 503 and "about to end" not in answer.text


def test_plain_http_beyond_loopback_is_warned_about(tmp_path: Path) -> None:
    (tmp_path / "graphvine.toml").write_text(QUICK_DAEMON + 'host = "0.0.0.0"\n')
    with DaemonProcess(tmp_path) as daemon:
        address = daemon.ready().address
        assert "plain HTTP beyond loopback" in daemon.log()
        with httpx.Client(base_url=address, timeout=WAIT_LIMIT, trust_env=False) as client:
            eventually(lambda: client.get("/readyz").is_success)
            assert client.get("/readyz").json() == {"status": "ready"}, "the health check of a container has no token"
            assert client.get("/status").status_code == 401


def test_reads_are_opened_on_purpose(serve: Serve) -> None:
    with asking(serve(open_reads=True, allowed_hosts=["graph.example"]), {"Host": "graph.example"}) as client:
        assert client.get("/status").status_code == 200
        assert client.post("/cypher", json={"statement": "RETURN 1"}).status_code == 202
        assert client.post("/seeds", json={"titles": ["a"]}).status_code == 401


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_each_scope_does_its_own_and_no_more(place: Place) -> None:
    graph = graphvine.open(place.path, settings=Settings(**QUICK))
    tokens = {scope: access.create(place.where, f"for {scope}", scope) for scope in ("read", "work", "admin")}  # type: ignore[arg-type]
    from graphvine.workers.serve.app_state import AppState
    from graphvine.workers.serve.http_server import HttpServer

    server = HttpServer(AppState(ServeSettings(port=0), TOKEN, where=place.where))
    server.app_state.enter(graph)
    server.open()
    write = {"statement": "CREATE (:Article {title: 'w'})", "accessMode": "WRITE"}
    allowed = {"read": (200, 403, 403), "work": (200, 200, 403), "admin": (200, 200, 202)}
    try:
        with httpx.Client(base_url=server.address, timeout=WAIT_LIMIT) as client:
            for scope, expected in allowed.items():
                given = bearer(tokens[scope])
                found = (
                    client.get("/status", headers=given).status_code,
                    client.post("/seeds", json={"titles": [scope]}, headers=given).status_code,
                    client.post("/cypher", json=write, headers=given).status_code,
                )
                assert found == expected, scope
            engine = client.post("/engine/execute", content=b"", headers=bearer(tokens["work"]))
            assert engine.status_code == 403 and "admin" in engine.text
            assert client.post("/engine/about", content=b"", headers=bearer(tokens["read"])).status_code == 403
            access.revoke(place.where, "for read")
            assert client.get("/status", headers=bearer(tokens["read"])).status_code == 401
            assert client.get("/status", headers=bearer(tokens["work"])).status_code == 200
    finally:
        server.close()
        graph.close()
    assert all(token not in access.tokens_file(place.where).read_text() for token in tokens.values())
    assert access.tokens_file(place.where).stat().st_mode & 0o777 == 0o600


def test_tokens_by_command(tmp_path: Path) -> None:
    where = str(tmp_path / "graph.db")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, "--graph", where, "token", *arguments], capture_output=True, text=True, check=False
        )

    made = run("create", "grafana")
    assert made.returncode == 1 and "no graph" in made.stderr
    graphvine.open(where, settings=Settings(**QUICK)).close()
    made = run("create", "grafana")
    assert made.stdout.startswith("gv_") and made.stdout.strip() not in run("list").stdout
    assert "grafana" in run("list").stdout and '"scope": "read"' in run("list", "--json").stdout
    again = run("create", "grafana")
    assert again.returncode == 1 and "already" in again.stderr
    assert run("revoke", "grafana").returncode == 0 and run("revoke", "grafana").returncode == 1


def test_the_token_is_no_shell(serve: Serve, tmp_path: Path) -> None:
    with asking(serve(), AUTHORISED) as client:
        for text in (
            f"COPY (MATCH (a:Article) RETURN a) TO '{tmp_path}/out.csv'", "LOAD EXTENSION '/tmp/x.so'",
            "COPY Article(title) FROM '/etc/passwd'", "INSTALL httpfs", f"EXPORT DATABASE '{tmp_path}/db'",
        ):  # fmt: skip
            answer = client.post("/cypher", json={"statement": text, "accessMode": "WRITE"})
            assert answer.status_code == 403 and "serve.files_folder" in answer.text, text
    assert not (tmp_path / "out.csv").exists() and not (tmp_path / "db").exists()


def test_a_folder_for_files_is_named_on_purpose(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "exchange"
    folder.mkdir()
    (folder / "rows.csv").write_text("loaded\n")
    (folder / "link.csv").symlink_to("/etc/passwd")
    with asking(serve(files_folder=str(folder)), AUTHORISED) as client:

        def write(text: str) -> int:
            return client.post("/cypher", json={"statement": text, "accessMode": "WRITE"}).status_code

        assert write(f"COPY Article(title) FROM '{folder}/rows.csv'") == 202
        for refused in (f"{folder}/../x.csv", f"{folder}/link.csv", "/etc/passwd", "https://example.org/x.csv"):
            assert write(f"COPY Article(title) FROM '{refused}'") == 403, refused
        assert write(f"LOAD EXTENSION '{folder}/x.so'") == 403


def test_backups_through_the_daemon_stay_beside_the_graph(serve: Serve, tmp_path: Path) -> None:
    served = serve()
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    with graphvine.open(served.with_token) as graph:
        with pytest.raises(GraphvineError, match="serve.files_folder"):
            graph.backup(outside)
        with pytest.raises(GraphvineError, match="serve.files_folder"):
            graph.export(f"{tmp_path}/../{outside.name}")
        graph.backup(Path(served.graph.where).parent / "copy")
    assert not outside.exists()


def test_a_planted_service_file_is_refused(tmp_path: Path) -> None:
    """Whoever can put one there would be sent the token, and every statement."""
    where = str(tmp_path / "graph.db")
    announce(where, "http://127.0.0.1:1", what="x", version="1")
    file = file_of(where)
    assert find(where) is not None and file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o666)
    with pytest.raises(NotPrivate, match="others may write to it"):
        find(where)
    file.chmod(0o600)
    tmp_path.chmod(0o777)
    with pytest.raises(NotPrivate, match="others may write to its folder"):
        find(where)
    tmp_path.chmod(0o1777)
    assert find(where) is not None, "as in /tmp, where nobody replaces another's files"
    tmp_path.chmod(0o700)
    real = file.rename(tmp_path / "elsewhere")
    file.symlink_to(real)
    with pytest.raises(NotPrivate, match="link"):
        find(where)
    file.unlink()
    real.rename(file)
    if os.geteuid() == 0:
        os.chown(file, 12345, 12345)
        with pytest.raises(NotPrivate, match="another user"):
            find(where)
        os.chown(file, 0, 0)
    withdraw(where)


def test_files_are_for_their_owner(tmp_path: Path) -> None:
    subprocess.run(
        [COMMAND, "--graph", "graph.db", "seed", "article", "A"], cwd=tmp_path, check=True, capture_output=True,
        preexec_fn=lambda: os.umask(0o022),
    )  # fmt: skip
    for verb in ("backup", "export"):
        asked = [COMMAND, "--graph", "graph.db", verb, f"{verb} of it"]
        subprocess.run(asked, cwd=tmp_path, check=True, capture_output=True, preexec_fn=lambda: os.umask(0o022))
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_files_are_for_their_owner_in_a_program_of_a_user_s_own(tmp_path: Path) -> None:
    """A library does not change the mask of its process: each file and folder is made private by itself."""
    script = """
import io, pathlib, graphvine
from graphvine.graph_files import write
with graphvine.open("graph.db") as graph:
    graph.grow(["Vine"], source="sample", depth=0, embed="never")
    graph.search("vine")
    graph.upload(io.BytesIO(b'{"id": 1, "type": "story", "title": "A story", "time": 1}'), name="items")
    graph.backup("backup"), graph.export("export"), write(graph, pathlib.Path("graph.jsonl"))
    graph.engine.checkpoint()
    graph.seed("article", ["in the log"])
    print(*(path.name for path in pathlib.Path().iterdir() if path.stat().st_mode & 0o077))
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, check=True, capture_output=True, text=True,
        preexec_fn=lambda: os.umask(0o022),
    )  # fmt: skip
    made = {path.name for path in tmp_path.iterdir()}
    assert {"graph.db", "graph.db.wal", "graph.db.index", "graph.db.uploads", "backup", "export", "graph.jsonl"} <= made
    assert ran.stdout.split() == []


@pytest.mark.parametrize("ca", [False, True], ids=["by the file beside the graph", "by an authority"])
def test_https_with_a_certificate(tmp_path: Path, ca: bool) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=graph.example", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out",
         "cert.pem"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    (tmp_path / "graphvine.toml").write_text(QUICK_DAEMON + 'certificate = "cert.pem"\nprivate_key = "key.pem"\n')
    with DaemonProcess(tmp_path, "--worker", "article=0") as daemon:
        service = daemon.ready()
        assert service.address.startswith("https://")
        if ca:
            with httpx.Client(verify=ssl.create_default_context(cafile=tmp_path / "cert.pem")) as client:
                assert client.get(f"{service.address}/status").status_code == 200
        else:
            with graphvine.open(daemon.where) as graph:
                assert graph.engine.name == "http" and graph.seed("article", ["A"]) == 1
        assert daemon.end() == 0
