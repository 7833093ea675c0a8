"""The cache of vectors: nothing is paid twice, and nothing that happens to its file is more than a miss."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphvine.workers.common.embedding.light import LightEmbedder
from graphvine.workers.common.embedding.vector_cache import CachedEmbedder, VectorCache
from tests.common.embedding.texts import PLAIN, WILD
from tests.support.threads import together
from tests.support.waiting import WAIT_LIMIT


class Counting:
    """An embedder that notes what it was asked for."""

    def __init__(self, inner: LightEmbedder, name: str = "") -> None:
        self._inner, self.name = inner, name or inner.name
        self.dimension, self.max_tokens = inner.dimension, inner.max_tokens
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return self._inner.embed(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._inner.count_tokens(texts)

    def close(self) -> None:
        """The test's fixture closes the inner one."""


@pytest.fixture
def counting(small: LightEmbedder) -> Counting:
    return Counting(small)


def test_a_second_run_pays_nothing(counting: Counting, tmp_path: Path) -> None:
    texts = [*PLAIN, *WILD]
    first = CachedEmbedder(counting, cache_folder=tmp_path)
    vectors = first.embed(texts)
    first.close()
    asked = len(counting.asked)
    second = CachedEmbedder(counting, cache_folder=tmp_path)
    assert np.array_equal(second.embed(texts), vectors)
    assert len(counting.asked) == asked == len(set(texts))
    assert (second.hits, second.misses) == (len(texts), 0)
    second.close()


def test_order_and_repetition_are_kept(counting: Counting, tmp_path: Path) -> None:
    cached = CachedEmbedder(counting, cache_folder=tmp_path)
    cached.embed([PLAIN[2]])
    texts = [PLAIN[1], PLAIN[2], PLAIN[1], PLAIN[0]]
    assert np.allclose(cached.embed(texts), counting.embed(texts), atol=1e-6)
    assert counting.asked[:3] == [PLAIN[2], PLAIN[1], PLAIN[0]]
    assert cached.embed([]).shape == (0, counting.dimension)
    assert cached.count_tokens(["a"]) == [3]
    with pytest.raises(TypeError):
        cached.embed("text")
    cached.close()


def test_another_model_s_vectors_are_not_taken(counting: Counting, small: LightEmbedder, tmp_path: Path) -> None:
    one = CachedEmbedder(counting, cache_folder=tmp_path)
    one.embed(PLAIN)
    other = Counting(small, name="other")
    two = CachedEmbedder(other, cache_folder=tmp_path)
    two.embed(PLAIN)
    assert other.asked == PLAIN
    one.close()
    two.close()


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to look at" * 40])
def test_a_file_that_is_no_database_is_begun_anew(counting: Counting, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(content)
    cached = CachedEmbedder(counting, cache_folder=tmp_path)
    cached.embed(PLAIN)
    cached.embed(PLAIN)
    assert counting.asked == PLAIN
    cached.close()


def test_a_file_that_breaks_while_open_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    cache = VectorCache(path, 10_000)
    cache.put({bytes([number % 256, number // 256]) * 16: bytes(400) for number in range(4000)})
    cache.close()
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        for place in range(4096, size, 4096):
            file.seek(place)
            file.write(b"\xff" * 200)
    cache = VectorCache(path, 10_000)
    key = b"k" * 32
    for _ in range(2):  # the first may meet the damage, the second meets the new file
        cache.get([bytes([number % 256, number // 256]) * 16 for number in range(4000)])
        cache.put({key: b"vector"})
    assert cache.get([key]) == {key: b"vector"}
    cache.close()


def test_a_busy_file_is_only_a_miss(counting: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphvine.workers.common.embedding.vector_cache._BUSY_SECONDS", 0.01)
    cached = CachedEmbedder(counting, cache_folder=tmp_path)
    other = sqlite3.connect(tmp_path / "vectors.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert cached.embed(PLAIN).shape == (4, counting.dimension)
    other.execute("ROLLBACK")
    other.close()
    cached.embed(PLAIN)
    cached.embed(PLAIN)
    assert counting.asked == PLAIN * 2
    cached.close()


def test_a_folder_that_can_not_be_made_is_only_a_miss(counting: Counting, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    cached = CachedEmbedder(counting, cache_folder=tmp_path / "file" / "cache")
    assert cached.embed(PLAIN).shape == (4, counting.dimension)
    cached.close()


def test_the_oldest_vectors_go_first(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite", 100)
    keys = [number.to_bytes(32) for number in range(250)]
    for key in keys:
        cache.put({key: b"v"})
    assert 89 <= cache.count() <= 100
    found = set(cache.get(keys))
    assert found == set(keys[-len(found) :])
    assert cache.count() == len(found)
    cache.close()
    assert cache.count() == 0
    assert cache.get(keys) == {}


def test_the_file_stays_within_its_limit(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    rows, size = 2000, 4 * 384
    cache = VectorCache(tmp_path / "v.sqlite", rows)
    for _ in range(20):
        cache.put({random.bytes(32): random.bytes(size) for _ in range(500)})
    assert 0.5 * rows < cache.count() <= rows
    cache.close()
    assert (tmp_path / "v.sqlite").stat().st_size < 1.15 * rows * (size + 120)


def test_threads_share_the_cache(counting: Counting, tmp_path: Path) -> None:
    cached = CachedEmbedder(counting, cache_folder=tmp_path)
    texts = [f"text {number}" for number in range(200)]
    answers = together([lambda: cached.embed(texts)] * 4)
    assert all(np.allclose(answer, answers[0], atol=1e-6) for answer in answers)
    cached.close()


WRITER = """
import sys
from pathlib import Path
from graphvine.workers.common.embedding.vector_cache import VectorCache
cache = VectorCache(Path(sys.argv[1]), 1_000_000)
number = cache.count()
while True:
    batch = {n.to_bytes(32): n.to_bytes(400) for n in range(number, number + 50)}
    cache.put(batch)
    number += 50
    print(number, flush=True)
"""


def test_kills_lose_nothing_that_was_put(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    random = np.random.default_rng(11)
    put = 0
    for _ in range(4):
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        for _ in range(random.integers(1, 60)):
            put = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        said, _ = child.communicate(timeout=WAIT_LIMIT)
        put = int((said.split() or [put])[-1]) if said.endswith("\n") else put
    cache = VectorCache(path, 1_000_000)
    found = cache.get([number.to_bytes(32) for number in range(put)])
    assert len(found) == put
    assert all(found[number.to_bytes(32)] == number.to_bytes(400) for number in range(put))
    cache.close()
