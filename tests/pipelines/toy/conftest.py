"""A pipeline that `graphvine new pipeline` has written, installed beside the package and known by its entry point."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import servers
from tests.support.waiting import WAIT_LIMIT
from tests.tools.package_tree import REPOSITORY

COMMAND = Path(sys.executable).with_name("graphvine")


@dataclass(frozen=True)
class Toy:
    """Its folder, and the folder that it is installed into."""

    project: Path
    site: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which a process knows the pipeline, without a setting."""
        return {**os.environ, "PYTHONPATH": str(self.site), "PYTHONUNBUFFERED": "1"}

    def run(self, *command: str, cwd: Path, status: int = 0) -> str:
        """What a process that knows the pipeline prints."""
        done = subprocess.run(
            [str(part) for part in command], cwd=cwd, env=self.environment, capture_output=True, text=True,
            timeout=4 * WAIT_LIMIT,
        )  # fmt: skip
        assert done.returncode == status, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def graphvine(self, *arguments: str, cwd: Path, status: int = 0) -> str:
        return self.run(str(COMMAND), *arguments, cwd=cwd, status=status)

    def pytest(self, *arguments: str, engine: str) -> str:
        """Tests of this repository, on the same engine as this run; on a server, on the same server."""
        environment = {servers.OWN_SERVER: servers.address()} if engine == "neo4j" else {}
        if engine == "neo4j":
            servers.empty(servers.address(), wholly=True)
        command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--engine", engine, *arguments)
        done = subprocess.run(
            command, cwd=REPOSITORY, env=self.environment | environment, capture_output=True, text=True,
            timeout=12 * WAIT_LIMIT,
        )  # fmt: skip
        assert done.returncode == 0, f"{arguments}\n{done.stdout[-5000:]}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """Written by the command and installed from a wheel, without the network; nothing of the package is edited."""
    home = tmp_path_factory.mktemp("toy")
    made = Toy(home / "toy", home / "site")
    made.run(str(COMMAND), "new", "pipeline", "toy", "--folder", str(home), cwd=home)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
           "--no-build-isolation", "--no-index", "--target", str(made.site), str(made.project))  # fmt: skip
    made.run(*pip, cwd=home)
    return made
