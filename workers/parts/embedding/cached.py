"""Pay once for each text: a retry, a second run or a section shared by two pages finds its vector again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.workers.parts.embedding.graph_cache import default_cache_folder
from graphvine.workers.parts.embedding.vector_cache import VectorCache

if TYPE_CHECKING:
    from graphvine.workers.parts.embedding.interface import Embedder, Vectors

DEFAULT_CACHE_MEGABYTES = 1024
_ROW_OVERHEAD_BYTES = 120  # key, index entry, page slack


class CachedEmbedder:
    """An embedder in front of another, with its vectors kept in `<cache folder>/vectors.sqlite`.

    `max_megabytes` bounds the file; at 384 dimensions a gigabyte holds some 600,000 texts.
    """

    def __init__(
        self,
        inner: Embedder,
        *,
        cache_folder: Path | None = None,
        max_megabytes: int = DEFAULT_CACHE_MEGABYTES,
    ) -> None:
        self._inner = inner
        max_rows = max_megabytes * 1_000_000 // (4 * inner.dimension + _ROW_OVERHEAD_BYTES)
        self._store = VectorCache((cache_folder or default_cache_folder()) / "vectors.sqlite", max_rows)
        self._prefix = f"{inner.name}\0{inner.max_tokens}\0".encode()
        self.hits = 0
        self.misses = 0

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order; equal texts are computed once."""
        import numpy as np

        if isinstance(texts, str):
            raise TypeError("embed takes a sequence of texts: give [text] for a single one")
        keys = [self._key(text) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            computed = self._inner.embed(list(missing.values()))
            fresh = dict(zip(missing, computed, strict=True))
            self._store.put({key: vector.tobytes() for key, vector in fresh.items()})
            known.update(fresh)
        # Two threads may lose a count to each other: these are figures for people, not for decisions.
        self.hits += len(keys) - len(missing)
        self.misses += len(missing)
        return np.stack([known[key] for key in keys]) if keys else np.empty((0, self.dimension), dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The whole length of each text, uncut, the two marks at its ends included."""
        return self._inner.count_tokens(texts)

    def close(self) -> None:
        """Close the cache and the embedder behind it."""
        self._store.close()
        self._inner.close()

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._prefix + text.encode("utf-8", "surrogatepass")).digest()

    def _known(self, keys: list[bytes]) -> dict[bytes, Vectors]:
        import numpy as np

        rows = self._store.get(set(keys))
        # A row of another length can't be a vector of this model: as good as missing.
        whole = {key: row for key, row in rows.items() if len(row) == 4 * self.dimension}
        return {key: np.frombuffer(row, dtype=np.float32) for key, row in whole.items()}
