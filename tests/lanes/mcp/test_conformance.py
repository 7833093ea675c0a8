"""The protocol's own conformance suite, through our endpoint and over stdio."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphvine.settings import Settings
from graphvine.workers.mcp import sessions
from graphvine.workers.serve.api import mcp as endpoint
from graphvine.workers.serve.settings import ServeSettings
from tests.lanes.mcp import reference_server
from tests.lanes.mcp.stdio_bridge import bridged
from tests.lanes.mcp.suite import Verdicts, run_suite, scenarios
from tests.support.shared_graphs import Served
from tests.support.stores import QUICK, Place

# Streams are a matter of HTTP, and so are the headers Host and Origin.
OF_HTTP_ALONE = {"server-sse-polling", "server-sse-multiple-streams", "dns-rebinding-protection"}
# What a server has whatever it offers; `tools-call-error`, as the call of an unknown tool is an error as well.
OF_ANY_SERVER = {
    "server-initialize", "ping", "completion-complete", "tools-list", "tools-call-error", "resources-list",
    "prompts-list", "dns-rebinding-protection",
}  # fmt: skip


@pytest.fixture
def served(place: Place) -> Iterator[Served]:
    opened = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0))
    yield opened
    opened.close()


def as_expected(found: Verdicts, passing: set[str]) -> None:
    assert {name: found.failed[name] for name in passing & set(found.failed)} == {}
    assert found.passed >= passing


def test_the_endpoint_passes_all_of_it(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(app_state: Any) -> Any:
        server = reference_server.build()
        server.streamable_http_app(stateless_http=True)
        return server.session_manager.app

    found: list[sessions.Sessions] = []

    class Known(sessions.Sessions):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            found.append(self)

    def close_stream(context: Any) -> None:
        # By the transport itself: the suite names an older version in its headers, for which tools can't.
        request = context.request_context.request
        found[0]._server_instances[request.headers["mcp-session-id"]].close_sse_stream(str(context.request_id))

    monkeypatch.setattr(endpoint, "build_server", build)
    monkeypatch.setattr(sessions, "Sessions", Known)
    monkeypatch.setattr(reference_server, "close_stream", close_stream)
    as_expected(run_suite(f"{served.address}/mcp", tmp_path), scenarios())


def test_over_stdio_all_pass_that_are_not_about_http(tmp_path: Path) -> None:
    with bridged("tests.lanes.mcp.reference_server") as address:
        found = run_suite(address, tmp_path)
    as_expected(found, scenarios() - OF_HTTP_ALONE)


def test_our_own_server_passes_what_every_server_has(served: Served, tmp_path: Path) -> None:
    as_expected(run_suite(f"{served.address}/mcp", tmp_path), OF_ANY_SERVER)
