"""Texts to vectors: two ways that give the same ones, a cache, and a service that gathers full batches."""

from __future__ import annotations

from pathlib import Path

from graphvine.errors import SettingsError, did_you_mean
from graphvine.workers.common.embedding.interface import (
    Embedder,
    EmbeddingError,
    EmbeddingPartsMissing,
    ModelNotUsable,
    WeightsDamaged,
    WeightsNotInstalled,
)
from graphvine.workers.common.embedding.weights import InstalledWeights, install_weights

KINDS = ("light", "sentence-transformers")

__all__ = [
    "KINDS", "Embedder", "EmbeddingError", "EmbeddingPartsMissing", "InstalledWeights", "ModelNotUsable",
    "WeightsDamaged", "WeightsNotInstalled", "install_weights", "open_embedder",
]  # fmt: skip


def open_embedder(
    kind: str = "light",
    model: str | Path | None = None,
    threads: int | None = None,
    cache_folder: Path | None = None,
) -> Embedder:
    """Open a model: all-MiniLM-L6-v2 from its package when none is named."""
    # The libraries behind each way are heavy, so each is imported only when it is chosen.
    if kind == "light":
        from graphvine.workers.common.embedding.light import LightEmbedder

        return LightEmbedder(model, threads=threads, cache_folder=cache_folder)
    if kind == "sentence-transformers":
        from graphvine.workers.common.embedding.sentence import SentenceEmbedder

        return SentenceEmbedder(model, threads=threads)
    raise SettingsError(f"there is no kind of embedder {kind!r}{did_you_mean(kind, KINDS)}")
