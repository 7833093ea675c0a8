"""A BERT encoder, its pooling and its normalising as one ONNX graph, from the weights alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphvine.workers.common.embedding import onnx_message
from graphvine.workers.common.embedding.interface import ModelNotUsable

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


# Part of the cached graph's name: raise it whenever the graph changes.
BUILDER_VERSION = 1
_OPSET, _IR_VERSION = 17, 8
# ONNX Runtime's own fused nodes, where they pay: 7 % less work than the same in plain ones.
_FUSED = "com.microsoft"

Array = np.ndarray[Any, Any]


def build_graph(weights: Mapping[str, Array], shape: BertShape) -> bytes:
    """Inputs `input_ids` and `attention_mask` (int32, batch by length), output `embedding` (float32, length one)."""
    return _Builder(weights, shape).build()


def prefix_of(names: Iterable[str]) -> str:
    """What stands before the names of the encoder's weights in this file."""
    word = next(name for name in names if name.endswith("embeddings.word_embeddings.weight"))
    return word.removesuffix("embeddings.word_embeddings.weight")


class _Builder:
    def __init__(self, weights: Mapping[str, Array], shape: BertShape) -> None:
        self._prefix = prefix_of(weights)
        self._weights, self._shape = weights, shape
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}

    def build(self) -> bytes:
        hidden = self._embeddings()
        mask = "attention_mask"
        for layer in range(self._shape.layers):
            hidden = self._layer(hidden, mask, f"encoder.layer.{layer}.")
        self._node("LpNormalization", [self._pooled(hidden, mask)], "embedding", axis=-1, p=2)
        inputs = [onnx_message.value(name, onnx_message.INT32, ["batch", "length"]) for name in ("input_ids", mask)]
        output = onnx_message.value("embedding", onnx_message.FLOAT, ["batch", self._shape.dimension])
        domains = [("", _OPSET), (_FUSED, 1)]
        tensors = self._constants.values()
        return onnx_message.model(self._nodes, "encoder", inputs, [output], tensors, domains, _IR_VERSION)

    def _embeddings(self) -> str:
        # Every text is one segment, so the segment's row can be added to the words beforehand.
        words = self._weight("embeddings.word_embeddings.weight")
        words = words + self._weight("embeddings.token_type_embeddings.weight")[0]
        by_word = self._node("Gather", [self._constant("words", words), "input_ids"])
        length = self._node("Shape", ["input_ids"], start=1, end=2)
        places = self._constant("places", self._weight("embeddings.position_embeddings.weight"))
        by_place = self._node("Slice", [places, self._constant("zero", np.array([0])), length])
        return self._normalised(self._node("Add", [by_word, by_place]), "embeddings.LayerNorm")

    def _layer(self, hidden: str, mask: str, name: str) -> str:
        parts = [f"{name}attention.self.{part}" for part in ("query", "key", "value")]
        merged = np.concatenate([self._weight(f"{part}.weight").T for part in parts], axis=1)
        biases = np.concatenate([self._weight(f"{part}.bias") for part in parts])
        attended = self._node(
            "Attention",
            [hidden, self._constant(f"{name}qkv", merged), self._constant(f"{name}qkv.bias", biases), mask],
            domain=_FUSED,
            num_heads=self._shape.heads,
        )
        hidden = self._residual(attended, hidden, f"{name}attention.output.")
        wide = self._product(hidden, f"{name}intermediate.dense.weight")
        wide = self._node("BiasGelu", [wide, self._named(f"{name}intermediate.dense.bias")], domain=_FUSED)
        return self._residual(wide, hidden, f"{name}output.")

    def _residual(self, hidden: str, skipped: str, name: str) -> str:
        product = self._product(hidden, f"{name}dense.weight")
        biased = self._node("Add", [product, self._named(f"{name}dense.bias")])
        # In plain nodes: ONNX Runtime's fused one for this takes four times as long on a processor.
        both = self._node("Add", [biased, skipped])
        return self._normalised(both, f"{name}LayerNorm")

    def _normalised(self, hidden: str, name: str) -> str:
        inputs = [hidden, self._named(f"{name}.weight"), self._named(f"{name}.bias")]
        return self._node("LayerNormalization", inputs, axis=-1, epsilon=self._shape.epsilon)

    def _pooled(self, hidden: str, mask: str) -> str:
        if self._shape.pooling == "cls":
            return self._node("Gather", [hidden, self._constant("first", np.array(0))], axis=1)
        weights = self._node("Cast", [mask], to=onnx_message.FLOAT)
        weights = self._node("Unsqueeze", [weights, self._constant("two", np.array([2]))])
        over_tokens = self._constant("one", np.array([1]))
        total = self._node("ReduceSum", [self._node("Mul", [hidden, weights]), over_tokens], keepdims=0)
        return self._node("Div", [total, self._node("ReduceSum", [weights, over_tokens], keepdims=0)])

    def _product(self, hidden: str, weight: str) -> str:
        return self._node("MatMul", [hidden, self._constant(weight, self._weight(weight).T)])

    def _weight(self, name: str) -> Array:
        return np.asarray(self._weights[self._prefix + name], dtype=np.float32)

    def _named(self, name: str) -> str:
        return self._constant(name, self._weight(name))

    def _constant(self, name: str, values: Array) -> str:
        if name not in self._constants:
            self._constants[name] = onnx_message.tensor(name, values)
        return name

    def _node(self, operator: str, inputs: Sequence[str], output: str | None = None, **attributes: Any) -> str:
        output = output or f"{operator}.{len(self._nodes)}"
        self._nodes.append(onnx_message.node(operator, inputs, output, **attributes))
        return output
