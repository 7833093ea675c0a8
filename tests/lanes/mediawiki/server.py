"""A running test wiki, and the ways to make it fail."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from urllib.request import urlopen

import psutil

from tests.lanes.mediawiki.build import HERE, environment, memory_folder, run_script, template
from tests.support.waiting import WAIT_LIMIT, eventually
from tests.tools.parts import MEDIAWIKI_CODE

_WORKERS = "4"


class TestWiki:
    """A copy of the built wiki, served on loopback."""

    __test__ = False

    def __init__(self) -> None:
        self._languages = template() / "languages"
        _remove_left_over()
        self.folder = Path(tempfile.mkdtemp(prefix=f"wiki-{os.getpid()}-", dir=memory_folder()))
        shutil.copytree(template() / "data", self.folder / "data")
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/api.php"

    @property
    def port(self) -> int:
        return self._port

    def start(self) -> None:
        """Serve; returns when the first answer came."""
        php = ["php", "-d", "opcache.enable_cli=1", "-S", f"127.0.0.1:{self._port}", "-t", str(MEDIAWIKI_CODE)]
        log = (self.folder / "server.log").open("ab")
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "leash.py"), *php],
            env={**environment(self.folder, self._languages, self._port), "PHP_CLI_SERVER_WORKERS": _WORKERS},
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        eventually(self._answers)

    def kill(self) -> None:
        """End the server at once: connections are refused from here on."""
        if self._process:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process = None

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Stop the server without closing anything: it accepts connections and says nothing."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self._process.pid, signal.SIGCONT)

    @contextmanager
    def down(self) -> Iterator[None]:
        """No server for a while."""
        self.kill()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def faults(self, **faults: str | int) -> Iterator[None]:
        """Switch faults on that LocalSettings.php reads at each request."""
        file = self.folder / "faults.json"
        file.write_text(json.dumps(faults))
        try:
            yield
        finally:
            file.unlink()

    @contextmanager
    def without_database(self) -> Iterator[None]:
        """Take the database away: a real error of the server."""
        database = self.folder / "data" / "testwiki.sqlite"
        away = database.with_suffix(".away")
        database.rename(away)
        try:
            yield
        finally:
            # The server may have made an empty one meanwhile.
            away.replace(database)

    def edit(self, title: str, text: str) -> None:
        """Give a page a new text."""
        run_script(self.folder, self._languages, "edit.php", "--user", "Admin", title, text=text)

    def _answers(self) -> None:
        try:
            with urlopen(f"{self.url}?action=query&meta=siteinfo&format=json", timeout=WAIT_LIMIT) as answer:
                assert "query" in json.load(answer)
        except OSError as error:
            raise AssertionError("the test wiki does not answer") from error

    def __enter__(self) -> TestWiki:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        shutil.rmtree(self.folder)


def _remove_left_over() -> None:
    """Remove the copies of test runs that were killed."""
    for folder in memory_folder().glob("wiki-*-*"):
        if not psutil.pid_exists(int(folder.name.split("-")[1])):
            shutil.rmtree(folder)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
