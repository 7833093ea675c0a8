"""A BERT encoder, its pooling and its normalising as one ONNX graph, from the weights alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphvine.workers.parts.embedding.bert import BertShape

# Part of the cached graph's name: raise it whenever the graph changes.
BUILDER_VERSION = 1
_OPSET, _IR_VERSION = 17, 8
# ONNX Runtime's own fused nodes, where they pay: 7 % less work than the same in plain ones.
_FUSED = "com.microsoft"

Array = np.ndarray[Any, Any]


def build_graph(weights: Mapping[str, Array], shape: BertShape) -> bytes:
    """Inputs `input_ids` and `attention_mask` (int32, batch by length), output `embedding` (float32, length one)."""
    return _Builder(weights, shape).build()


class _Builder:
    def __init__(self, weights: Mapping[str, Array], shape: BertShape) -> None:
        word = next(name for name in weights if name.endswith("embeddings.word_embeddings.weight"))
        self._prefix = word.removesuffix("embeddings.word_embeddings.weight")
        self._weights, self._shape = weights, shape
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def build(self) -> bytes:
        from onnx import TensorProto, helper

        hidden = self._embeddings()
        mask = "attention_mask"
        for layer in range(self._shape.layers):
            hidden = self._layer(hidden, mask, f"encoder.layer.{layer}.")
        self._node("LpNormalization", [self._pooled(hidden, mask)], "embedding", axis=-1, p=2)
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", "length"]) for name in ("input_ids", mask)
        ]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", self._shape.dimension])
        graph = helper.make_graph(self._nodes, "encoder", inputs, [output], list(self._constants.values()))
        domains = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
        model = helper.make_model(graph, opset_imports=domains, ir_version=_IR_VERSION)
        return bytes(model.SerializeToString(deterministic=True))

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
        from onnx import TensorProto

        if self._shape.pooling == "cls":
            return self._node("Gather", [hidden, self._constant("first", np.array(0))], axis=1)
        weights = self._node("Cast", [mask], to=TensorProto.FLOAT)
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
        from onnx import numpy_helper

        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape), name)
        return name

    def _node(self, operator: str, inputs: Sequence[str], output: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        output = output or f"{operator}.{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output
