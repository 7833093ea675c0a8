"""Every hook of a pipeline, in one list.

A pipeline is a Python package whose `__init__.py` holds `PIPELINE = Pipeline(...)` (or a tuple of them),
with its statements in `queries/NAME.cypher` and its tables in `schema/NAME.cypher`. It is found in this package, in any
installed distribution that names it as an entry point of the group `graphvine.pipelines`, and in the folder that the
setting `pipelines_folder` names; docs/pipelines.md is the tutorial,
`graphvine new pipeline NAME` writes one that works.

Hooks are plain functions in the pipeline's `__init__.py`. What they need they import inside, so that
`graphvine --help` loads no pipeline's libraries. Only `name`, `title` and one of `build` and `instead` must be given.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

from graphvine.errors import GraphvineError

if TYPE_CHECKING:
    import msgspec
    import typer
    from fastapi import APIRouter

    from graphvine.graph import Graph
    from graphvine.search.kinds import SearchKind
    from graphvine.workers.pipeline import Handler
    from graphvine.workers.scheduler import Job
    from graphvine.workers.serve.app_state import AppState


class BadPipeline(GraphvineError):
    """A pipeline's declaration lacks something, or contradicts itself."""


FUNCTIONS = "build", "build_several", "scheduled", "service", "commands", "routes", "requests", "settings"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pipeline:
    """The declaration of a pipeline: what it is called, and the hooks that it uses."""

    name: str
    """The name in the head of its query file (`// pipeline:`), on the command line and in HTTP paths."""

    title: str
    """What it does, in a few words: `graphvine pipelines` shows it, and so does the dashboard."""

    # Work

    build: Callable[[Graph], Handler] | None = None
    """Make a handler, which `graphvine work NAME` and the daemon's workers give claimed rows to."""

    build_several: Callable[[Graph, int], Sequence[Handler]] | None = None
    """Make so many handlers for one process, sharing what is costly (a model, a connection); `build` otherwise.

    A handler may have the attributes `batch_size` (rows that its worker claims at once) and `max_depth` (how far down
    the order of its queue it goes); the daemon's workers go by them.
    """

    instead: str = ""
    """For a pipeline that has no handler: what works on its queue, and the command that runs it."""

    owner_only: bool = False
    """Only the process that owns the store may work on it: beside a daemon, `graphvine work` adds a worker there."""

    scheduled: Callable[[Graph], Sequence[Job]] | None = None
    """What to run by the clock in the daemon, and beside `graphvine work`."""

    service: Callable[[Graph, threading.Event], None] | None = None
    """What the daemon runs in a thread of its own until the event is set; it is started again when it raises."""

    # What people reach it by

    commands: Callable[[], typer.Typer] | None = None
    """An app of commands (`graphvine.workers.cli.apps.new_app()`); its module must be light to import."""

    routes: Callable[[AppState], APIRouter] | None = None
    """HTTP routes, added to the daemon's API. All that is not GET needs the token."""

    upload_paths: tuple[str, ...] = ()
    """Beginnings of paths whose POST bodies are files, and may be as large as `serve.max_upload_bytes`."""

    path_blocks: Mapping[str, str] = field(default_factory=dict)
    """Blocks that put a path of the daemon's machine into the queue, each with the field that holds it: by HTTP, files
    that the daemon reads are named by the graph's owner alone, or are in `serve.files_folder`."""

    requests: Callable[[], ModuleType] | None = None
    """Import the module of its requests (`graphvine.requests.Request`), by whose verbs the daemon runs its work."""

    search: tuple[str, Callable[[Graph], SearchKind]] | None = None
    """What it brings to the one search: the name of its kind (`graphvine search --kind NAME`), and what opens it."""

    # Settings

    settings: Callable[[], type[msgspec.Struct]] | None = None
    """The class of its settings; each field with a description and a default."""

    settings_table: str = ""
    """Their table in graphvine.toml, and the middle of GRAPHVINE_<TABLE>_<SETTING>; the pipeline's name otherwise."""

    def __post_init__(self) -> None:
        if not str(self.name).isidentifier():
            raise BadPipeline(f"a pipeline can't be called {self.name!r}: use letters, digits and '_'")
        if not self.title:
            raise BadPipeline(f"pipeline {self.name!r} has no title: say in a few words what it does")
        if self.works == bool(self.instead):
            both = "declares a handler and also `instead`: drop one" if self.works else (
                "declares no handler: give `build`, or say in `instead` what works on its queue"
            )  # fmt: skip
            raise BadPipeline(f"pipeline {self.name!r} {both}")
        if self.owner_only and not self.works:
            raise BadPipeline(f"pipeline {self.name!r} is `owner_only` but has no handler")
        for hook in FUNCTIONS:
            given = getattr(self, hook)
            if given is not None and not callable(given):
                raise BadPipeline(f"pipeline {self.name!r}: the hook {hook!r} must be a function, not {given!r}")
        if self.settings_table and self.settings is None:
            raise BadPipeline(f"pipeline {self.name!r} has a `settings_table` but no `settings`")

    @property
    def works(self) -> bool:
        """Whether the common loop works on it."""
        return self.build is not None or self.build_several is not None

    def handlers(self, graph: Graph, count: int) -> list[Handler]:
        """So many handlers that work side by side."""
        if self.build_several is not None:
            return list(self.build_several(graph, count))
        if self.build is None:
            raise NoHandler(f"{self.name} is not worked on by the common loop: {self.instead}")
        return [self.build(graph) for _ in range(count)]


class NoHandler(GraphvineError):
    """The common loop does not work on this pipeline."""
