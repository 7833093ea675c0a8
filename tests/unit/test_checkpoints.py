"""When a checkpoint is wanted."""

from __future__ import annotations

import pytest

from graphvine.engines.kuzu.checkpoints import CheckpointPolicy, bytes_held
from graphvine.queries.compile import Statement, columns_set
from graphvine.queries.model import By

MB = 1 << 20


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("MATCH (a:A) RETURN a.x", 0),
        ("MATCH (a:A) SET a.x = 1", 1),
        ("MATCH (a:A) WHERE a.y = 2 SET a.x = 1, a.z = a.z + 1 RETURN a.seq AS seq", 2),
        ("MERGE (a:A {k: $k}) ON CREATE SET a.x = 1, a.y = 2 RETURN a.x = 1 AS made", 0),
        ("MERGE (a:A {k: $k}) ON CREATE SET a.x = 1 SET a.y = 2", 1),
        ("match (a:A) set a.x = 1 with a match (b:B) set b.y = 2, b.z = 3", 3),
    ],
)
def test_columns_that_a_statement_sets(text: str, columns: int) -> None:
    assert columns_set(text) == columns


def setting(columns: int, rows: str = "") -> Statement:
    """A statement that sets so many columns of rows that are named by their numbers."""
    batch = By(rows, "lo", "hi") if rows else None
    return Statement("", "", columns_set=columns, rows=rows, by_number=bool(rows), batch=batch)


def test_rows_near_each_other_hold_less_than_rows_all_over() -> None:
    near = bytes_held(setting(3, "seqs"), {"seqs": list(range(1000))})
    spread = bytes_held(setting(3, "seqs"), {"seqs": list(range(0, 1_000 * 2_048, 2_048))})
    assert near == 3 * 16 * 1024 < spread
    assert bytes_held(setting(2), {"key": "one row"}) == 2 * 16 * 1024
    assert bytes_held(setting(0, "seqs"), {"seqs": [1, 2]}) == 0


def policy() -> CheckpointPolicy:
    return CheckpointPolicy(memory_budget=MB, log_budget=MB, most=4 * MB)


def test_nothing_written_asks_for_nothing() -> None:
    assert not policy().wanted(0, now=1e6)


def test_memory_or_a_long_log_ask_for_one() -> None:
    assert policy().wanted(MB, now=1e6)
    full = policy()
    full.ran(setting(1, "seqs"), {"seqs": [number << 11 for number in range(64)]}, 64)
    assert full.held == MB and full.wanted(0, now=1e6)


def test_checkpoints_take_a_small_share_of_the_time() -> None:
    busy = policy()
    busy.done(started=100.0, ended=101.0)
    assert not busy.wanted(MB, now=102.0)
    assert not busy.wanted(MB, now=119.9)
    assert busy.wanted(MB, now=120.1), "one second in twenty"


def test_memory_that_runs_short_does_not_wait() -> None:
    busy = policy()
    busy.done(started=100.0, ended=101.0)
    assert not busy.wanted(4 * MB - 1, now=101.0)
    assert busy.wanted(4 * MB, now=101.0), "the log's rows are in memory as well"
    busy.held = 4 * MB
    assert busy.wanted(0, now=101.0)


def test_after_one_nothing_is_held() -> None:
    done = policy()
    done.held = 9 * MB
    done.done(started=1.0, ended=1.1)
    assert done.held == 0 and not done.wanted(0, now=1e6)


def test_one_that_readers_put_off_is_tried_again_later() -> None:
    late = policy()
    late.held = 2 * MB
    assert late.wanted(0, now=1e6)
    late.postponed(now=1e6)
    assert not late.wanted(0, now=1e6 + 0.01)
    assert late.wanted(0, now=1e6 + 10)
