"""The queues that Graphvine's claims are measured against: one module a peer."""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from support.contender import Contender, Unavailable

MODULES = ("litequeue_peer", "huey_peer", "persistqueue_peer", "procrastinate_peer")


def build(folder: Path, rows: int, opened: ExitStack) -> tuple[list[Contender], list[str]]:
    """Every peer that this machine can run, filled with `rows` items, and one line for each that it can't."""
    contenders: list[Contender] = []
    missing: list[str] = []
    for module in MODULES:
        try:
            contender: Contender = import_module(f"peers.{module}").build(folder / f"{module}-{rows}")
        except Unavailable as reason:
            missing.append(str(reason))
        else:
            opened.callback(contender.close)
            contender.fill(rows)
            contenders.append(contender)
    return contenders, missing
