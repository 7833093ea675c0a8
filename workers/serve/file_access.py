"""Which files of this machine a request may name.

Backups and exports stay in one folder. What is read, such as a dump to grow from, may stand anywhere for commands that
the graph's owner runs on this machine: they could read it themselves. A token that was given to others reaches the
folder `serve.files_folder` alone, and no file where there is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphvine.core_requests import SeedRequest
from graphvine.errors import WriteRefused
from graphvine.read_only import is_inside
from graphvine.records import Step
from graphvine.requests import Request
from graphvine.table import as_dicts
from graphvine.workers import registry
from graphvine.workers.serve.app_state import AppState

_WRITING = frozenset({"backup", "export", "load"})


def check_request(app_state: AppState, request: Request[Any], *, owner: bool) -> None:
    """Raise WriteRefused where a request names a file that it may not."""
    if request.verb in _WRITING:
        folder = app_state.settings.files_folder or os.path.dirname(os.path.abspath(app_state.graph.where))
        for path in request.paths():
            if not is_inside(path, folder):
                raise WriteRefused(
                    f"the daemon makes backups and exports in {folder} alone, not at {path}: choose a place in it,"
                    " stop the daemon, or set serve.files_folder"
                )
    elif not owner:
        _check(app_state, request.paths())
        if isinstance(request, SeedRequest) and "seed" in _path_blocks(request.pipeline):
            _check(app_state, request.keys)


def check_steps(app_state: AppState, steps: Sequence[Step], *, owner: bool) -> None:
    """The same for steps of a unit, by which paths come into the queue of a pipeline."""
    if owner:
        return
    for step in steps:
        pipeline, _, block = step.block.partition(".")
        if field := _path_blocks(pipeline).get(block):
            given = as_dicts(step.parameters)
            _check(app_state, [str(row[field]) for row in given.get("rows", [given]) if row.get(field) is not None])


def _check(app_state: AppState, paths: Iterable[str]) -> None:
    folder = app_state.settings.files_folder
    for path in paths:
        if not folder or not is_inside(path, folder):
            raise WriteRefused(
                f"files of the daemon's machine are read for its owner's commands there alone, not {path[:200]!r}: run"
                " the command on that machine, send it with POST /uploads, or name its folder in serve.files_folder"
            )


def _path_blocks(pipeline: str) -> Mapping[str, str]:
    declared = registry.pipelines().get(pipeline)
    return declared.path_blocks if declared is not None else {}
