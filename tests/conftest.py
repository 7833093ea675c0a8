"""What every test folder shares: the options, and an environment that nobody's own settings reach."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support import servers
from tests.support.fixtures import clock, graph, place, template  # noqa: F401  shared by every suite

# Tests that kill processes, start daemons, run benchmarks.
_LONG = re.compile(
    r"/crash/|/serve/|_kills\.py|_crash\.py|_benchmarks\.py|_model\.py|/test_(generated|intake|grow\w*|restarts)\.py"
)
ENGINES = ("kuzu", "ladybug", "neo4j", "http")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=ENGINES, default="kuzu", help="the engine under test, one per process")
    parser.addoption("--full", action="store_true", help="run the long counts")
    parser.addoption("--kills", type=int, help="how many processes the crash suite kills at random moments")


def pytest_configure(config: pytest.Config) -> None:
    for name in [name for name in os.environ if name.startswith("GRAPHVINE_")]:
        if not name.startswith("GRAPHVINE_TEST_"):
            del os.environ[name]
    # No deadline per example: a busy machine is not a fault. The suite's own timeout catches what hangs.
    settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("full", settings.get_profile("house"), max_examples=1000)
    settings.load_profile("full" if config.getoption("--full") else "house")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files of few and long tests first: where processes share the files, none waits for another at the end."""
    items.sort(key=lambda item: _LONG.search(item.path.as_posix()) is None)
    if not config.getoption("--full"):
        engine = str(config.getoption("--engine"))
        left_out = [item for item in items if _left_to_the_long_run(item, engine)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def _left_to_the_long_run(item: pytest.Item, engine: str) -> bool:
    """A server plans each statement anew: of the moves of pipelines other than articles it plays a sixteenth.

    The core lane plays all of them on the same texts, and each text is planned on the server by its own test. Of the
    many ways to lose a claim it plays a half. Ladybug and the line to a daemon run the statements that Kuzu runs: of
    the contract's tests one plays a half, the other a quarter.
    """
    drawn = zlib.crc32(item.name.encode())
    if engine == "neo4j" and item.path.name == "test_generated.py":
        return "[article" not in item.name and drawn % 16 != 0
    if engine == "neo4j":
        return item.path.name == "test_lost_claims.py" and drawn % 2 == 0
    if item.path.parent.name != "conformance":
        return False
    return {"ladybug": drawn % 2 == 0, "http": drawn % 4 != 0}.get(engine, False)


@pytest.fixture(scope="session")
def engine_name(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine chosen by --engine."""
    name = str(request.config.getoption("--engine"))
    if name == "neo4j" and (reason := servers.missing()):
        # On a laptop a lane without its parts is left out; in CI that would hide a check.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no Neo4j server: {reason}")
    yield name
    servers.stop()


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether --full asked for the long counts."""
    return bool(request.config.getoption("--full"))
