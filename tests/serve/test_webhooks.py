"""Webhooks: the events of the stream, signed, in order, in bounds; and never where nobody meant them to go."""

from __future__ import annotations

import http.server
import json
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphvine.errors import SettingsError
from graphvine.trust import trust
from graphvine.workers.serve import webhooks
from graphvine.workers.serve.events import Hub
from graphvine.workers.serve.settings import ServeSettings, load
from graphvine.workers.serve.webhooks import Webhooks, signature
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.stores import Place
from tests.support.waiting import eventually

SECRET = "a secret of the tests"


class Receiver:
    """A server that notes what it gets, and answers as it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        self.gate: threading.Event | None = None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                if outer.gate is not None:
                    outer.gate.wait()
                self.send_response(outer.answers.pop(0) if outer.answers else 200)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *given: Any) -> None:
                """Quiet."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/events"

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.got]

    def close(self) -> None:
        if self.gate is not None:
            self.gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


Hooked = Callable[..., Hub]


@pytest.fixture
def hooked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hooked]:
    """A hub whose events are sent to these addresses."""
    monkeypatch.setenv("GRAPHVINE_WEBHOOK_SECRET", SECRET)
    made: list[Webhooks] = []

    def start(*addresses: str, private: str = "127.0.0.1", **settings: Any) -> Hub:
        hub = Hub()
        given = ServeSettings(webhooks=list(addresses), webhook_private_hosts=private, **settings)
        made.append(Webhooks(given, hub, pause_seconds=0.001))
        made[-1].start()
        return hub

    yield start
    for one in made:
        one.close()


def received(receiver: Receiver, count: int) -> None:
    def look() -> None:
        assert len(receiver.got) == count

    eventually(look)


def test_an_event_arrives_signed(receiver: Receiver, hooked: Hooked) -> None:
    hub = hooked(receiver.address)
    hub.publish("paused", pipeline="article", reason="weeding")
    hub.publish_event("batch", {"pipeline": "article", "counts": {"done": 3}})
    hub.publish_event("write", {"seconds": 1.0})
    hub.publish("status", pipelines=[])
    hub.publish("resumed", pipeline="article")
    received(receiver, 3)
    assert [event["event"] for event in receiver.events()] == ["paused", "batch", "resumed"]
    first = receiver.events()[0]
    assert first["data"]["reason"] == "weeding" and first["data"]["at"] and first["id"] == 1
    headers, body = receiver.got[0]
    assert headers["x-graphvine-event"] == "paused" and headers["content-type"] == "application/json"
    assert headers["x-graphvine-signature"] == signature(SECRET.encode(), headers["x-graphvine-timestamp"], body)
    assert headers["x-graphvine-signature"] != signature(b"another", headers["x-graphvine-timestamp"], body)
    assert len({one["x-graphvine-delivery"] for one, _ in receiver.got}) == 3


def test_only_the_events_that_were_asked_for_are_sent(receiver: Receiver, hooked: Hooked) -> None:
    hub = hooked(receiver.address, webhook_events=["job"])
    hub.publish("paused", pipeline="article")
    hub.publish("job", id="1", state="done")
    received(receiver, 1)
    assert receiver.events()[0]["event"] == "job"


def test_what_may_pass_is_tried_again_with_the_same_mark(receiver: Receiver, hooked: Hooked) -> None:
    receiver.answers = [503, 429]
    hooked(receiver.address).publish("job", id="1")
    received(receiver, 3)
    assert len({headers["x-graphvine-delivery"] for headers, _ in receiver.got}) == 1
    assert len({body for _, body in receiver.got}) == 1


