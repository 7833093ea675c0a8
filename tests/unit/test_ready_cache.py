"""The window of what comes next: a hint that must not hide, starve or repeat what is ready."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.clock import FIRST, NEVER
from graphvine.queries import library
from graphvine.ready_cache import FRESH, RESUMED, ReadyCache, Scanned, Window, scan_ready, spans

Row = dict[str, Any]


def row(seq: int, depth: int = 0, due: int = 0, lost: int = 0, state: str = "discovered", lease: int = 0) -> Row:
    return {
        "seq": seq,
        "key": str(seq),
        "depth": depth,
        "due": due,
        "lost_claims": lost,
        "state": state,
        "lease": lease,
    }


class Table:
    """Rows that a window scans, and how often it did."""

    def __init__(self, *rows: Row) -> None:
        self.rows, self.scans = list(rows), 0

    def scan(self, size: int, now: int, lease: int = FRESH) -> Scanned:
        self.scans += 1
        ready = sorted(
            (one for one in self.rows if one["due"] <= now and one["lease"] == lease),
            key=lambda one: (one["depth"], one["seq"]),
        )
        waiting = [one["due"] for one in self.rows if now < one["due"] < NEVER and one["lease"] == lease]
        shown = ready[:size]
        end = (shown[-1]["depth"], shown[-1]["seq"]) if len(ready) > size else None
        return Scanned(shown, end, min(waiting, default=NEVER))

    def window(self, size: int = 100) -> Window:
        return Window(lambda now: self.scan(size, now), size)

    def windows(self, size: int = 100) -> ReadyCache:
        return ReadyCache(lambda now, lease: self.scan(size, now, lease), size, "discovered")


def seqs(rows: list[Row]) -> list[int]:
    return [one["seq"] for one in rows]


def test_rows_come_in_claim_order_from_one_scan() -> None:
    table = Table(row(3), row(1, depth=2), row(2))
    window = table.window()
    assert [seqs(window.take(1, 0)) for _ in range(4)] == [[2], [3], [1], []]
    assert table.scans == 1


def test_beyond_its_end_it_scans_again() -> None:
    table = Table(*(row(seq) for seq in range(1, 8)))
    window = table.window(size=3)
    assert seqs(window.take(5, 0)) == [1, 2, 3]
    table.rows = table.rows[3:]
    assert seqs(window.take(5, 0)) == [4, 5, 6]


def test_what_is_offered_finds_its_place() -> None:
    window = Table(row(5), row(6, depth=1)).window()
    window.take(0, 0)
    window.add([row(9), row(2, depth=1), row(3, depth=2)], 0)
    assert seqs(window.take(9, 0)) == [5, 9, 2, 6, 3]


def test_what_is_offered_beyond_the_end_waits_for_the_scan() -> None:
    table = Table(*(row(seq) for seq in range(1, 6)))
    window = table.window(size=2)
    window.take(0, 0)
    window.add([row(9)], 0)
    assert seqs(window.take(9, 0)) == [1, 2]
    table.rows = [row(9), *table.rows[2:]]
    assert seqs(window.take(2, 0)) == [3, 4]


def test_a_row_that_backs_off_comes_when_it_is_due() -> None:
    window = Table().window()
    window.take(1, 1_000)
    window.add([row(1, due=1_500)], 1_000)
    assert window.next_due(1_000) == 1_500
    assert window.take(1, 1_499) == []
    assert seqs(window.take(1, 1_500)) == [1]
    assert window.next_due(1_500) is None


def test_a_row_offered_twice_for_one_moment_comes_once() -> None:
    window = Table().window()
    window.take(1, 0)
    window.add([row(1, due=10)], 0)
    window.add([row(1, due=10, lost=1)], 0)
    window.add([row(2, due=10)], 0)
    taken = window.take(9, 10)
    assert seqs(taken) == [1, 2] and taken[0]["lost_claims"] == 1, "as it was last known"


def test_a_row_that_was_backing_off_when_it_was_scanned_is_found_later() -> None:
    window = Table(row(1, due=5_000)).window()
    assert window.take(1, 0) == [] and window.next_due(0) == 5_000
    assert seqs(window.take(1, 5_000)) == [1]


def test_rows_that_come_due_one_after_another_do_not_cost_a_scan_each() -> None:
    table = Table(*(row(seq, due=1_000 + seq) for seq in range(100)))
    window = table.window()
    window.take(1, 0)
    for now in range(1_000, 1_100):
        window.take(1, now)
    assert table.scans <= 3


def test_a_suspect_is_taken_alone() -> None:
    window = Table(row(1), row(2, lost=2), row(3)).window()
    assert [seqs(window.take(9, 0)) for _ in range(4)] == [[1], [2], [3], []]


def test_states_and_depths_that_nobody_asked_for_stay() -> None:
    table = Table(row(1, state="odd"), row(2), row(3, depth=4))
    window = table.window()
    assert seqs(window.take(9, 0, {"discovered"}, max_depth=3)) == [2]
    assert seqs(window.take(9, 0, {"odd"})) == [1]
    assert seqs(window.take(9, 0)) == [3]


def test_dropped_it_scans_again() -> None:
    table = Table(row(1))
    window = table.window()
    window.take(1, 0)
    window.invalidate()
    assert seqs(window.take(1, 0)) == [1] and table.scans == 2


def test_what_goes_on_comes_before_what_starts() -> None:
    windows = Table(row(1), row(2, depth=5, lease=RESUMED, state="loaded")).windows()
    assert seqs(windows.take(9, 0)) == [2, 1]


def test_many_of_one_kind_do_not_hide_the_other() -> None:
    going_on = [row(seq, lease=RESUMED, state="loaded") for seq in range(1, 5)]
    windows = Table(*going_on, row(9)).windows(size=2)
    assert seqs(windows.take(9, 0, {"discovered"})) == [9]
    assert seqs(windows.take(9, 0, {"loaded"})) == [1, 2]


def test_a_suspect_of_one_kind_is_not_taken_beside_the_other() -> None:
    table = Table(row(1, lost=2), row(2, lease=RESUMED, state="loaded"))
    windows = table.windows()
    assert seqs(windows.take(9, 0)) == [2]
    assert seqs(windows.take(9, 0)) == [1]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50)), max_size=30),
    st.integers(1, 10),
    st.integers(1, 7),
)
def test_whatever_its_size_every_row_comes_once_in_order(
    given_rows: list[tuple[int, int]], size: int, count: int
) -> None:
    table = Table(*(row(seq, depth, due) for seq, (depth, due) in enumerate(given_rows)))
    expected = [seq for _, seq in sorted((depth, seq) for seq, (depth, _) in enumerate(given_rows))]
    window, seen = table.window(size), []
    while taken := window.take(count, 1_000):
        seen += seqs(taken)
        table.rows = [one for one in table.rows if one["seq"] not in seen]  # they are claimed
    assert seen == expected


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=60, unique=True), st.integers(1, 8))
def test_spans_hold_every_number_once_within_their_bounds(numbers: list[int], most: int) -> None:
    found = spans(numbers, most=most)
    assert len(found) <= most
    assert sorted(seq for span in found for seq in span["seqs"]) == sorted(numbers)
    for span in found:
        assert (span["lo"], span["hi"]) == (min(span["seqs"]), max(span["seqs"]))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([], []), ([5, 1, 3], [[1, 3, 5]]), ([1, 50_000, 2], [[1, 2], [50_000]])],
)
def test_spans_are_cut_where_numbers_lie_far_apart(numbers: list[int], expected: list[list[int]]) -> None:
    assert [span["seqs"] for span in spans(numbers)] == expected


class RestlessTable:
    """A table that other workers change between any two reads."""

    def __init__(self, rows: list[Row], changes: Callable[[dict[int, Row]], None]) -> None:
        self.rows, self._changes = {one["seq"]: one for one in rows}, changes

    def read(self, block: str, *, limit: int = 0, depth: int = 0, lo: int = 0, hi: int = NEVER, **_: int) -> list[Row]:
        ready = sorted(self.rows.values(), key=lambda one: (one["depth"], one["seq"]))
        there = [one for one in ready if one["depth"] == depth and lo <= one["seq"] <= hi]
        numbers = [one["seq"] for one in there]
        first, last = ready[0] if ready else {}, ready[-1] if ready else {}
        answer: dict[str, Callable[[], list[Row]]] = {
            "frontier": lambda: [
                {
                    "depth": first.get("depth"),
                    "lo": first.get("seq"),
                    "hi": last.get("seq"),
                    "ready": len(ready),
                    "earliest": min((one["due"] for one in ready), default=None),
                }
            ],
            "prioritised": lambda: [one for one in ready if one["due"] == FIRST][:limit],
            "ready_between": lambda: there[:limit],
            "frontier_at": lambda: [
                {"lo": min(numbers, default=None), "hi": max(numbers, default=None), "ready": len(there)}
            ],
            "ready_at": lambda: there[:limit],
            "ready": lambda: ready[:limit],
        }
        rows = answer[block.partition(".")[2]]()
        self._changes(self.rows)
        return rows

    def scan(self, size: int, pipeline: str = "article") -> Scanned:
        return scan_ready(self.read, library().machines[pipeline], 0, FRESH, size, NEVER)


def test_a_depth_that_others_empty_while_it_is_scanned_gives_way_to_the_next() -> None:
    def claim_the_nearest(rows: dict[int, Row]) -> None:
        rows.pop(min(rows))

    table = RestlessTable([row(1), *(row(seq, depth=1) for seq in range(2, 20))], claim_the_nearest)
    scanned = table.scan(5)
    assert scanned.rows
    assert {one["depth"] for one in scanned.rows} == {1}


def test_rows_discovered_between_two_reads_are_not_hidden() -> None:
    """More come than fit: those that were left out lie behind the end, and the next scan finds them."""
    table = RestlessTable(
        [row(seq) for seq in range(10, 15)], lambda rows: rows.update({9 - len(rows): row(9 - len(rows))})
    )
    scanned = table.scan(5)
    assert len(scanned.rows) == 5
    assert scanned.end is not None and scanned.end <= (0, 14)


@given(
    st.sampled_from(["article", "hn_item"]), st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 10),
    st.lists(st.tuples(st.booleans(), st.integers(0, 60), st.integers(0, 3)), max_size=40),
)  # fmt: skip
def test_whatever_others_do_a_scan_holds_every_row_that_stayed_ready_before_its_end(
    pipeline: str, depths: list[int], size: int, changes: list[tuple[bool, int, int]]
) -> None:
    ordered = pipeline == "article"
    left = iter(changes)
    gone: set[int] = set()

    def change(rows: dict[int, Row]) -> None:
        for comes, seq, depth in [one for one in (next(left, None), next(left, None)) if one is not None]:
            if comes:
                rows.setdefault(100 + seq, row(100 + seq, depth=depth if ordered else 0))
            elif rows.pop(seq, None):
                gone.add(seq)

    before = {(depth if ordered else 0, seq) for seq, depth in enumerate(depths)}
    scanned = RestlessTable([row(seq, depth=depth) for depth, seq in before], change).scan(size, pipeline)
    found = {(one["depth"], one["seq"]) for one in scanned.rows}
    stayed = {place for place in before if place[1] not in gone}
    assert len(scanned.rows) <= size
    assert {place for place in stayed if scanned.end is None or place < scanned.end} <= found
    assert not scanned.rows or sorted(found) == [(one["depth"], one["seq"]) for one in scanned.rows]
