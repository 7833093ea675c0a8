"""The sandbox: whatever the input makes the child do, the caller gets an answer or a reason."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from graphvine.workers.common.sandbox import PackageMissing, Sandbox, SandboxFailed, SandboxUnavailable
from tests.support.waiting import eventually

TASK = "tests.common.sandbox_task:open_task"


@pytest.fixture(autouse=True)
def tests_are_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setenv("SECRET_KEY", "secret")


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(TASK, {"x": 1}, seconds=600, memory_bytes=1 << 30) as running:
        yield running


def test_a_request_with_a_body_is_answered(sandbox: Sandbox) -> None:
    answer = sandbox.call("answer", b"\0\xff\n" * 1_000_000)
    assert answer["body"] == 3_000_000 and answer["setup"] == {"x": 1}
    assert "SECRET_KEY" not in answer["environment"], "no keys near untrusted input"
    assert sandbox.call("answer")["pid"] == answer["pid"], "the child is kept"


@pytest.mark.parametrize(
    ("request_", "reason"),
    [("crash", "crashes the process"), ("memory", "1,024 MiB"), ("raise", "ValueError: bad input")],
)
def test_a_bad_input_has_a_reason_and_harms_no_other(sandbox: Sandbox, request_: str, reason: str) -> None:
    with pytest.raises(SandboxFailed, match=reason):
        sandbox.call(request_)
    assert sandbox.call("answer")["body"] == 0


def test_an_input_that_takes_too_long_is_stopped() -> None:
    limited = Sandbox(TASK, seconds=0.2, memory_bytes=1 << 30, verb="reading")
    with limited as sandbox, pytest.raises(SandboxFailed, match=r"reading it takes more than 0\.2 s"):
        sandbox.call("hang")


def test_what_a_library_prints_is_not_taken_for_an_answer(sandbox: Sandbox) -> None:
    first = sandbox.call("print")
    assert sandbox.call("answer")["pid"] == first["pid"]


def test_a_package_that_is_missing_is_named(sandbox: Sandbox) -> None:
    with pytest.raises(PackageMissing) as raised:
        sandbox.call("import")
    assert raised.value.name == "not_there"


def test_a_task_that_cannot_be_imported_is_named() -> None:
    nowhere = Sandbox("tests.nowhere:open_task", seconds=1, memory_bytes=1 << 30)
    with nowhere as sandbox, pytest.raises(SandboxUnavailable, match=r"No module named 'tests\.nowhere'"):
        sandbox.call("answer")


def test_a_child_is_replaced_after_so_many_requests() -> None:
    with Sandbox(TASK, seconds=60, memory_bytes=1 << 30, max_requests=2) as sandbox:
        pids = [sandbox.call("answer")["pid"] for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_a_call_that_is_cancelled_kills_its_child_at_once(sandbox: Sandbox) -> None:
    before = sandbox.call("answer")["pid"]

    async def cancel() -> Any:
        hanging = asyncio.create_task(sandbox.acall("hang"))
        waiting = asyncio.create_task(sandbox.acall("hang"))
        await asyncio.to_thread(eventually, lambda: _is_busy(before))
        for task in (waiting, hanging):
            task.cancel()
        await asyncio.gather(hanging, waiting, return_exceptions=True)
        return await sandbox.acall("answer")

    began = time.monotonic()
    assert asyncio.run(cancel())["pid"] != before
    assert time.monotonic() - began < 300, "it did not wait for the time limit"


def _is_busy(pid: int) -> None:
    assert psutil.Process(pid).status() == psutil.STATUS_RUNNING
