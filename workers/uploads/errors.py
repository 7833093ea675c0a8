"""What can go wrong with uploads."""

from __future__ import annotations

from graphvine.errors import GraphvineError


class FileFault(GraphvineError):
    """The file itself is at fault, not one of its items."""


class FileAway(GraphvineError):
    """The file of an upload is no longer there, or is another one."""

    def __init__(self, upload_id: str, path: str | None, reason: str) -> None:
        super().__init__(
            f"the file of upload {upload_id} can't be read: {path or 'its copy'} {reason}."
            " Put it back, or upload it again from where it is now"
        )
        self.upload_id, self.path = upload_id, path


class NoSuchUpload(GraphvineError):
    """The graph does not hold this upload."""

    def __init__(self, upload_id: str) -> None:
        super().__init__(f"there is no upload {upload_id!r:.80}: 'graphvine uploads' lists them")
        self.upload_id = upload_id


class StepNotAllowed(GraphvineError):
    """A step that this upload can't make now."""

    def __init__(self, upload_id: str, transition: str, reason: str) -> None:
        super().__init__(f"upload {upload_id} can't go through {transition}: {reason}")
        self.upload_id, self.transition, self.reason = upload_id, transition, reason


class HeldElsewhere(GraphvineError):
    """Another worker has the upload in hand."""

    def __init__(self, upload_id: str, worker: str) -> None:
        super().__init__(
            f"upload {upload_id} is in the hands of {worker}: wait for it, or for its heartbeats to run out"
        )
        self.upload_id, self.worker = upload_id, worker
