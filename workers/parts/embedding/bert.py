"""What the files beside the weights say of the model, and whether the light way can run it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphvine.workers.parts.embedding.interface import ModelNotUsable

_MODULES = ("Transformer", "Pooling", "Normalize")
_OTHER_WAY = "use the kind sentence-transformers for it"
_MAX_WEIGHTS_BYTES = 1_500_000_000  # a graph is one protobuf message, which ends at 2 GB


@dataclass(frozen=True, slots=True)
class BertShape:
    """The numbers that the graph is built from."""

    dimension: int
    layers: int
    heads: int
    epsilon: float
    pooling: str
    max_tokens: int

    def digest(self) -> str:
        """Short, and different for every shape: part of the cached graph's name."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:8]


def read_shape(folder: Path) -> BertShape:
    """Read a folder as sentence-transformers writes it; refuse what the graph would compute wrongly."""

    def unusable(reason: str) -> ModelNotUsable:
        return ModelNotUsable(str(folder), f"{reason}; {_OTHER_WAY}")

    for needed in ("config.json", "model.safetensors", "tokenizer.json"):
        if not (folder / needed).is_file():
            raise unusable(f"it has no {needed}")
    if (folder / "model.safetensors").stat().st_size > _MAX_WEIGHTS_BYTES:
        raise unusable("it is too large")
    try:
        config, limits = _read(folder / "config.json"), _read(folder / "sentence_bert_config.json")
        pooling = _read(folder / "1_Pooling" / "config.json") or {"pooling_mode_mean_tokens": True}
        modules = [entry["type"].rsplit(".", 1)[-1] for entry in _read(folder / "modules.json", [])]
        expected = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
        for key, value in expected.items():
            if config.get(key, value) != value:
                raise unusable(f"its {key} is {config[key]!r}, not {value!r}")
        if limits.get("do_lower_case") or set(modules) - set(_MODULES):
            raise unusable(f"it has steps of its own ({', '.join(modules) or 'lower case'})")
        modes = {
            key.removeprefix("pooling_mode_") for key, on in pooling.items() if key.startswith("pooling_mode_") and on
        }
        if modes not in ({"mean_tokens"}, {"cls_token"}):
            raise unusable(f"its pooling is {', '.join(sorted(modes))}")
        return BertShape(
            dimension=int(config["hidden_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            epsilon=float(config["layer_norm_eps"]),
            pooling="mean" if modes == {"mean_tokens"} else "cls",
            max_tokens=min(int(limits.get("max_seq_length", 512)), int(config["max_position_embeddings"])),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise unusable(f"its settings can't be read ({type(error).__name__}: {error})") from error


def _read(path: Path, default: Any = None) -> Any:
    if not path.is_file():
        return {} if default is None else default
    return json.loads(path.read_text("utf-8"))
