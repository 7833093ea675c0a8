"""Every route with wild inputs: whatever is sent, the answer is one of ours, and never a fault."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from tests.serve.conftest import AUTHORISED
from tests.support.shared_graphs import Served

pytestmark = pytest.mark.long("wild inputs for every route")

# They answer for as long as somebody listens.
_STREAMS = ("/events", "/jobs/{id}/events")
# They go out to other machines.
_OUTWARD = ("/hn/pull", "/grow", "/refresh")


def test_no_route_has_a_fault(full_house: Served, full: bool) -> None:
    schema = schemathesis.openapi.from_url(f"{full_house.address}/openapi.json")
    tried, faults = 0, []
    for result in schema.get_all_operations():
        operation: Any = result.ok()
        if operation.path in (*_STREAMS, *_OUTWARD):
            continue
        tried += 1

        @settings(
            max_examples=200 if full else 5, deadline=None, database=None, derandomize=not full,
            suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate],
        )  # fmt: skip
        def look(case: Any) -> None:
            answer = case.call(base_url=full_house.address, headers=AUTHORISED)
            assert answer.status_code < 500, f"{case.method} {case.path}: {answer.status_code} {answer.text[:500]}"

        try:
            schemathesis_test(operation, look)
        except AssertionError as fault:  # the other routes are looked at all the same
            faults.append(str(fault))
    assert not faults, "\n".join(faults)
    assert tried > 35


def schemathesis_test(operation: Any, look: Any) -> None:
    from hypothesis import given

    given(case=operation.as_strategy())(look)()
