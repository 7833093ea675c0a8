"""The real model, built once for the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphvine.workers.common.embedding.light import LightEmbedder
from tests.common.embedding.small_models import write_small_model


@pytest.fixture(scope="session")
def light_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def light(light_cache: Path) -> Iterator[LightEmbedder]:
    """all-MiniLM-L6-v2 the light way."""
    embedder = LightEmbedder(threads=2, cache_folder=light_cache)
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of 32 dimensions, which opens in a moment."""
    return write_small_model(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture
def small(small_model: Path, tmp_path: Path) -> Iterator[LightEmbedder]:
    embedder = LightEmbedder(small_model, threads=2, cache_folder=tmp_path)
    yield embedder
    embedder.close()
