"""A throw-away PostgreSQL that listens on a Unix socket in a folder of its own, and nowhere else."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from support.contender import Unavailable

STARTUP_SECONDS = 30
UNPRIVILEGED = ("postgres", "nobody")
PR_SET_PDEATHSIG = 1


def binary(name: str) -> Path:
    """A server program: on the PATH, or where distributions put it."""
    on_path = shutil.which(name)
    if on_path:
        return Path(on_path)
    known = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}")) + sorted(Path("/usr").glob(f"pgsql*/bin/{name}"))
    if not known:
        raise Unavailable(f"procrastinate not measured: PostgreSQL's {name} is not on this machine")
    return known[-1]


def account() -> str | None:
    """The user to run the server as: PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return None
    for name in UNPRIVILEGED:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise Unavailable(f"procrastinate not measured: PostgreSQL can't run as root, and there is no {UNPRIVILEGED}")


def die_with_parent() -> None:
    """Ask the kernel to stop the server when this process is gone, however it went."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


class Cluster:
    """One server process with one folder; `close` ends both."""

    def __init__(self) -> None:
        initdb, postgres, user = str(binary("initdb")), str(binary("postgres")), account()
        self.folder = Path(tempfile.mkdtemp(prefix="graphvine-postgres-"))
        if user is not None:
            shutil.chown(self.folder, user, pwd.getpwnam(user).pw_gid)
        data = str(self.folder / "data")
        command = [
            initdb,
            "-D",
            data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
        ]
        subprocess.run(command, check=True, user=user, cwd=self.folder, stdout=subprocess.DEVNULL)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "logging_collector": "off",
        }
        # The defaults, named because the race depends on them.
        settings |= {
            "fsync": "on",
            "synchronous_commit": "on",
            "full_page_writes": "on",
            "max_wal_size": "4GB",
        }
        flags = [f"--{key}={value}" for key, value in settings.items()]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [postgres, "-D", data, *flags],
                user=user,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )
        try:
            self.wait()
        except BaseException:
            self.close()
            raise

    def dsn(self, database: str = "postgres") -> str:
        return f"host={self.folder} user=postgres dbname={database}"

    def wait(self) -> None:
        import psycopg

        limit = time.monotonic() + STARTUP_SECONDS
        while True:
            try:
                psycopg.connect(self.dsn()).close()
                return
            except psycopg.OperationalError:
                if self.process.poll() is not None or time.monotonic() > limit:
                    log = (self.folder / "log").read_text(errors="replace")
                    raise RuntimeError(f"PostgreSQL did not start:\n{log}") from None
                time.sleep(0.05)

    def execute(self, script: str, database: str = "postgres") -> None:
        """Run the statements of a script one by one, each committed by itself."""
        import psycopg

        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            for statement in filter(None, map(str.strip, script.split(";"))):
                connection.execute(statement.encode())

    def close(self) -> None:
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(STARTUP_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)
