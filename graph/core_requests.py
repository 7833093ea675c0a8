"""The requests of every graph: queues, status, backup, export and load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import msgspec

from graphvine.requests import Request, Rows, Text, argument, as_list, option

if TYPE_CHECKING:
    from graphvine.backup import BackupInfo
    from graphvine.export_format import Moved
    from graphvine.records import FailedRow, PipelineStatus

# Keys in one request; the function that does the work looks at each, and names the place of a bad one.
MOST_KEYS = 10_000
Keys = Annotated[Sequence[Any], msgspec.Meta(max_length=MOST_KEYS)]


class SeedRequest(Request[int], verb="seed", runs="graphvine.queue_admin:seed"):
    """Put keys in at the start of a pipeline, where they are not there yet. Returns how many are new."""

    pipeline: str
    keys: Keys

    @classmethod
    def several(cls, pipeline: str, keys: Iterable[str]) -> Iterator[Self]:
        """As many requests as it takes for all of these keys."""
        rest = iter(as_list(cls.verb, "keys", keys) if isinstance(keys, str) else keys)
        while part := list(islice(rest, MOST_KEYS)):
            yield cls(pipeline=pipeline, keys=part)


class FailedRequest(
    Request["dict[str, list[FailedRow]]"], verb="failed", runs="graphvine.queue_admin:failed", where="call"
):
    """What failed, or was skipped, and why, by pipeline: of one, or of all."""

    pipeline: str | None = argument(None, "One pipeline; otherwise all.", "PIPELINE")
    keys: Keys | None = None
    contains: Text = option("", "Only those with this in their key or their error.", metavar="TEXT")
    limit: Rows = option(100, "At most so many of each pipeline.", metavar="N")
    skipped: bool = option(False, "What was skipped, rather than what failed.")


class RequeueRequest(Request[int], verb="requeue", runs="graphvine.queue_admin:requeue"):
    """Put rows that failed or were skipped back into the queue: these, those that match, or all. Returns how many."""

    pipeline: str
    keys: Sequence[Any] | None = None
    contains: Text | None = None
    everything: bool = False
    skipped: bool = False

    def check(self) -> None:
        if self.keys is None and self.contains is None and not self.everything:
            raise self.refuse("", "say what to requeue: keys, a part of the key or error, or everything")


class ExcludeRequest(Request[int], verb="exclude", runs="graphvine.queue_admin:exclude"):
    """Take rows out of the queue for good. Returns how many."""

    pipeline: str
    keys: Sequence[Any]


class PrioritiseRequest(Request[int], verb="prioritise", runs="graphvine.queue_admin:prioritise"):
    """Let rows that wait be claimed before all others, once. Returns how many."""

    pipeline: str
    keys: Keys


class ReleaseRequest(Request[int], verb="release", runs="graphvine.queue_admin:release"):
    """Take rows from the workers that hold them, and put them back into the queue. Returns how many."""

    pipeline: str
    keys: Keys


class PauseRequest(Request[None], verb="pause", runs="graphvine.queue_admin:pause"):
    """Pause a pipeline: nothing more is claimed until it is resumed."""

    pipeline: str
    reason: Text = ""


class ResumeRequest(Request[None], verb="resume", runs="graphvine.queue_admin:resume"):
    """Let a paused pipeline go on."""

    pipeline: str


class StatusRequest(Request["list[PipelineStatus]"], verb="status", runs="graphvine.status:status", where="call"):
    """Where every pipeline stands."""


def _absolute(request: Request[Any], name: str) -> None:
    """The daemon may have another working folder."""
    object.__setattr__(request, name, str(Path(getattr(request, name)).absolute()))


class BackupRequest(Request["BackupInfo"], verb="backup", runs="graphvine.backup:backup", where="job"):
    """Copy the graph into a new folder, on the machine of the process that owns it."""

    target: str

    def check(self) -> None:
        _absolute(self, "target")

    def paths(self) -> list[str]:
        return [self.target]


class ExportRequest(Request["Moved"], verb="export", runs="graphvine.export:export", where="job"):
    """Write the whole graph into a new folder, from which any engine can load it."""

    target: str

    def check(self) -> None:
        _absolute(self, "target")

    def paths(self) -> list[str]:
        return [self.target]


class LoadRequest(Request["Moved"], verb="load", runs="graphvine.export:load", where="job"):
    """Load an exported graph into this one, which has to be empty."""

    source: str

    def check(self) -> None:
        _absolute(self, "source")

    def paths(self) -> list[str]:
        return [self.source]
