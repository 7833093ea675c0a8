"""What can go wrong on the way to a server: one clear sentence each, and no secret in any of them."""

from __future__ import annotations

import logging
import threading
from urllib.parse import urlsplit

import pytest

import graphvine
from graphvine.engines.neo4j.address import PASSWORD, USER, Neo4jSettings, parse_address, without_secrets
from graphvine.engines.neo4j.engine import Neo4jEngine
from graphvine.engines.neo4j.errors import PoolExhausted, ServerAway, ServerRefused, ServerTooOld
from graphvine.errors import StoreError, StoreMissing
from graphvine.settings import Settings
from tests.lanes.neo4j import old_bolt
from tests.support.neo4j_server import free_port
from tests.support.stores import Place


def refused(where: str, kind: type[StoreError]) -> str:
    with pytest.raises(kind) as raised:
        Neo4jEngine(where, Settings(), Neo4jSettings(connect_seconds=60, pool_seconds=60))
    sentence = str(raised.value)
    assert "\n" not in sentence and len(sentence) < 300
    return sentence


def test_a_wrong_password(place: Place) -> None:
    bare = without_secrets(place.where)
    host = urlsplit(place.where).netloc.rpartition("@")[2]
    sentence = refused(f"neo4j://neo4j:wrong-one@{host}", ServerRefused)
    assert sentence == (
        f"neo4j://{host} refuses the password of 'neo4j': check GRAPHVINE_NEO4J_USER and GRAPHVINE_NEO4J_PASSWORD,"
        " or the address"
    )
    assert bare.startswith(f"neo4j://{host}")


def test_no_password(place: Place) -> None:
    sentence = refused(without_secrets(place.where), ServerRefused)
    assert "asks for a name and a password: set GRAPHVINE_NEO4J_USER and GRAPHVINE_NEO4J_PASSWORD" in sentence


def test_the_password_may_come_from_the_environment(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    found = parse_address(place.where)
    monkeypatch.setenv(USER, found.user or "")
    monkeypatch.setenv(PASSWORD, found.password or "")
    with graphvine.open(without_secrets(place.where)) as graph:
        assert graph.read("graph.schema_versions")


@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
def test_no_server(scheme: str) -> None:
    port = free_port()
    sentence = refused(f"{scheme}://127.0.0.1:{port}", ServerAway)
    assert sentence.startswith(
        f"no Neo4j server answers at {scheme}://127.0.0.1:{port}: start it, or check the address"
    )


def test_a_name_that_leads_nowhere() -> None:
    assert "no Neo4j server answers" in refused("bolt://nowhere.invalid:7687", ServerAway)


@pytest.mark.parametrize("agent", ["Neo4j/5.12.0", "Neo4j/5.9-aura", "Memgraph/2.1"])
def test_an_old_server(agent: str) -> None:
    with old_bolt.server(agent, version=b"\0\0\3\5") as port:
        sentence = refused(f"bolt://127.0.0.1:{port}", ServerTooOld)
    assert sentence == (
        f"bolt://127.0.0.1:{port} is {agent}: Graphvine needs Neo4j 5.26 or newer, so upgrade the server"
    )


@pytest.mark.parametrize("version", [b"\0\0\4\4", b"\0\0\0\0"], ids=["version 4.4", "before that"])
def test_a_server_much_older(version: bytes) -> None:
    with old_bolt.server("Neo4j/4.4.42", version) as port:
        sentence = refused(f"bolt://127.0.0.1:{port}", ServerTooOld)
    assert f"bolt://127.0.0.1:{port} speaks no Bolt of Neo4j 5.26 or newer: upgrade the server" in sentence


def test_a_full_pool(place: Place) -> None:
    place.open().close()
    engine = Neo4jEngine(place.where, Settings(), Neo4jSettings(pool_size=1, pool_seconds=3, connect_seconds=60))
    try:
        with engine.snapshot() as rows:
            next(rows("MATCH (n) RETURN count(n)"))
            with pytest.raises(PoolExhausted, match=r"all connections to .* were in use.*GRAPHVINE_NEO4J_POOL_SIZE"):
                engine.read(engine.library.block("graph.pipelines"), {})
    finally:
        engine.close()


def test_a_database_that_is_not_there(place: Place) -> None:
    sentence = refused(f"{place.where.rstrip('/')}/nothing", StoreMissing)
    assert "there is no database 'nothing'" in sentence


def test_a_server_without_a_graph_is_not_given_one_by_looking(place: Place) -> None:
    bare = Place(place.engine, place.folder / "bare")
    bare.folder.mkdir()
    bare.open().close()
    empty = Place(place.engine, place.folder / "empty")
    empty.folder.mkdir()
    with pytest.raises(StoreMissing, match=r"there is no graph at neo4j://.* yet"):
        empty.open(create=False)


def test_secrets_stay_out_of_logs_and_names(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    password = parse_address(place.where).password or "none"
    caplog.set_level(logging.DEBUG)
    with place.open() as graph:
        graph.seed("article", ["a"])
        assert password not in repr(graph) + graph.where + repr(graph.engine) + repr(vars(graph))
    assert password not in caplog.text


def test_threads_share_the_connections(place: Place) -> None:
    """More threads than connections: they wait their turn."""
    place.open().close()
    engine = Neo4jEngine(place.where, Settings(), Neo4jSettings(pool_size=2))
    failed: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(5):
                engine.read(engine.library.block("graph.pipelines"), {})
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.close()
    assert not failed
