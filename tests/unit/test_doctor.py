"""The doctor finds what is wrong, says what to do, and finds nothing where nothing is."""

from __future__ import annotations

import pytest

from graphvine import doctor
from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.support.articles import linking, take_one
from tests.support.stores import Place


def test_a_sound_graph(graph: Graph) -> None:
    graph.seed("article", map(str, range(20)))
    claims = graph.claims("article", "w")
    claim = take_one(claims)
    claims.complete(claim, linking(graph, claim, ["x"]))
    looked: list[str] = []
    findings = graph.doctor(progress=looked.append)
    assert all(finding.ok for finding in findings)
    assert looked == [finding.check for finding in findings]
    by_check = {finding.check: finding.detail for finding in findings}
    assert by_check["count Article"] == "21 rows"
    assert by_check["keys Article"] == "21 keys found by their index"
    assert by_check["count LINKS_TO"] == "1 relationships"


def test_every_table_is_looked_at(graph: Graph) -> None:
    checks = {finding.check for finding in graph.doctor()}
    assert {f"count {table.name}" for table in graph.tables()} <= checks
    assert {f"keys {table.name}" for table in graph.tables() if table.kind == "NODE"} <= checks


def test_numbers_that_disagree_with_words(graph: Graph) -> None:
    graph.seed("article", ["a"])
    graph.engine.execute(["MATCH (a:Article) SET a.lease = 5"])
    (found,) = [finding for finding in graph.doctor() if not finding.ok]
    assert found.check == "numbers article" and "'a' (discovered)" in found.detail and found.advice


def test_words_that_are_no_states(graph: Graph) -> None:
    graph.seed("article", ["a"])
    graph.engine.execute(["MATCH (a:Article) SET a.expansion_state = 'lost in thought'"])
    (found,) = [finding for finding in graph.doctor() if finding.check == "states article"]
    assert not found.ok and "lost in thought" in found.detail and "discovered" in found.advice


def test_rows_behind_gaps_are_looked_at_too(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that were deleted leave gaps, so that the last ones stand further back than their count says."""
    graph.seed("article", map(str, range(40)))
    graph.engine.execute(["MATCH (a:Article) WHERE a.seq <= 30 DETACH DELETE a"])
    monkeypatch.setattr(doctor, "_ROWS_AT_ONCE", 10)
    details = {finding.check: finding.detail for finding in graph.doctor()}
    assert details["keys Article"] == "10 keys found by their index"


def test_what_opening_mended_is_told(graph: Graph, place: Place, clock: ManualClock) -> None:
    graph.close()
    with place.path.with_name(place.path.name + ".wal").open("ab") as log:
        log.write(b"half a record")
    with place.open(clock) as again:
        assert "13 unacknowledged bytes" in again.doctor()[0].detail
