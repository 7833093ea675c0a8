"""A real Neo4j on loopback: started from its jars with a small heap, a free port and a folder to throw away."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

from tests.support.waiting import WAIT_LIMIT
from tests.tools import neo4j_jars

USER, PASSWORD = "neo4j", "grows-on-walls"
_OPENED = tuple(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.nio", "java.io", "sun.nio.ch"))


class Neo4jServer:
    """One server process; its folder outlives a stop, so that it can be started again with what it holds."""

    def __init__(self, folder: Path, *, port: int | None = None, heap_mb: int = 512) -> None:
        self.folder, self.port, self.heap_mb = folder, port or free_port(), heap_mb
        self.process: subprocess.Popen[bytes] | None = None
        (folder / "conf").mkdir(parents=True)
        (folder / "conf" / "neo4j.conf").write_text(
            "server.default_listen_address=127.0.0.1\n"
            f"server.bolt.listen_address=127.0.0.1:{self.port}\n"
            f"server.bolt.advertised_address=127.0.0.1:{self.port}\n"
            "server.http.enabled=false\n"
            "server.https.enabled=false\n"
            "dbms.security.auth_enabled=true\n"
            "server.memory.pagecache.size=128m\n"
            "dbms.usage_report.enabled=false\n"
        )

    @property
    def address(self) -> str:
        """Without name and password."""
        return f"neo4j://127.0.0.1:{self.port}"

    @property
    def where(self) -> str:
        return f"neo4j://{USER}:{PASSWORD}@127.0.0.1:{self.port}"

    def start(self) -> Neo4jServer:
        """Start it, and come back when it answers."""
        heap = (f"-Xms{self.heap_mb // 2}m", f"-Xmx{self.heap_mb}m", "-XX:+UseSerialGC")
        home = (f"--home-dir={self.folder}", f"--config-dir={self.folder / 'conf'}")
        jars = ("-cp", f"{neo4j_jars.lib()}/*")
        command = ("java", *heap, *jars, *_OPENED, "org.neo4j.server.CommunityEntryPoint", *home)
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        end = time.monotonic() + WAIT_LIMIT
        while not answers(self.port):
            if self.process.poll() is not None or time.monotonic() > end:
                tail = (self.folder / "server.log").read_text(errors="replace")[-2_000:]
                self.kill()
                raise RuntimeError(f"the Neo4j server did not start:\n{tail}")
            time.sleep(0.05)
        self._log_in()
        return self

    def _log_in(self) -> None:
        """A new server lets its first user do nothing but choose a password."""
        import neo4j

        marked = self.folder / "password-chosen"
        if not marked.exists():
            with neo4j.GraphDatabase.driver(self.address, auth=(USER, USER)) as driver:
                chosen = f"ALTER CURRENT USER SET PASSWORD FROM '{USER}' TO '{PASSWORD}'"
                driver.execute_query(chosen, database_="system")
            marked.touch()

    def stop(self) -> None:
        """Ask it to end, as an administrator would."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(WAIT_LIMIT)
            self.process = None

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(WAIT_LIMIT)
            self.process = None

    def remove(self) -> None:
        """The folder is to be thrown away, so there is no need to end gently: that takes ten seconds."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    """Whether somebody speaks Bolt there: the port alone is open some time before the server is."""
    offer = bytes.fromhex("6060b017" + "00000405" + "00000004" + "00000000" + "00000000")
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(offer)
            return len(connection.recv(4)) == 4
    except OSError:
        return False
