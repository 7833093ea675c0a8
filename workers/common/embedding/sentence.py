"""Any model by name or path through sentence-transformers, on a GPU where there is one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.workers.common.embedding import weights
from graphvine.workers.common.embedding.interface import EmbeddingPartsMissing, ModelNotUsable, as_texts, shorten
from graphvine.workers.common.embedding.light import plan_batches

if TYPE_CHECKING:
    from graphvine.workers.common.embedding.interface import Vectors

# On two cores smaller is better, as on the light way; a GPU wants to be filled.
_CPU_TOKEN_BUDGET = 1024
_GPU_TOKEN_BUDGET = 32_768
_WINDOW = 8192


class SentenceEmbedder:
    """One model of sentence-transformers. Vectors are brought to length one, whatever the model does."""

    def __init__(self, model: str | Path | None = None, *, threads: int | None = None) -> None:
        try:
            import torch  # type: ignore[import-not-found, unused-ignore]
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            command = "pip install 'graphvine[sentence-transformers]'"
            raise EmbeddingPartsMissing(f"the package {error.name}", command) from error
        source, self.name = _locate(model)
        if threads:
            torch.set_num_threads(threads)
        try:
            self._model: Any = SentenceTransformer(source)
        except (OSError, ValueError) as error:
            reason = (
                f"{str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__} "
                "(give a folder, or load it once with a network and HF_HUB_OFFLINE unset)"
            )
            raise ModelNotUsable(source, reason) from error
        self._token_budget = _CPU_TOKEN_BUDGET if self._model.device.type == "cpu" else _GPU_TOKEN_BUDGET
        self._lock = threading.Lock()
        self.dimension = int(_dimension(self._model))
        self.max_tokens = int(self._model.max_seq_length or 512)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order; what lies beyond max_tokens of a text is not seen."""
        import numpy as np

        texts = as_texts(texts)
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _WINDOW):
            window = [shorten(text) for text in texts[start : start + _WINDOW]]
            lengths = [min(length, self.max_tokens) for length in self.count_tokens(window)]
            for batch in plan_batches(lengths, self._token_budget):
                chosen = [window[position] for position in batch]
                with self._lock:  # the model's tokenizer is not made for two threads
                    rows = self._model.encode(
                        chosen, batch_size=len(chosen), normalize_embeddings=True, show_progress_bar=False
                    )
                vectors[[start + position for position in batch]] = rows
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The whole length of each text, uncut, the two marks at its ends included."""
        texts = as_texts(texts)
        if not texts:
            return []
        with self._lock:
            encoded = self._model.tokenizer(texts, truncation=False, padding=False, verbose=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def close(self) -> None:
        """Let go of the model's memory."""
        self._model = None


def _locate(model: str | Path | None) -> tuple[str, str]:
    """What to load, and the name that the light way would give the same weights."""
    if model is None or str(model) in weights.ALIASES:
        folder = weights.packaged_folder()
        # Without the package the hub's copy serves, fetched or from its local cache.
        return (str(folder) if folder else f"sentence-transformers/{weights.MODEL_NAME}"), weights.MODEL_NAME
    folder = Path(model).expanduser()
    file = folder / "model.safetensors"
    if not folder.is_dir():
        return str(model), str(model)
    if not file.is_file():
        return str(folder), folder.resolve().name
    return str(folder), weights.name_by_weights(folder, weights.file_sha256(file))


def _dimension(model: Any) -> int:
    # Newer versions call it by a shorter name.
    method = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    return int(method())
