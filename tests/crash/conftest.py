"""The crash suite: its processes are forked from a warm server, and its stores are made by processes of their own."""

from __future__ import annotations

import pytest

from tests.support.processes import prepare


@pytest.fixture(scope="session", autouse=True)
def warm_server(engine_name: str) -> None:
    prepare(engine_name, "tests.support.warm", "tests.crash.scenes", "tests.crash.load")
