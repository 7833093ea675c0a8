"""The light way: ONNX Runtime on a graph built from the weights, no torch."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.workers.common.embedding import weights
from graphvine.workers.common.embedding.interface import EmbeddingPartsMissing, ModelNotUsable, as_texts, shorten
from graphvine.workers.common.embedding.model_cache import cached_graph, default_cache_folder, is_cached
from graphvine.workers.common.embedding.onnx_graph import BUILDER_VERSION, BertShape, read_shape

if TYPE_CHECKING:
    from graphvine.workers.common.embedding.interface import Vectors
    from graphvine.workers.common.embedding.numpy_encoder import NumpyEncoder


def plan_batches(lengths: Sequence[int], token_budget: int) -> list[list[int]]:
    """Positions grouped so that rows times the longest row stay within the budget; longest first.

    A text longer than the budget stands alone. Longest first lets threads end together: what is left
    over at the end is small.
    """
    order = sorted(range(len(lengths)), key=lambda position: -lengths[position])
    batches: list[list[int]] = []
    start = 0
    while start < len(order):
        rows = max(1, token_budget // max(1, lengths[order[start]]))
        batches.append(order[start : start + rows])
        start += rows
    return batches


# Measured in processor time on passages of 100 words: 1,024 costs a tenth more, 2,048 a quarter.
TOKEN_BUDGET = 512
# So many texts are tokenized at a time: bounds the memory of one call.
_WINDOW = 2048
# So many short texts, one at a time, come before the session is opened: a command has one question, a daemon has many.
_QUESTIONS, _QUESTION_TOKENS = 3, 64


class LightEmbedder:
    """BERT models with mean or CLS pooling. Each batch runs on one thread, several batches at once.

    That wastes nothing on waiting for a sibling thread, which matters where the cores are shared with
    fetching and parsing: a quarter less processor time on a busy machine than one batch over all cores.
    """

    def __init__(
        self, model: str | Path | None = None, *, threads: int | None = None, cache_folder: Path | None = None
    ) -> None:
        folder, weights_sha256, self.name = _locate(model)
        self._shape = read_shape(folder)
        self._tokenizer = _open_tokenizer(folder / "tokenizer.json")
        self._graph = _Graph(folder, weights_sha256, self._shape, (cache_folder or default_cache_folder()) / "models")
        self._opening, self._questions = threading.Lock(), 0
        self._opened: Any = None
        if not self._graph.is_built() or find_spec("onnxruntime") is None:
            self._session()  # what is missing is told now, not in the middle of the work
        self._threads = max(1, threads or len(os.sched_getaffinity(0)))
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="embed")

    @property
    def dimension(self) -> int:
        return self._shape.dimension

    @property
    def max_tokens(self) -> int:
        return self._shape.max_tokens

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order; what lies beyond max_tokens of a text is not seen."""
        import numpy as np

        texts = as_texts(texts)
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _WINDOW):
            window = [shorten(text) for text in texts[start : start + _WINDOW]]
            self._embed_window(window, vectors[start : start + _WINDOW])
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The whole length of each text, uncut, the two marks at its ends included."""
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(as_texts(texts))]

    def close(self) -> None:
        """End the threads; the embedder can't be used afterwards."""
        self._pool.shutdown()

    def _embed_window(self, texts: list[str], vectors: Vectors) -> None:
        token_ids = [self._cut(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(texts)]
        if self._opened is None and len(texts) == 1 and len(token_ids[0]) <= _QUESTION_TOKENS:
            self._questions += 1
            if self._questions <= _QUESTIONS:
                vectors[0] = self._graph.small_encoder().run(token_ids[0])
                return
        batches = plan_batches([len(ids) for ids in token_ids], TOKEN_BUDGET)

        def run(batch: list[int]) -> None:
            vectors[batch] = self._run([token_ids[position] for position in batch])

        if len(batches) == 1:  # a query: no need to queue behind a bulk load
            run(batches[0])
        else:
            list(self._pool.map(run, batches))

    def _session(self) -> Any:
        with self._opening:
            self._opened = self._opened or self._graph.open_session()
        return self._opened

    def _cut(self, ids: list[int]) -> list[int]:
        return ids if len(ids) <= self.max_tokens else [*ids[: self.max_tokens - 1], ids[-1]]

    def _run(self, rows: list[list[int]]) -> Any:
        import numpy as np

        ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int32)
        mask = np.zeros_like(ids)
        for position, row in enumerate(rows):
            ids[position, : len(row)] = row
            mask[position, : len(row)] = 1
        return self._session().run(None, {"input_ids": ids, "attention_mask": mask})[0]


def _locate(model: str | Path | None) -> tuple[Path, str, str]:
    """The model's folder, the hash of its weights, and its name."""
    if model is None or str(model) in weights.ALIASES:
        folder = weights.require_packaged_folder()
        weights.check_file(folder / "tokenizer.json", weights.TOKENIZER_SHA256)
        return folder, weights.WEIGHTS_SHA256, weights.MODEL_NAME
    folder = Path(model).expanduser()
    if not folder.is_dir():
        raise ModelNotUsable(
            str(model), "it is no folder, and the light way fetches nothing; use the kind sentence-transformers for it"
        )
    read_shape(folder)
    found = weights.file_sha256(folder / "model.safetensors")
    return folder, found, weights.name_by_weights(folder, found)


def _open_tokenizer(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbeddingPartsMissing("the package tokenizers", "pip install 'graphvine[embed]'") from error
    tokenizer = Tokenizer.from_file(str(path))
    # The file carries settings of its own (128 tokens, fixed padding), which would cut texts short.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class _Graph:
    """What computes the vectors, from weights that are checked once and kept as a graph in the cache."""

    def __init__(self, folder: Path, weights_sha256: str, shape: BertShape, cache_folder: Path) -> None:
        self._folder, self._sha256, self._shape, self._cache_folder = folder, weights_sha256, shape, cache_folder
        self._key = f"{weights_sha256[:16]}-{shape.digest()}-v{BUILDER_VERSION}"

    def is_built(self) -> bool:
        return is_cached(self._cache_folder, self._key)

    def small_encoder(self) -> NumpyEncoder:
        from graphvine.workers.common.embedding.numpy_encoder import NumpyEncoder

        return NumpyEncoder(self._folder, self._shape)

    def open_session(self) -> Any:
        try:
            import onnxruntime
        except ImportError as error:
            raise EmbeddingPartsMissing(f"the package {error.name}", "pip install 'graphvine[embed]'") from error
        graph = cached_graph(self._cache_folder, self._key, self._build)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        source = graph if isinstance(graph, bytes) else str(graph)
        return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    def _build(self) -> bytes:
        from graphvine.workers.common.embedding.onnx_graph import build_graph

        try:
            from safetensors.numpy import load_file
        except ImportError as error:
            raise EmbeddingPartsMissing(f"the package {error.name}", "pip install 'graphvine[embed]'") from error
        weights.check_file(self._folder / "model.safetensors", self._sha256)
        return build_graph(load_file(self._folder / "model.safetensors"), self._shape)
