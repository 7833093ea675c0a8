"""Builds the test wiki once, from Debian's MediaWiki, and keeps it for later sessions."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from tests.lanes.mediawiki.pages import test_dump
from tests.support.waiting import WAIT_LIMIT
from tests.tools.parts import MEDIAWIKI_CODE

HERE = Path(__file__).parent
SETTINGS = HERE / "LocalSettings.php"


def memory_folder() -> Path:
    """A folder in memory where there is one: the import is some seven times faster there than on a disk."""
    shared = Path("/dev/shm")
    base = shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())
    folder = base / f"graphvine-tests-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise RuntimeError(f"{folder} belongs to somebody else")
    return folder


def template() -> Path:
    """The folder of a wiki that is ready to be copied; built on the first call, and when anything changed."""
    dump = test_dump()
    version = (MEDIAWIKI_CODE / "includes" / "Defines.php").read_bytes()
    parts = (dump, version, SETTINGS.read_bytes(), Path(__file__).read_bytes())
    digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:16]
    folder = memory_folder()
    built = folder / f"mediawiki-{digest}"
    with (folder / "mediawiki.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            for old in folder.glob("mediawiki-*"):
                shutil.rmtree(old)
            unfinished = folder / "mediawiki-unfinished"
            _build(unfinished, dump)
            unfinished.rename(built)
    return built


def environment(folder: Path, language_cache: Path, port: int = 0) -> dict[str, str]:
    """What PHP needs to know."""
    return {
        **os.environ,
        "MW_CONFIG_FILE": str(SETTINGS),
        "TEST_WIKI_FOLDER": str(folder),
        "TEST_WIKI_LANGUAGE_CACHE": str(language_cache),
        "TEST_WIKI_PORT": str(port or ""),
    }


def run_script(folder: Path, language_cache: Path, script: str, *arguments: str, text: str = "") -> None:
    """One of MediaWiki's maintenance scripts."""
    done = subprocess.run(
        ["php", str(MEDIAWIKI_CODE / "maintenance" / script), *arguments],
        env=environment(folder, language_cache),
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=WAIT_LIMIT,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{script} ended with {done.returncode}:\n{done.stdout[-3000:]}")


def _build(folder: Path, dump: bytes) -> None:
    for name in ("data", "conf", "languages"):
        (folder / name).mkdir(parents=True)
    _install(folder)
    (folder / "dump.xml").write_bytes(dump)
    for script, *arguments in (
        ("rebuildLocalisationCache.php", "--lang", "en", "--force"),
        ("importDump.php", "--quiet", "--no-updates", str(folder / "dump.xml")),
        ("rebuildall.php",),
        ("initSiteStats.php", "--update"),
    ):
        run_script(folder, folder / "languages", script, *arguments)
    _lose(folder / "data" / "testwiki.sqlite", "Lost_text")


def _install(folder: Path) -> None:
    """Make the empty database. The installer must not find settings of its own."""
    bare = {key: value for key, value in os.environ.items() if key != "MW_CONFIG_FILE"}
    installer = MEDIAWIKI_CODE / "maintenance" / "install.php"
    options = ["--dbtype", "sqlite", "--dbpath", str(folder / "data"), "--dbname", "testwiki", "--lang", "en"]
    address = ["--confpath", str(folder / "conf"), "--server", "http://127.0.0.1", "--scriptpath", ""]
    done = subprocess.run(
        ["php", str(installer), *options, *address, "--pass", "a long test passphrase", "Test wiki", "Admin"],
        env=bare,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=WAIT_LIMIT,
    )
    if done.returncode != 0:
        raise RuntimeError(f"install.php ended with {done.returncode}:\n{done.stdout[-3000:]}")


def _lose(database: Path, title: str) -> None:
    """Point a page's content to a text that is not there, as a damaged database does."""
    connection = sqlite3.connect(database)
    with connection:
        changed = connection.execute(
            "UPDATE content SET content_address = 'tt:999999' WHERE content_id = (SELECT slot_content_id FROM slots "
            "JOIN page ON page_latest = slot_revision_id WHERE page_namespace = 0 AND page_title = ?)",
            (title,),
        ).rowcount
    connection.close()
    if changed != 1:
        raise RuntimeError(f"{changed} texts of {title} instead of one")