@pytest.mark.parametrize("refusal", [400, 404, 410, 301, 307])
def test_a_refusal_holds_and_no_redirect_is_followed(
    receiver: Receiver, hooked: Hooked, refusal: int, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.answers = [refusal]
    hub = hooked(receiver.address)
    with caplog.at_level(logging.WARNING, "graphvine.serve"):
        hub.publish("job", id="1")
        hub.publish("job", id="2")
        received(receiver, 2)
    assert [event["data"]["id"] for event in receiver.events()] == ["1", "2"]
    assert f"it answered {refusal}" in caplog.text


def test_attempts_are_bounded(receiver: Receiver, hooked: Hooked) -> None:
    receiver.answers = [500] * 5
    hub = hooked(receiver.address)
    hub.publish("job", id="hopeless")
    hub.publish("job", id="next")
    received(receiver, 6)
    assert [event["data"]["id"] for event in receiver.events()] == ["hopeless"] * 5 + ["next"]


def test_a_slow_receiver_keeps_nobody_waiting_and_fills_no_memory(
    receiver: Receiver, hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "_MOST_WAITING", 10)
    quick = Receiver()
    try:
        receiver.gate = threading.Event()
        hub = hooked(receiver.address, quick.address)
        hub.publish("job", id="0")
        received(receiver, 1)
        received(quick, 1)
        for number in range(1, 51):
            hub.publish("job", id=str(number))
            received(quick, number + 1)
        receiver.gate.set()
        received(receiver, 11)
        kept = [event["data"]["id"] for event in receiver.events()]
        assert kept == ["0", *map(str, range(41, 51))], "the oldest go"
    finally:
        quick.close()


def test_private_networks_are_out_of_bounds(
    receiver: Receiver, hooked: Hooked, caplog: pytest.LogCaptureFixture
) -> None:
    hub = hooked(receiver.address, private="")
    with caplog.at_level(logging.WARNING, "graphvine.serve"):
        hub.publish("job", id="1")

        def look() -> None:
            assert "is in a private network" in caplog.text and "serve.webhook_private_hosts" in caplog.text

        eventually(look)
    assert receiver.got == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"webhooks": ["ftp://example.org/"]}, "only http and https"),
        ({"webhooks": ["https://me:pw@example.org/"]}, "a user name or a password"),
        ({"webhooks": [f"https://example.org/{n}" for n in range(21)]}, "20 at most"),
        ({"webhooks": ["https://example.org/"], "webhook_secret_variable": "NOT_THERE"}, "need a secret"),
        ({"webhooks": ["https://example.org/"], "webhook_private_hosts": "a/b"}, "is no host"),
    ],
)
def test_what_can_not_be_sent_is_refused_at_the_start(
    settings: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHVINE_WEBHOOK_SECRET", SECRET)
    with pytest.raises(SettingsError, match=message):
        webhooks.check(ServeSettings(**settings))


@pytest.mark.parametrize("line", [
    'webhooks = ["https://evil.example/"]', 'webhook_secret_variable = "AWS_SECRET_ACCESS_KEY"',
    'webhook_private_hosts = "10.0.0.0/8"',
])  # fmt: skip
def test_a_file_that_is_not_trusted_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphvine.toml").write_text(f"[serve]\n{line}\n")
    with pytest.raises(SettingsError, match="graphvine trust"):
        load()


def test_the_daemon_sends_what_its_stream_tells(
    place: Place, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = place.folder / "graphvine.toml"
    file.write_text(f'{QUICK_DAEMON}webhooks = ["{receiver.address}"]\nwebhook_private_hosts = "127.0.0.1"\n')
    monkeypatch.setenv("GRAPHVINE_WEBHOOK_SECRET", SECRET)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place.folder / "config"))
    trust(file)
    with DaemonProcess(place.folder, "--worker", "article=0") as daemon:
        service = daemon.ready()
        headers = {"Authorization": f"Bearer {service.token}"}
        asked = httpx.post(f"{service.address}/pipelines/article/seeds", json={"keys": ["Vine"]}, headers=headers,
                           trust_env=False)  # fmt: skip
        assert asked.status_code == 200

        def look() -> None:
            assert "queue_changed" in [event["event"] for event in receiver.events()]

        eventually(look)
        assert daemon.end() == 0
    assert receiver.events()[-1]["event"] == "closing"
    assert SECRET not in daemon.log()
