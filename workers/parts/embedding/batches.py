"""Batches of texts of like length: padding is what costs."""

from __future__ import annotations

from collections.abc import Sequence


def plan_batches(lengths: Sequence[int], token_budget: int) -> list[list[int]]:
    """Positions grouped so that rows times the longest row stay within the budget; longest first.

    A text longer than the budget stands alone. Longest first lets threads end together: what is left
    over at the end is small.
    """
    order = sorted(range(len(lengths)), key=lambda position: -lengths[position])
    batches: list[list[int]] = []
    start = 0
    while start < len(order):
        rows = max(1, token_budget // max(1, lengths[order[start]]))
        batches.append(order[start : start + rows])
        start += rows
    return batches
