"""The protocol's own conformance suite, through our endpoint and over stdio."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphvine.settings import Settings
from graphvine.workers.serve.api import mcp as endpoint
from graphvine.workers.serve.settings import ServeSettings
from tests.lanes.mcp import reference_server
from tests.lanes.mcp.stdio_bridge import bridged
from tests.lanes.mcp.suite import Verdicts, run_suite, scenarios
from tests.support.shared_graphs import Served
from tests.support.stores import QUICK, Place

# The server asks the client within a call: the answer is another request, which finds the call by its session alone.
QUESTIONS = {
    "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums",
}  # fmt: skip
# A stream that was cut is taken up again in its session.
STREAMS_OF_SESSIONS = {"server-sse-polling", "server-sse-multiple-streams"}
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


def test_the_endpoint_passes_all_that_needs_no_session(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(app_state: Any) -> Any:
        server = reference_server.build()
        server.streamable_http_app(stateless_http=True)
        return server.session_manager.app

    monkeypatch.setattr(endpoint, "build_server", build)
    as_expected(run_suite(f"{served.address}/mcp", tmp_path), scenarios() - QUESTIONS - STREAMS_OF_SESSIONS)


def test_over_stdio_the_questions_to_the_client_pass_too(tmp_path: Path) -> None:
    with bridged("tests.lanes.mcp.reference_server") as address:
        found = run_suite(address, tmp_path)
    # Host and Origin are headers of HTTP, and the address is the bridge's.
    as_expected(found, scenarios() - STREAMS_OF_SESSIONS - {"dns-rebinding-protection"})


def test_our_own_server_passes_what_every_server_has(served: Served, tmp_path: Path) -> None:
    as_expected(run_suite(f"{served.address}/mcp", tmp_path), OF_ANY_SERVER)
