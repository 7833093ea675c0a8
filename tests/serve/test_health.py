"""Whether the daemon can serve is known from outside: by /readyz, and by its end."""

from __future__ import annotations

import threading
from pathlib import Path

import httpx
import pytest

from graphvine.engines.kuzu.engine import EmbeddedEngine
from graphvine.workers.serve.health_monitor import HealthMonitor
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.shared_graphs import Served
from tests.support.waiting import WAIT_LIMIT


def test_a_writer_that_hangs_is_not_ready_and_then_is_again(served: Served, client: httpx.Client) -> None:
    engine, release, holds = served.graph.engine, threading.Event(), threading.Event()
    assert isinstance(engine, EmbeddedEngine)
    seconds = [0.0]
    monitor = served.http_server.app_state.health = HealthMonitor(served.graph, 10, 20, now=lambda: seconds[0])
    monitor.probe()
    assert client.get("/readyz").status_code == 200

    def hang() -> None:
        holds.set()
        release.wait()

    writer = threading.Thread(target=lambda: engine._in_writer(hang))
    probe = threading.Thread(target=monitor.probe)
    try:
        writer.start()
        assert holds.wait(WAIT_LIMIT)
        probe.start()
        seconds[0] = 9
        assert client.get("/readyz").status_code == 200
        seconds[0] = 11
        assert client.get("/readyz").status_code == 503
        assert "has not answered for 11 s" in client.get("/readyz").json()["error"]["message"]
        assert client.get("/healthz").status_code == 200
        assert not monitor.stuck()
        seconds[0] = 21
        assert monitor.stuck()
    finally:
        release.set()
        writer.join()
    probe.join(WAIT_LIMIT)
    assert client.get("/readyz").status_code == 200
    assert not monitor.stuck()


def test_a_store_that_can_not_be_opened_again_is_tried_again(
    served: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = served.graph.engine
    assert isinstance(engine, EmbeddedEngine)
    monitor = served.http_server.app_state.health = HealthMonitor(served.graph, 10, 20)
    served.graph.seed("article", ["a"])
    opening = engine._database._open

    def no_descriptors() -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(engine._database, "_open", no_descriptors)
    with pytest.raises(Exception, match="Too many open files"):
        served.graph.execute("CREATE (:Article {title: 'b'}); CREATE (:Article {title: 'a'})")
    monitor.probe()
    assert client.get("/readyz").status_code == 503
    with pytest.raises(Exception, match="Too many open files"):
        served.graph.status()
    monkeypatch.setattr(engine._database, "_open", opening)
    served.graph.seed("article", ["c"])
    monitor.probe()
    assert client.get("/readyz").status_code == 200
    assert {row["title"] for row in served.graph.query("MATCH (a:Article) RETURN a.title AS title").as_dicts()} == {
        "a", "c",
    }  # fmt: skip


def test_a_daemon_that_can_not_serve_ends_with_an_error(tmp_path: Path) -> None:
    (tmp_path / "graphvine.toml").write_text(QUICK_DAEMON + "stuck_seconds = 0.0001\n")
    with DaemonProcess(tmp_path) as daemon:
        assert daemon.process.wait(WAIT_LIMIT) == 1
        assert "does not recover" in daemon.log()
