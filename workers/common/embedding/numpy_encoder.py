"""The encoder in plain NumPy, for a question or two: it is there sooner than a session of ONNX Runtime.

Slower by the text, so that whoever embeds many opens the session. Both give the same vectors, to the sixth digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphvine.workers.common.embedding.onnx_graph import BertShape, prefix_of

Array = np.ndarray[Any, Any]


class NumpyEncoder:
    """Holds the weights of the layers; of the words' vectors it reads those that are asked for."""

    def __init__(self, folder: Path, shape: BertShape) -> None:
        from safetensors import safe_open

        self._shape = shape
        with safe_open(folder / "model.safetensors", framework="numpy") as file:
            names = list(file.keys())
            prefix = prefix_of(names)
            words = f"{prefix}embeddings.word_embeddings.weight"
            self._weights = {
                name.removeprefix(prefix): np.asarray(file.get_tensor(name), dtype=np.float32)
                for name in names
                if name.startswith(prefix) and name != words and "position_ids" not in name
            }
            self._words = file.get_slice(words)

    def run(self, ids: Sequence[int]) -> Array:
        """The vector of one text, of length one."""
        hidden = np.concatenate([np.asarray(self._words[id : id + 1], dtype=np.float32) for id in ids])
        hidden += self._weights["embeddings.token_type_embeddings.weight"][0]
        hidden += self._weights["embeddings.position_embeddings.weight"][: len(ids)]
        hidden = self._normalised(hidden, "embeddings.LayerNorm")
        for layer in range(self._shape.layers):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        pooled = hidden[0] if self._shape.pooling == "cls" else hidden.mean(axis=0)
        return np.asarray(pooled / np.sqrt((pooled * pooled).sum()), dtype=np.float32)

    def _layer(self, hidden: Array, name: str) -> Array:
        query, key, value = (
            self._product(hidden, f"{name}attention.self.{part}").reshape(len(hidden), self._shape.heads, -1)
            for part in ("query", "key", "value")
        )
        scores = np.einsum("qhd,khd->hqk", query, key) / np.float32(np.sqrt(query.shape[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        attended = np.einsum("hqk,khd->qhd", scores, value).reshape(hidden.shape)
        hidden = self._residual(attended, hidden, f"{name}attention.output.")
        return self._residual(_gelu(self._product(hidden, f"{name}intermediate.dense")), hidden, f"{name}output.")

    def _residual(self, given: Array, skipped: Array, name: str) -> Array:
        return self._normalised(self._product(given, f"{name}dense") + skipped, f"{name}LayerNorm")

    def _product(self, given: Array, name: str) -> Array:
        return np.asarray(given @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"])

    def _normalised(self, given: Array, name: str) -> Array:
        centred = given - given.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(self._shape.epsilon))
        return np.asarray(centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def _gelu(given: Array) -> Array:
    return np.asarray(given * (1 + _erf(given / np.float32(np.sqrt(2)))) / 2, dtype=np.float32)


def _erf(given: Array) -> Array:
    """NumPy has none: Abramowitz and Stegun, 7.1.26, which is off by 1.5e-7 at most."""
    size = np.abs(given)
    step = 1 / (1 + np.float32(0.3275911) * size)
    total: Array = np.zeros_like(size)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        total = total * step + np.float32(factor)
    return np.asarray(np.sign(given) * (1 - total * step * np.exp(-size * size)))
