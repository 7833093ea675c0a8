"""Small random BERT models on disk, laid out as sentence-transformers lays them out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from graphvine.workers.common.embedding.weights import require_packaged_folder

DIMENSION, LAYERS, HEADS, WIDE, PLACES, WORDS = 32, 2, 4, 64, 48, 30522


def write_small_model(folder: Path, *, seed: int = 1, pooling: str = "mean_tokens", **config: Any) -> Path:
    """A whole model of 4 MB; keywords override its config.json."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, DIMENSION),
        "embeddings.position_embeddings.weight": (PLACES, DIMENSION),
        "embeddings.token_type_embeddings.weight": (2, DIMENSION),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        linear = {f"{name}.attention.self.{part}": (DIMENSION, DIMENSION) for part in ("query", "key", "value")}
        linear[f"{name}.attention.output.dense"] = (DIMENSION, DIMENSION)
        linear[f"{name}.intermediate.dense"] = (WIDE, DIMENSION)
        linear[f"{name}.output.dense"] = (DIMENSION, WIDE)
        for part, shape in linear.items():
            shapes[f"{part}.weight"], shapes[f"{part}.bias"] = shape, shape[:1]
        norms += [f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"]
    shapes |= {f"{norm}.{part}": (DIMENSION,) for norm in norms for part in ("weight", "bias")}
    tensors = {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    save_file(tensors, folder / "model.safetensors")
    settings = {
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": DIMENSION, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "intermediate_size": WIDE, "layer_norm_eps": 1e-12,
        "max_position_embeddings": PLACES, "vocab_size": WORDS, "type_vocab_size": 2,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(settings | config))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": DIMENSION, f"pooling_mode_{pooling}": True})
    )
    shutil.copy(require_packaged_folder() / "tokenizer.json", folder)
    return folder
