"""The parts of the Neo4j engine that need no server: addresses, secrets, numbers, clocks, joined steps."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.clock import NEVER, ManualClock, SystemClock
from graphvine.engines import connect, without_secrets
from graphvine.engines.neo4j.address import PASSWORD, USER, Neo4jSettings, is_address, parse_address
from graphvine.engines.neo4j.connect import clock_offset
from graphvine.engines.neo4j.row_numbers import Numbers
from graphvine.engines.neo4j.steps import joined, parted
from graphvine.errors import SettingsError, StoreError
from graphvine.queries import library
from graphvine.ready_cache import spans
from graphvine.records import Step, Unit, UnitResult
from graphvine.settings import Settings, section


@pytest.mark.parametrize(
    ("where", "uri", "database", "user", "password"),
    [
        ("neo4j://db.example:7687", "neo4j://db.example:7687", "", None, None),
        ("bolt://ann:s%40fe@10.0.0.7", "bolt://10.0.0.7", "", "ann", "s@fe"),
        ("neo4j+s://ann:pw@db.example/wiki", "neo4j+s://db.example", "wiki", "ann", "pw"),
        ("neo4j://db/wiki?policy=eu", "neo4j://db?policy=eu", "wiki", None, None),
        ("bolt+ssc://[::1]:7687/", "bolt+ssc://[::1]:7687", "", None, None),
    ],
)
def test_addresses(where: str, uri: str, database: str, user: str | None, password: str | None) -> None:
    assert is_address(where)
    found = parse_address(where)
    assert (found.uri, found.database, found.user, found.password) == (uri, database, user, password)


@pytest.mark.parametrize("where", ["wiki.kuzu", "ladybug:wiki", "neo4j", "neo4j.kuzu", "./bolt:", "http://x"])
def test_what_is_no_address(where: str) -> None:
    assert not is_address(where)


@pytest.mark.parametrize("where", ["neo4j://", "neo4j://:7687", "neo4j://host:port", "neo4j://h/a/b", "bolt://ann:pw@"])
def test_a_broken_address_is_told_without_its_password(where: str) -> None:
    with pytest.raises(SettingsError, match="is not a valid address") as raised:
        parse_address(where)
    assert "pw" not in str(raised.value)


def test_name_and_password_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "from outside")
    assert parse_address("neo4j://h").user == "neo4j", "the first user of every server"
    monkeypatch.setenv(USER, "ann")
    found = parse_address("neo4j://h")
    assert (found.user, found.password) == ("ann", "from outside")
    assert parse_address("neo4j://bob:own@h").password == "own", "the address comes first"


SECRET = st.text(st.characters(categories=("L", "N")), min_size=4, max_size=20).filter(
    lambda text: text not in "neo4j://host"
)


@given(SECRET)
def test_a_password_is_never_shown(secret: str) -> None:
    where = f"neo4j://ann:{secret}@host:7687/wiki"
    found = parse_address(where)
    for shown in (repr(found), str(found), found.shown, without_secrets(where)):
        assert secret not in shown or secret in "Address(uri= database='wiki' user='ann') neo4j://host:7687/wiki"


def test_no_server_is_told_without_the_password() -> None:
    with pytest.raises(StoreError, match=r"no Neo4j server answers at bolt://127\.0\.0\.1:9: start it") as raised:
        connect("bolt://ann:very-secret@127.0.0.1:9", Settings(), create=True)
    assert "very-secret" not in str(raised.value) and "very-secret" not in repr(raised.value)


@pytest.mark.parametrize(
    ("where", "clear"),
    [
        ("neo4j://a:b@db.example", True), ("neo4j+s://a:b@db.example", False), ("neo4j://a:b@127.0.0.1", False),
        ("bolt://a:b@localhost", False), ("neo4j://db.example", False), ("bolt://a:b@10.0.0.7", True),
    ],
)  # fmt: skip
def test_a_password_in_the_clear_is_noticed(where: str, clear: bool) -> None:
    assert parse_address(where).in_the_clear == clear


def test_settings_have_a_table_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHVINE_NEO4J_POOL_SIZE", "7")
    monkeypatch.setenv(PASSWORD, "not a setting")
    assert section(Neo4jSettings, "neo4j").pool_size == 7


def test_numbers_grow_with_time_and_fit() -> None:
    numbers = Numbers()
    first, then = numbers.take(10_000), numbers.take(3)
    assert len(first) == 10_000 and len(then) == 3
    assert max(first) < min(then)
    assert min(first) > 0 and max(then) < 1 << 63 and NEVER < 1 << 63
    assert Numbers(offset_ms=65 * 365 * 86_400_000).take(1)[0] < 1 << 63, "in 65 years too"


def test_two_processes_give_out_different_numbers() -> None:
    one, other = Numbers(), Numbers()
    while one.take(1)[0] % 4096 == other.take(1)[0] % 4096:
        other.renew()
    first, then = set(one.take(50_000)), set(other.take(50_000))
    assert not first & then


def test_new_bits_are_other_bits() -> None:
    numbers = Numbers()
    for _ in range(20):
        before = numbers.take(1)[0] % 4096
        numbers.renew()
        assert numbers.take(1)[0] % 4096 != before


@pytest.mark.parametrize("ahead_ms", [0, 5_000, -3_600_000])
def test_the_server_s_clock_is_compared_with_ours(ahead_ms: int) -> None:
    found = clock_offset(lambda: time.time_ns() // 1_000_000 + ahead_ms)
    assert abs(found - ahead_ms) <= 20


def test_a_clock_that_is_given_is_taken_at_its_word() -> None:
    assert abs(SystemClock(60_000).now_ms() - SystemClock().now_ms() - 60_000) < 1_000
    assert ManualClock(5).now_ms() == 5


def step(block: str, seqs: list[int], **given: object) -> list[Step]:
    return [Step(block, {**span, **given}) for span in spans(seqs)]


def test_steps_that_differ_in_their_rows_alone_become_one() -> None:
    far_apart = [1, 1_000_000, 2_000_000]
    unit = Unit.of(
        [
            *step("article.claim", far_apart, token=5),
            *step("article.claim", far_apart, token=6),
            Step("article.counts", {}),
        ]
    )
    shorter, places = joined(unit, library("neo4j"))
    assert [s.block for s in shorter.steps] == ["article.claim", "article.claim", "article.counts"]
    assert places == [0, 0, 0, 1, 1, 1, 2]
    assert shorter.steps[0].parameters == {"seqs": far_apart, "lo": 1, "hi": 2_000_000, "token": 5}
    answers = UnitResult(([{"seq": 1}, {"seq": 2_000_000}], [], [{"x": 1}]), frozenset({1}))
    assert parted(unit, library("neo4j"), places, answers).rows == (
        [{"seq": 1}],
        [],
        [{"seq": 2_000_000}],
        [],
        [],
        [],
        [{"x": 1}],
    )


@given(st.lists(st.lists(st.integers(1, 1 << 40), min_size=1, max_size=30, unique=True), max_size=5))
def test_no_row_gets_lost_in_joining(batches: list[list[int]]) -> None:
    unit = Unit.of(s for number, seqs in enumerate(batches) for s in step("article.claim", seqs, token=number))
    shorter, places = joined(unit, library("neo4j"))
    assert len(shorter.steps) == len(batches)
    rows = tuple([{"seq": seq} for seq in s.parameters["seqs"]] for s in shorter.steps)
    found = parted(unit, library("neo4j"), places, UnitResult(rows, frozenset())).rows
    assert [[row["seq"] for row in answer] for answer in found] == [s.parameters["seqs"] for s in unit.steps]
