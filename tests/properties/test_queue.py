"""The queue against its model: any operations, in any order, leave what plain Python says they should."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.properties.queue_machine import QueueMachine
from tests.support.stores import Place


def test_the_store_does_what_the_model_says(template: Place, tmp_path: Path, full: bool) -> None:
    class OnThisStore(QueueMachine):
        pass

    OnThisStore.template, OnThisStore.folder = template, tmp_path
    chosen = settings(
        max_examples=400 if full else 20,
        stateful_step_count=50 if full else 30,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(OnThisStore, settings=chosen)
