"""What every test folder shares: the options, and an environment that nobody's own settings reach."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from graphvine.engines.kuzu import database
from tests.support import servers
from tests.support.fixtures import clock, graph, place, template  # noqa: F401  shared by every suite
from tests.tools.pytest_runs import LEFT_OUT_VARIABLE

ENGINES = ("kuzu", "ladybug", "neo4j", "http")
FULL_SECONDS = 4 * 3600  # in which a test with the long counts has to end, or it hangs


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=ENGINES, default="kuzu", help="the engine under test, one per process")
    parser.addoption("--full", action="store_true", help="run the long counts")
    parser.addoption("--kills", type=int, help="how many processes the crash suite kills at random moments")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the files, and the tests of each, in this order")


def keep_memory() -> None:
    """Graphs are opened and closed thousands of times in a process: what one gives back, the next fetches again."""
    database.give_back = lambda: None


@pytest.hookimpl(tryfirst=True)  # before pytest-timeout reads its options
def pytest_configure(config: pytest.Config) -> None:
    for name in [name for name in os.environ if name.startswith("GRAPHVINE_")]:
        if not name.startswith("GRAPHVINE_TEST_"):
            del os.environ[name]
    keep_memory()
    # What a test trusts is forgotten with it.
    os.environ["XDG_CONFIG_HOME"] = os.environ.get("GRAPHVINE_TEST_CONFIG") or tempfile.mkdtemp(
        prefix="graphvine-test-"
    )
    os.environ["GRAPHVINE_TEST_CONFIG"] = os.environ["XDG_CONFIG_HOME"]
    # No deadline per example: a busy machine is not a fault. The suite's own timeout catches what hangs.
    settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("full", settings.get_profile("house"), max_examples=1000)
    settings.load_profile("full" if config.getoption("--full") else "house")
    if config.getoption("--full"):
        config.option.timeout = config.option.timeout or FULL_SECONDS


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    files = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    if (seed := config.getoption("--shuffle")) is not None:
        chance = random.Random(seed)
        chance.shuffle(files)
        for tests in files:
            chance.shuffle(tests)
    else:
        # Files with tests that take long first: where processes share the files, none waits for another at the end.
        files.sort(key=lambda tests: not any(item.get_closest_marker("long") for item in tests))
    items[:] = [item for tests in files for item in tests]
    for item in items:
        marker = item.get_closest_marker("long")
        if marker is not None and not (marker.args and marker.args[0]):
            raise pytest.UsageError(f"{item.nodeid}: say why it takes long: @pytest.mark.long('...')")


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Tell the lane runner how many tests it did not ask for."""
    if path := os.environ.get(LEFT_OUT_VARIABLE):
        Path(path).write_text(str(len(items)))


def pytest_collection_finish() -> None:
    """From here on the tests start processes, of which some run pytest: what these leave out is their own affair."""
    os.environ.pop(LEFT_OUT_VARIABLE, None)


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
