"""One place where the threads of a pipeline drop their texts, and full batches are made of them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphvine.workers.common.embedding.interface import EmbeddingError

if TYPE_CHECKING:
    from graphvine.workers.common.embedding.interface import Embedder, Vectors

# Enough for several batches on each core, so that texts of like length meet; about a second of work on two.
GATHER_TOKENS = 8192
MAX_WAIT_SECONDS = 0.02
# About as many tokens again may wait as would take a minute: beyond that a submitter is held back.
MAX_PENDING_TOKENS = 400_000


class ServiceClosed(EmbeddingError):
    """Submitted after close, or still waiting when the service was closed without draining."""


@dataclass(slots=True)
class _Submission:
    texts: list[str]
    tokens: int
    future: Future[Vectors] = field(default_factory=Future)


class EmbeddingService:
    """Gathers texts across submitters into one call of the embedder; answers each by its own future.

    `submit` waits when too much is pending, so that a fast reader can't fill the memory. One thread
    computes; the embedder spreads the batches over the cores.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        gather_tokens: int = GATHER_TOKENS,
        max_wait_seconds: float = MAX_WAIT_SECONDS,
        max_pending_tokens: int = MAX_PENDING_TOKENS,
    ) -> None:
        self._embedder = embedder
        self._gather_tokens = gather_tokens
        self._max_wait_seconds = max_wait_seconds
        self._max_pending_tokens = max_pending_tokens
        self._pending: deque[_Submission] = deque()
        self._pending_tokens = 0
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="embedding-service", daemon=True)
        self._thread.start()

    def submit(self, texts: Sequence[str]) -> Future[Vectors]:
        """One row per text, in order, when the future is done. Cancel it to take the texts back."""
        if isinstance(texts, str):
            raise TypeError("submit takes a sequence of texts: give [text] for a single one")
        submission = _Submission(list(texts), sum(map(self._estimate, texts)))
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self._has_room(submission))
            if self._closing:
                raise ServiceClosed("the embedding service is closed")
            self._pending.append(submission)
            self._pending_tokens += submission.tokens
            self._changed.notify_all()
        return submission.future

    def close(self, *, drain: bool = True) -> None:
        """Take no more; compute what is pending, or with drain=False cancel it. Leaves the embedder open."""
        with self._changed:
            self._closing = True
            if not drain:
                for submission in self._pending:
                    submission.future.cancel()
                self._pending.clear()
                self._pending_tokens = 0
            self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> EmbeddingService:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close(drain=error is None)

    def _estimate(self, text: str) -> int:
        # Batches are cut by true lengths later; for gathering, four characters a token are near enough.
        return min(self._embedder.max_tokens, len(text) // 4 + 2)

    def _has_room(self, submission: _Submission) -> bool:
        # One that is larger than the limit must get through too, alone.
        return not self._pending or self._pending_tokens + submission.tokens <= self._max_pending_tokens

    def _run(self) -> None:
        while gathered := self._gather():
            self._answer(gathered)

    def _gather(self) -> list[_Submission]:
        """Wait for work, then a little longer for a full load of it. Empty when closed and drained."""
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self._pending)
            until = time.monotonic() + self._max_wait_seconds
            while not self._closing and self._pending_tokens < self._gather_tokens:
                left = until - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    break
            gathered: list[_Submission] = []
            tokens = 0
            while self._pending and (not gathered or tokens + self._pending[0].tokens <= self._gather_tokens):
                gathered.append(self._pending.popleft())
                tokens += gathered[-1].tokens
            self._pending_tokens -= tokens
            self._changed.notify_all()
            return gathered

    def _answer(self, gathered: list[_Submission]) -> None:
        wanted = [submission for submission in gathered if submission.future.set_running_or_notify_cancel()]
        try:
            vectors = self._embedder.embed([text for submission in wanted for text in submission.texts])
        except Exception as error:
            if len(wanted) == 1:
                wanted[0].future.set_exception(error)
            else:  # one text may have spoiled it for all: find out whose
                for submission in wanted:
                    self._answer_alone(submission)
            return
        start = 0
        for submission in wanted:
            submission.future.set_result(vectors[start : start + len(submission.texts)])
            start += len(submission.texts)

    def _answer_alone(self, submission: _Submission) -> None:
        try:
            submission.future.set_result(self._embedder.embed(submission.texts))
        except Exception as error:
            submission.future.set_exception(error)
