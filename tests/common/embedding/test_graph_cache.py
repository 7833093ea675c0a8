"""The cached graph: whole or absent, whoever is killed and however many build."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from graphvine.workers.common.embedding import model_cache
from graphvine.workers.common.embedding.interface import EmbeddingPartsMissing, WeightsDamaged
from graphvine.workers.common.embedding.light import LightEmbedder
from graphvine.workers.common.embedding.model_cache import cached_graph, default_cache_folder
from tests.common.embedding.texts import PLAIN
from tests.support.threads import together
from tests.support.waiting import WAIT_LIMIT

GRAPH = bytes(range(256)) * 4096

CHILD = """
import os, sys, time
from pathlib import Path
from graphvine.workers.common.embedding.model_cache import cached_graph
point, folder = sys.argv[1], Path(sys.argv[2])
def stop(name, call):
    def stopped(*arguments):
        if name.startswith("after"): call(*arguments)
        print("reached", name, flush=True)
        sys.stdin.read()
    return stopped
where = {"before fsync": "fsync", "before replace": "replace", "after replace": "replace"}.get(point)
if where: setattr(os, where, stop(point, getattr(os, where)))
def build():
    if point == "in build": stop(point, None)()
    return bytes(range(256)) * 4096
cached_graph(folder, "key", build)
"""

OPEN = """
import sys
from pathlib import Path
print("started", flush=True)
from graphvine.workers.common.embedding.light import LightEmbedder
embedder = LightEmbedder(cache_folder=Path(sys.argv[1]))
print("opened", flush=True)
sys.stdin.read()
"""


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def kill(child: subprocess.Popen[str]) -> None:
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=WAIT_LIMIT)


@pytest.mark.parametrize("point", ["in build", "before fsync", "before replace", "after replace"])
def test_a_kill_leaves_a_whole_graph_or_none(tmp_path: Path, point: str) -> None:
    child = start(CHILD, point, str(tmp_path))
    assert child.stdout is not None
    assert child.stdout.readline().strip() == f"reached {point}"
    kill(child)
    assert len(list(tmp_path.glob("*.onnx"))) == (point == "after replace")
    path = cached_graph(tmp_path, "key", lambda: GRAPH)
    assert isinstance(path, Path)
    assert path.read_bytes() == GRAPH


@pytest.mark.long("builds the model again and again, in processes that are killed")
def test_the_real_build_survives_kills_at_any_moment(tmp_path: Path, light: LightEmbedder) -> None:
    random = np.random.default_rng(7)
    for _ in range(4):
        child = start(OPEN, str(tmp_path))
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        try:
            child.wait(timeout=random.uniform(0.2, 3))
        except subprocess.TimeoutExpired:
            kill(child)
    embedder = LightEmbedder(cache_folder=tmp_path)
    assert np.array_equal(embedder.embed(PLAIN), light.embed(PLAIN))
    embedder.close()


def test_two_processes_may_build_at_once(tmp_path: Path, small_model: Path) -> None:
    code = OPEN.replace("cache_folder=Path(sys.argv[1])", "sys.argv[2], cache_folder=Path(sys.argv[1])")
    children = [start(code, str(tmp_path), str(small_model)) for _ in range(2)]
    for child in children:
        said, _ = child.communicate(timeout=WAIT_LIMIT)
        assert said == "started\nopened\n"
        assert child.returncode == 0
    assert len(list((tmp_path / "models").iterdir())) == 1


def test_threads_may_build_at_once(tmp_path: Path) -> None:
    paths = together([lambda: cached_graph(tmp_path, "key", lambda: GRAPH)] * 6)
    assert len(set(paths)) == 1
    assert [path.name.endswith(".onnx") for path in tmp_path.iterdir()] == [True]


@pytest.mark.parametrize("damage", [b"", GRAPH[:-1], b"\1" + GRAPH[1:]])
def test_a_damaged_graph_is_built_again(tmp_path: Path, damage: bytes) -> None:
    path = cached_graph(tmp_path, "key", lambda: GRAPH)
    assert isinstance(path, Path)
    path.write_bytes(damage)
    assert cached_graph(tmp_path, "key", lambda: GRAPH) == path
    assert path.read_bytes() == GRAPH


def test_a_graph_is_built_once(tmp_path: Path) -> None:
    built = []
    for _ in range(3):
        cached_graph(tmp_path, "key", lambda: built.append(1) or GRAPH)  # type: ignore[func-returns-value]
    assert len(built) == 1


def test_what_killed_builders_left_is_swept_when_it_is_old(tmp_path: Path) -> None:
    old, fresh = tmp_path / "key.1.part", tmp_path / "key.2.part"
    for part in (old, fresh):
        part.write_bytes(b"half")
    hours_ago = time.time() - 7200
    os.utime(old, (hours_ago, hours_ago))
    cached_graph(tmp_path, "key", lambda: GRAPH)
    assert not old.exists()
    assert fresh.exists()


def test_a_folder_that_can_not_be_written_is_no_obstacle(tmp_path: Path, small_model: Path) -> None:
    (tmp_path / "models").write_text("a file where the folder should be")
    embedder = LightEmbedder(small_model, cache_folder=tmp_path)
    assert embedder.embed(PLAIN).shape == (4, 32)
    embedder.close()


def test_weights_that_are_not_the_published_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphvine.workers.common.embedding.weights.WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(WeightsDamaged, match=r"53aa5117.*graphvine model install --force"):
        LightEmbedder(cache_folder=tmp_path)
    assert not (tmp_path / "models").exists()


def test_a_tokenizer_that_is_not_the_packaged_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphvine.workers.common.embedding.weights.TOKENIZER_SHA256", "0" * 64)
    with pytest.raises(WeightsDamaged, match=r"tokenizer\.json"):
        LightEmbedder(cache_folder=tmp_path)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbeddingPartsMissing, match=rf"{package}.*pip install 'graphvine\[embed\]'"):
        LightEmbedder(cache_folder=tmp_path)


def test_the_cache_folder_follows_the_standard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_cache_folder() == Path("/somewhere/graphvine")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_cache_folder() == Path.home() / ".cache" / "graphvine"
    assert model_cache.default_cache_folder().is_absolute()
