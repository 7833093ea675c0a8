"""What somebody prioritised comes first in the window, and keeps nobody from what comes next."""

from __future__ import annotations

from graphvine.clock import FIRST, NEVER
from graphvine.ready_cache import Scanned, Window
from tests.unit.test_ready_cache import RestlessTable, row


def test_what_was_prioritised_comes_first_whatever_the_scan_holds() -> None:
    rows = [row(seq, depth=seq // 10) for seq in range(40)]
    rows[35] |= {"due": FIRST}
    rows[3] |= {"due": FIRST}
    for size in (5, 12, 100):
        window = Window(lambda now, size=size: RestlessTable(rows, lambda _: None).scan(size), size)  # type: ignore[misc]
        assert [one["seq"] for one in window.take(4, 1)] == [3, 35, 0, 1]


def test_what_was_prioritised_beyond_the_depth_keeps_nobody_waiting() -> None:
    rows = [row(seq, depth=0) for seq in range(12)] + [{**row(99, depth=9), "due": FIRST}]
    table = RestlessTable(rows, lambda _: None)
    window, taken = Window(lambda now: table.scan(5), 5), list[int]()
    while more := window.take(3, 1, max_depth=2):
        for one in more:
            taken.append(one["seq"])
            del table.rows[one["seq"]]
    assert taken == list(range(12))
    assert [one["seq"] for one in window.take(3, 1)] == [99]


def test_a_row_that_is_prioritised_in_the_window_moves_to_its_front() -> None:
    window = Window(lambda now: Scanned([row(seq) for seq in range(5)], None, NEVER), 100)
    assert [one["seq"] for one in window.take(1, 0)] == [0]
    window.add([{**row(4), "due": FIRST}], 5)
    assert [one["seq"] for one in window.take(9, 5)] == [4, 1, 2, 3]
