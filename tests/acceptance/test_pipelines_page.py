"""docs/pipelines.md, block by block: files are written, commands are run, and what they are to print is printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import WAIT_LIMIT, eventually
from tests.tools.package_tree import REPOSITORY

PAGE = REPOSITORY / "docs" / "pipelines.md"
_BLOCK = re.compile(r"^```(\w+)(?: (.+?))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:8420"


class Reader:
    """Somebody who does what the page says, in an empty folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._said = self._address = ""
        self._daemon: subprocess.Popen[bytes] | None = None
        bin_folder = Path(sys.executable).parent
        site = folder / "site"
        self._environment = {
            **os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "200",
            "GRAPHVINE_SERVE_PORT": "0", "PYTHONPATH": str(site),
            # An installation that needs no network, and leaves this environment as it is.
            "PIP_TARGET": str(site), "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }  # fmt: skip

    def does(self, kind: str, more: str, text: str) -> None:
        if kind in ("python", "cypher"):
            with (self._folder / more.removeprefix(">> ")).open("a" if more.startswith(">>") else "w") as file:
                file.write(text)
        elif kind == "text":
            for line in text.splitlines():
                assert line.strip() in self._said, f"{line!r} is not in:\n{self._said}"
        elif more == "daemon":
            self._start(text)
        else:
            assert kind == "sh", f"what is a block of {kind!r}?"
            self._said = "".join(self._run(line) for line in text.splitlines())

    def _run(self, line: str) -> str:
        if line.startswith("cd "):
            self._folder = (self._folder / line.removeprefix("cd ")).resolve()
            return ""
        done = subprocess.run(
            ["bash", "-c", line.replace(ADDRESS, self._address)], cwd=self._folder, env=self._environment,
            capture_output=True, text=True, timeout=WAIT_LIMIT,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _start(self, text: str) -> None:
        self._daemon = subprocess.Popen(
            text.split(), cwd=self._folder, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

        def serves() -> str:
            found = list(self._folder.glob("*.service"))
            assert found, "it does not serve yet"
            said = json.loads(found[0].read_text("utf-8"))
            assert said.get("address"), said
            return str(said["address"])

        self._address = eventually(serves)

    def leaves(self) -> None:
        if self._daemon is not None:
            self._daemon.terminate()
            self._daemon.wait(WAIT_LIMIT)


@pytest.mark.long("does the whole tutorial, some twenty processes")
def test_a_reader_gets_from_an_empty_folder_to_a_working_pipeline(tmp_path: Path) -> None:
    blocks = _BLOCK.findall(PAGE.read_text("utf-8"))
    assert {kind for kind, _, _ in blocks} == {"sh", "text", "python", "cypher"}
    reader = Reader(tmp_path)
    try:
        for block in blocks:
            reader.does(*block)
    finally:
        reader.leaves()
