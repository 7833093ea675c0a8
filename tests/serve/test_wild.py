"""Every route with wild inputs: whatever is sent, the answer is one of ours, and never a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.pipelines.hn.server import serving
from tests.serve.conftest import AUTHORISED, asking
from tests.support.shared_graphs import Served
from tests.support.waiting import WAIT_LIMIT

pytestmark = pytest.mark.long("wild inputs for every route")

# No fault, no status, media type or body that the description does not have.
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip
# They answer for as long as somebody listens: of each the first events are read.
_STREAMS = ("/events", "/jobs/{id}/events")
_EVENTS_READ = 3


@pytest.fixture(scope="module", autouse=True)
def sources() -> Iterator[None]:
    """What routes fetch from outside comes from this machine: the sample wiki, an API of Hacker News on loopback."""
    with serving() as hacker_news, pytest.MonkeyPatch.context() as patch:
        hacker_news.items = {id: {"id": id, "type": "story", "title": f"Story {id}", "time": id} for id in range(1, 50)}
        hacker_news.lists = {
            f"{name}stories": list(range(1, 50)) for name in ("top", "new", "best", "ask", "show", "job")
        }
        for name, value in {
            "HN_BASE_URL": hacker_news.url, "HN_BACKOFF_SECONDS": "0.01", "HN_REQUESTS_PER_SECOND": "5000",
            "WIKIPEDIA_SOURCE": "sample", "WIKIPEDIA_EMBEDDER": "none",
        }.items():  # fmt: skip
            patch.setenv(f"GRAPHVINE_{name}", value)
        yield


def test_no_route_has_a_fault(full_house: Served, full: bool) -> None:
    schema = schemathesis.openapi.from_url(f"{full_house.address}/openapi.json")
    tried, faults, jobs = [], [], _jobs(full_house)
    for result in schema.get_all_operations():
        operation: Any = result.ok()
        tried.append(operation.path)

        @settings(
            max_examples=200 if full else 5, deadline=None, database=None, derandomize=not full,
            suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate],
        )  # fmt: skip
        def look(case: Any) -> None:
            if case.path == "/jobs/{id}/events" and len(case.path_parameters["id"]) % 2:
                case.path_parameters["id"] = jobs[len(case.path_parameters["id"]) % len(jobs)]  # one that there is
            _look(full_house, case)

        try:
            schemathesis_test(operation, look)
        except (AssertionError, BaseExceptionGroup) as fault:  # the other routes are looked at all the same
            faults.append(f"{operation.method.upper()} {operation.path}: {fault}")
    assert not faults, "\n".join(faults)
    assert len(tried) > 60 and {*_STREAMS, "/hn/pull", "/grow", "/refresh"} <= set(tried)


def _look(served: Served, case: Any) -> None:
    if case.path in _STREAMS:
        sent = case.as_transport_kwargs(base_url=served.address, headers=AUTHORISED)
        answer = requests.request(**{**sent, "stream": True, "timeout": WAIT_LIMIT})
        answer._content = _first_events(answer)
        answer.close()
    else:
        answer = case.call(base_url=served.address, headers=AUTHORISED, timeout=WAIT_LIMIT)
    case.validate_response(answer, checks=CHECKS)
    if answer.status_code == 202 and answer.json().get("state") == "running":
        requests.delete(f"{served.address}/jobs/{answer.json()['id']}", headers=AUTHORISED, timeout=WAIT_LIMIT)


def _first_events(answer: requests.Response) -> bytes:
    """Some events of a stream, or all of an answer that ends; /events begins with one, whatever happens."""
    read = b""
    if not answer.headers["Content-Type"].startswith("text/event-stream"):
        return answer.content
    for line in answer.iter_lines():
        read += line + b"\n"
        if read.count(b"\n\n") >= _EVENTS_READ or read.startswith(b"retry:"):
            break
    assert read.startswith((b"retry: ", b"id: ", b"event: ")), read
    return read


def _jobs(served: Served) -> list[str]:
    """Jobs that run and jobs that ended."""
    with asking(served, AUTHORISED) as client:
        client.post("/grow", json={"titles": ["Vine"], "depth": 1})
        client.post("/hn/pull", json={"top": 5})
        return [job["id"] for job in client.get("/jobs").json()["rows"]]


def schemathesis_test(operation: Any, look: Any) -> None:
    from hypothesis import given

    given(case=operation.as_strategy())(look)()
