"""BERT in plain numpy, written from its definition: slow, one text at a time, nothing shared with the graph."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

Array = np.ndarray[Any, Any]
_erf = np.vectorize(math.erf)


class Reference:
    """The encoder of one folder; what it computes is float64, since the first sum is."""

    def __init__(self, folder: Path, *, layers: int, heads: int, pooling: str = "mean") -> None:
        self._weights = load_file(folder / "model.safetensors")
        self._layers, self._heads, self._pooling = layers, heads, pooling

    def vector(self, ids: list[int]) -> Array:
        """The normalised embedding of one row of token ids, its marks included."""
        weights = self._weights
        hidden = weights["embeddings.word_embeddings.weight"][ids].astype(np.float64)
        hidden = hidden + weights["embeddings.position_embeddings.weight"][: len(ids)]
        hidden = self._normalise(hidden + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for number in range(self._layers):
            name = f"encoder.layer.{number}"
            attended = self._attend(hidden, f"{name}.attention.self")
            attended = self._linear(attended, f"{name}.attention.output.dense")
            hidden = self._normalise(hidden + attended, f"{name}.attention.output.LayerNorm")
            wide = self._linear(hidden, f"{name}.intermediate.dense")
            wide = wide * 0.5 * (1 + _erf(wide / math.sqrt(2)))
            hidden = self._normalise(hidden + self._linear(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        pooled = hidden.mean(axis=0) if self._pooling == "mean" else hidden[0]
        return np.asarray(pooled / np.linalg.norm(pooled))

    def _attend(self, hidden: Array, name: str) -> Array:
        size = hidden.shape[1] // self._heads
        query, key, value = (self._linear(hidden, f"{name}.{part}") for part in ("query", "key", "value"))
        heads = []
        for head in range(self._heads):
            part = slice(head * size, (head + 1) * size)
            scores = query[:, part] @ key[:, part].T / math.sqrt(size)
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(scores / scores.sum(axis=1, keepdims=True) @ value[:, part])
        return np.concatenate(heads, axis=1)

    def _linear(self, hidden: Array, name: str) -> Array:
        return np.asarray(hidden @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"])

    def _normalise(self, hidden: Array, name: str) -> Array:
        centred = hidden - hidden.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return np.asarray(scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])
