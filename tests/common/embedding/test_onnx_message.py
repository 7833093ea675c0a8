"""Models as bytes: ONNX Runtime reads what is written, with every kind of attribute, length and number."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from graphvine.workers.common.embedding import onnx_message as message


def run(nodes: list[bytes], tensors: list[bytes], given: np.ndarray) -> np.ndarray:
    inputs = [message.value("x", message.FLOAT, ["rows", given.shape[1]])]
    outputs = [message.value("y", message.FLOAT, ["rows", "columns"])]
    model = message.model(nodes, "test", inputs, outputs, tensors, [("", 17)], 8)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    found: np.ndarray = session.run(None, {"x": given})[0]
    return found


def test_a_graph_of_several_nodes_computes() -> None:
    rows = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    nodes = [
        message.node("MatMul", ["x", "turn"], "turned"),
        message.node("Concat", ["turned", "x"], "both", axis=-1),
        message.node("LeakyRelu", ["both"], "y", alpha=0.5),
    ]
    turn = -np.eye(3, dtype=np.float32)
    expected = np.concatenate([rows @ turn * 0.5, rows], axis=1)
    assert np.allclose(run(nodes, [message.tensor("turn", turn)], rows), expected)


@pytest.mark.parametrize("columns", [1, 127, 128, 300, 20_000])
def test_lengths_of_any_size_are_kept(columns: int) -> None:
    rows = np.arange(2 * columns, dtype=np.float32).reshape(2, columns)
    nodes = [message.node("Add", ["x", "more"], "y")]
    assert np.array_equal(run(nodes, [message.tensor("more", np.ones(columns, np.float32))], rows), rows + 1)


def test_arrays_that_do_not_lie_in_a_row_and_scalars_are_kept() -> None:
    rows = np.array([[1, 2], [3, 4]], np.float32)
    nodes = [message.node("MatMul", ["x", "across"], "made"), message.node("Mul", ["made", "twice"], "y")]
    across = np.array([[0, 1], [5, 0]], np.float32).T
    tensors = [message.tensor("across", across), message.tensor("twice", np.array(2, np.float32))]
    assert np.array_equal(run(nodes, tensors, rows), 2 * (rows @ across))
