"""An environment with Graphvine installed from its wheel, made without the network."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from tests.support.waiting import WAIT_LIMIT
from tests.tools.package_tree import REPOSITORY


def build_wheel(source: Path, target: Path) -> Path:
    command = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--no-build-isolation", "--wheel-dir", str(target), str(source))  # fmt: skip
    subprocess.run(command, check=True, timeout=WAIT_LIMIT)
    [wheel] = target.glob("graphvine-*.whl")
    return wheel


def environment_with(wheel: Path, folder: Path, installer: str = "pip") -> Path:
    """A new environment with this wheel; what it depends on is that of the tests. Returns its `graphvine`."""
    python = folder / "bin" / "python"
    if installer == "uv":
        uv = (sys.executable, "-m", "uv")
        subprocess.run(
            (*uv, "venv", "--quiet", "--offline", "--python", sys.executable, str(folder)),
            check=True,
            timeout=WAIT_LIMIT,
        )
        command = (*uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", str(python), str(wheel))
    else:
        venv.create(folder, with_pip=False)
        command = (sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps",
                   "--no-index", "--disable-pip-version-check", str(wheel))  # fmt: skip
    subprocess.run(command, check=True, timeout=WAIT_LIMIT)
    # Only adds the folder: the editable installation there is a .pth file, and those are not followed.
    (site(folder) / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "bin" / "graphvine"


def take_away(folder: Path, *packages: str) -> None:
    """Make packages look as if they were not installed."""
    lines = [f"import sys; sys.modules[{name!r}] = None\n" for name in packages]
    (site(folder) / "missing.pth").write_text("".join(lines))


def site(folder: Path) -> Path:
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))


def clone(target: Path) -> Path:
    """The files that a build needs, as a clone has them."""
    for folder in ("graph", "queries", "schema", "workers"):
        shutil.copytree(REPOSITORY / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in REPOSITORY.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, target)
    return target
