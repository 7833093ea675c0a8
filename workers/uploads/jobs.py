"""What happens by the clock: copies of files that no upload wants any more are removed."""

from __future__ import annotations

from graphvine.graph import Graph
from graphvine.workers.scheduler import Job
from graphvine.workers.uploads.face import Uploads

_EVERY_SECONDS = 3600.0


def jobs(graph: Graph) -> list[Job]:
    return [Job("upload-tidy", _EVERY_SECONDS, Uploads(graph).tidy)]
