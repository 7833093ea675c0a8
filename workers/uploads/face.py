"""Uploads in Python: `graph.upload(...)` and `graph.uploads`. Each method is the twin of a command."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from graphvine.clock import NEVER, moment
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.workers.loop import Loop
from graphvine.workers.uploads.errors import HeldElsewhere, NotAllowed
from graphvine.workers.uploads.files import Known, Watch, read_file, spool, sweep
from graphvine.workers.uploads.handler import UploadHandler
from graphvine.workers.uploads.machine import take_by_hand
from graphvine.workers.uploads.processing import spool_folder
from graphvine.workers.uploads.processors import Work
from graphvine.workers.uploads.record import WORKING, Upload, find, newest
from graphvine.workers.uploads.settings import UploadSettings, load

_ERRORS_AT_ONCE = 5_000
_NAME = 12
_WAIT_SECONDS = 1.0


class Uploads:
    def __init__(self, graph: Graph, settings: UploadSettings | None = None) -> None:
        self._graph, self._settings = graph, settings or load()

    def upload(
        self, file: str | os.PathLike[str] | BinaryIO, *, auto: bool = True, again: bool = False,
        name: str | None = None, stop: threading.Event | None = None, watch: Watch | None = None,
    ) -> Upload:  # fmt: skip
        """Upload a file (a path or an open stream) and bring it all the way; without `auto`, it waits for each step.

        The same file again is the same upload: one that was interrupted goes on, one that is done is left as it is,
        unless `again` asks for another.
        """
        upload = self.take(file, auto=auto, again=again, name=name, watch=watch)
        return self.bring_on(upload.upload_id, stop=stop) if auto else upload

    def take(
        self, file: str | os.PathLike[str] | BinaryIO, *, auto: bool = False, again: bool = False,
        name: str | None = None, watch: Watch | None = None,
    ) -> Upload:  # fmt: skip
        """Only take the file: it is `uploaded` then, or where it was when it came before."""
        if isinstance(file, str | os.PathLike):
            known, spooled, shown = read_file(Path(file), watch), False, name or os.fspath(file)
        else:
            self.tidy()
            known = spool(file, spool_folder(self._graph), self._settings.max_file_size, watch)
            spooled, shown = True, name or "standard input"
        before = self._graph.read("upload.of_file", sha256=known.sha256)
        if before and not again:
            return self._again(before[0]["key"], known, spooled=spooled, auto=auto)
        return self._register(known, len(before), shown, spooled=spooled, auto=auto)

    def validate(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Validate an upload that is `uploaded`."""
        return self._step("validate_upload", upload_id, stop)

    def start(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Process an upload that is `validated`."""
        return self._step("start_processing", upload_id, stop)

    def retry(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Process the failed items of a `partial_success` again."""
        return self._step("retry_failed_items", upload_id, stop)

    def reset(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Put a `failed` upload back to `uploaded`."""
        return self._step("retry_upload", upload_id, stop)

    def bring_on(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Run every step that is left, up to a state of rest; the same after an interruption."""
        upload = self.show(upload_id)
        if not upload.auto:
            self._graph.run(Unit.of([Step("upload.choose_auto", {"key": upload_id, "auto": True})]))
        for state, name in (("uploaded", "validate_upload"), ("validated", "start_processing")):
            if upload.state == state:
                return self._step(name, upload_id, stop)
        return self.work(upload_id, stop=stop)

    def work(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Work on one upload until it waits for a step or rests."""
        upload = self.show(upload_id)
        if self._graph.door.served is not None:
            return self._over_there(upload_id, stop) if upload.state in WORKING else upload
        stop = stop or threading.Event()
        handler = UploadHandler(self._graph, self._settings)
        loop = Loop(self._graph, "upload", handler, batch=1, keys=[upload_id], stop=stop, gather_seconds=0)
        with loop.heartbeats.running():
            while upload.state in WORKING and not stop.is_set():
                if upload.lease > 0:
                    raise HeldElsewhere(upload_id, upload.claimed_by or "a worker")
                if not loop.run_once().claimed:
                    self._wait(upload, stop)
                upload = self.show(upload_id)
        self.tidy()
        return upload

    def show(self, upload_id: str) -> Upload:
        """One upload, with everything that is known of it."""
        return find(self._graph, upload_id)

    def list(self, limit: int = 50) -> list[Upload]:
        """The newest uploads."""
        return newest(self._graph, limit)

    def errors(self, upload_id: str) -> Iterator[Row]:
        """What was wrong with single items: index, hnId, field, message, given."""
        seq, after = self.show(upload_id).seq, -1
        while rows := self._graph.read("upload.errors", upload=seq, after=after, limit=_ERRORS_AT_ONCE):
            yield from rows
            after = rows[-1]["index"]

    def tidy(self) -> None:
        """Remove copies of ours that no upload wants any more."""
        folder = spool_folder(self._graph)
        if folder.is_dir():
            sweep(folder, [Path(row["path"]).name for row in self._graph.read("upload.spooled") if row["path"]])

    def take_received(self, path: Path, *, name: str, auto: bool = True, again: bool = False) -> Upload:
        """Take a file that came in by HTTP: it is ours, and becomes the copy that is worked on."""
        known = read_file(path)
        kept = spool_folder(self._graph) / known.sha256
        kept.parent.mkdir(parents=True, exist_ok=True)
        path.replace(kept)
        known = Known(kept.resolve(), known.size, kept.stat().st_mtime_ns, known.sha256)
        before = self._graph.read("upload.of_file", sha256=known.sha256)
        if before and not again:
            return self._again(before[0]["key"], known, spooled=True, auto=auto)
        return self._register(known, len(before), name, spooled=True, auto=auto)

    def move(self, name: str, upload_id: str) -> Upload:
        """Make a manual transition, and leave the work that follows to whoever claims it."""
        take_by_hand(self._graph, name, Work(self.show(upload_id), self._settings, self._graph.clock.now_ms()))
        return self.show(upload_id)

    def _over_there(self, upload_id: str, stop: threading.Event | None) -> Upload:
        """By the process that serves the graph: one process takes items in."""
        from graphvine.remote import run_job

        def told(name: str, facts: Any) -> None:
            self._graph.door.report("upload", **facts)

        run_job(self._graph, "upload", {"upload_id": upload_id}, str, told, stop)
        return self.show(upload_id)

    def _step(self, name: str, upload_id: str, stop: threading.Event | None) -> Upload:
        work = Work(self.show(upload_id), self._settings, self._graph.clock.now_ms())
        take_by_hand(self._graph, name, work)
        return self.work(upload_id, stop=stop)

    def _register(self, known: Known, before: int, name: str, *, spooled: bool, auto: bool) -> Upload:
        now = self._graph.clock.now_ms()
        upload_id = known.sha256[:_NAME] + (f"-{before + 1}" if before else "")
        row: dict[str, Any] = {
            "upload_id": upload_id, "filename": name, "path": str(known.path), "spooled": spooled,
            "file_size": known.size, "file_time": known.time, "sha256": known.sha256, "auto": auto, "seq": 0,
        }  # fmt: skip
        given = {"rows": [row], "at": moment(now), "at_ms": now, "never": NEVER}
        self._graph.run(Unit.of([Step("upload.register", given)]))
        return self.show(upload_id)

    def _again(self, upload_id: str, known: Known, *, spooled: bool, auto: bool) -> Upload:
        """The same file: it may stand somewhere else now."""
        upload = self.show(upload_id)
        if spooled and not upload.spooled:
            known.path.unlink(missing_ok=True)
        elif upload.state != "completed" and not upload.spooled and not upload.file.exists():
            moved = {"key": upload_id, "path": str(known.path), "file_time": known.time}
            self._graph.run(Unit.of([Step("upload.move_file", moved)]))
        return self.show(upload_id)

    def _wait(self, upload: Upload, stop: threading.Event) -> None:
        paused = self._graph.door.paused("upload")
        if paused is not None:
            raise NotAllowed(upload.upload_id, upload.state, "uploads are paused: 'graphvine resume upload'")
        seconds = (self.show(upload.upload_id).due - self._graph.clock.now_ms()) / 1000
        stop.wait(min(max(seconds, 0.01), _WAIT_SECONDS))
