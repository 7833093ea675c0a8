"""The service: texts of many submitters meet in one call, and each gets its own rows back."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError

import numpy as np
import pytest
from numpy.typing import NDArray

from graphvine.workers.common.embedding.light import LightEmbedder
from graphvine.workers.common.embedding.service import EmbeddingService, ServiceClosed
from tests.common.embedding.texts import PLAIN
from tests.support.threads import together
from tests.support.waiting import WAIT_LIMIT, eventually


class Gate:
    """An embedder that notes its calls, waits at a gate, and can't stand one text."""

    def __init__(self, inner: LightEmbedder) -> None:
        self._inner, self.name = inner, inner.name
        self.dimension, self.max_tokens = inner.dimension, inner.max_tokens
        self.calls: list[list[str]] = []
        self.open = threading.Event()
        self.open.set()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        assert self.open.wait(WAIT_LIMIT)
        if "poison" in texts:
            raise ValueError("poison")
        return self._inner.embed(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._inner.count_tokens(texts)

    def close(self) -> None:
        """The test's fixture closes the inner one."""


@pytest.fixture
def gate(small: LightEmbedder) -> Iterator[Gate]:
    gate = Gate(small)
    yield gate
    gate.open.set()


def test_many_threads_each_get_their_own_rows(gate: Gate) -> None:
    with EmbeddingService(gate) as service:

        def work(number: int) -> None:
            texts = [f"{text} {number}" for text in PLAIN[: number % 4 + 1]]
            vectors = service.submit(texts).result(WAIT_LIMIT)
            assert np.abs(vectors - gate._inner.embed(texts)).max() < 1e-5

        together([lambda number=number: work(number) for number in range(24)])  # type: ignore[misc]


def test_what_arrives_during_a_call_is_gathered_into_the_next(gate: Gate) -> None:
    gate.open.clear()
    with EmbeddingService(gate, max_wait_seconds=0) as service:
        futures = [service.submit(["first"])]
        eventually(lambda: _assert(len(gate.calls) == 1))
        futures += [service.submit([f"text {number}"]) for number in range(20)]
        gate.open.set()
        for future in futures:
            future.result(WAIT_LIMIT)
    assert [len(call) for call in gate.calls] == [1, 20]


def test_it_waits_a_little_for_a_full_load(gate: Gate) -> None:
    with EmbeddingService(gate, max_wait_seconds=WAIT_LIMIT, gather_tokens=12) as service:
        one = service.submit(["abcdefgh"])
        two = service.submit(["abcdefgh"])
        assert not gate.calls
        three = service.submit(["abcdefgh"])
        for future in (one, two, three):
            future.result(WAIT_LIMIT)
    assert [len(call) for call in gate.calls] == [3]


def test_a_load_ends_at_the_limit_but_a_large_submission_passes_whole(gate: Gate) -> None:
    gate.open.clear()
    with EmbeddingService(gate, max_wait_seconds=0, gather_tokens=40) as service:
        first = service.submit(["first"])
        eventually(lambda: _assert(len(gate.calls) == 1))
        rest = [service.submit(["a" * 40]) for _ in range(4)] + [service.submit(["a" * 40] * 30)]
        gate.open.set()
        for future in (first, *rest):
            future.result(WAIT_LIMIT)
    assert [len(call) for call in gate.calls] == [1, 3, 1, 30]


def test_one_bad_text_fails_only_its_own_submission(gate: Gate) -> None:
    gate.open.clear()
    with EmbeddingService(gate, max_wait_seconds=0) as service:
        first = service.submit(["poison"])
        eventually(lambda: _assert(len(gate.calls) == 1))
        bad, good = service.submit(["fine", "poison"]), service.submit(["fine"])
        gate.open.set()
        assert good.result(WAIT_LIMIT).shape == (1, gate.dimension)
        for future in (first, bad):
            with pytest.raises(ValueError, match="poison"):
                future.result(WAIT_LIMIT)


def test_a_submitter_is_held_back_when_too_much_is_pending(gate: Gate) -> None:
    gate.open.clear()
    with EmbeddingService(gate, max_wait_seconds=0, max_pending_tokens=30) as service:
        first = service.submit(["first"])
        eventually(lambda: _assert(len(gate.calls) == 1))
        service.submit(["a" * 80])
        passed = threading.Event()
        thread = threading.Thread(target=lambda: (service.submit(["a" * 80]), passed.set()))
        thread.start()
        assert not passed.wait(0.05)
        gate.open.set()
        assert passed.wait(WAIT_LIMIT)
        thread.join(WAIT_LIMIT)
        first.result(WAIT_LIMIT)


def test_close_drains_and_then_refuses(gate: Gate) -> None:
    service = EmbeddingService(gate, max_wait_seconds=WAIT_LIMIT)
    futures = [service.submit([text]) for text in PLAIN]
    service.close()
    assert all(future.done() for future in futures)
    with pytest.raises(ServiceClosed):
        service.submit(["late"])
    service.close()


def test_close_without_draining_cancels_what_waits(gate: Gate) -> None:
    gate.open.clear()
    service = EmbeddingService(gate, max_wait_seconds=0)
    running = service.submit(["first"])
    eventually(lambda: _assert(len(gate.calls) == 1))
    waiting = service.submit(["second"])
    closer = threading.Thread(target=lambda: service.close(drain=False))
    closer.start()
    with pytest.raises(CancelledError):
        waiting.result(WAIT_LIMIT)
    gate.open.set()
    closer.join(WAIT_LIMIT)
    assert running.result(WAIT_LIMIT).shape == (1, gate.dimension)


def test_a_cancelled_future_is_not_computed(gate: Gate) -> None:
    gate.open.clear()
    with EmbeddingService(gate, max_wait_seconds=0) as service:
        service.submit(["first"])
        eventually(lambda: _assert(len(gate.calls) == 1))
        unwanted, wanted = service.submit(["second"]), service.submit(["third"])
        assert unwanted.cancel()
        gate.open.set()
        wanted.result(WAIT_LIMIT)
    assert gate.calls[1:] == [["third"]]


def test_nothing_and_a_bare_string(gate: Gate) -> None:
    with EmbeddingService(gate, max_wait_seconds=0) as service:
        assert service.submit([]).result(WAIT_LIMIT).shape == (0, gate.dimension)
        with pytest.raises(TypeError):
            service.submit("text")


def _assert(truth: bool) -> None:
    assert truth
