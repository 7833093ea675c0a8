"""Uploads in Python: `graph.upload(...)` and `graph.uploads`. Each method is the twin of a command."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from graphvine.clock import NEVER, moment
from graphvine.dispatch import Run, dispatch
from graphvine.graph import Graph
from graphvine.ready_cache import spans
from graphvine.records import Row, Step, Unit
from graphvine.workers.loop import Loop
from graphvine.workers.uploads.errors import HeldElsewhere, StepNotAllowed
from graphvine.workers.uploads.files import Known, Watch, read_file, spool, sweep
from graphvine.workers.uploads.handler import UploadHandler
from graphvine.workers.uploads.machine import run_held, take_by_hand
from graphvine.workers.uploads.processing import load_parts, spool_folder
from graphvine.workers.uploads.processors import Work
from graphvine.workers.uploads.record import WORKING, Upload, find, newest
from graphvine.workers.uploads.requests import Step as UploadStep
from graphvine.workers.uploads.requests import UploadRequest, UploadStepRequest
from graphvine.workers.uploads.settings import UploadSettings, load

_ERRORS_AT_ONCE = 5_000
_NAME = 12
_WAIT_SECONDS, _LOOK_SECONDS = 1.0, 0.2
# The steps by hand, and the document's names for them.
_TRANSITIONS = {
    "validate": "validate_upload", "start": "start_processing", "retry": "retry_failed_items", "reset": "retry_upload"
}  # fmt: skip


class Uploads:
    """`graph.uploads`: files of items, step by step."""

    def __init__(self, graph: Graph, settings: UploadSettings | None = None) -> None:
        self._graph, self._given, self._settings = graph, settings, settings or load()

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
        return self._known_or_new(known, shown, spooled=spooled, auto=auto, again=again)

    def validate(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Validate an upload that is `uploaded`."""
        return self._step("validate", upload_id, stop)

    def start(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Process an upload that is `validated`."""
        return self._step("start", upload_id, stop)

    def retry(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Process the failed items of a `partial_success` again."""
        return self._step("retry", upload_id, stop)

    def reset(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Put a `failed` upload back to `uploaded`."""
        return self._step("reset", upload_id, stop)

    def bring_on(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Run every step that is left, up to a state of rest; the same after an interruption."""
        upload = self.show(upload_id)
        if not upload.auto:
            self._graph.run(Unit.of([Step("upload.choose_auto", {"key": upload_id, "auto": True})]))
        if upload.state == "uploaded":
            return self._step("validate", upload_id, stop)
        if upload.state == "validated":
            return self._step("start", upload_id, stop)
        return self.work(upload_id, stop=stop)

    def work(self, upload_id: str, *, stop: threading.Event | None = None) -> Upload:
        """Work on one upload until it waits for a step or rests."""
        if self.show(upload_id).state in WORKING:
            request = UploadRequest(upload_id=upload_id, settings=self._given)
            dispatch(
                self._graph, request, on_event=lambda facts: self._graph.store.publish("upload", **facts), stop=stop
            )
        return self.show(upload_id)

    def show(self, upload_id: str) -> Upload:
        """One upload, with everything that is known of it."""
        return find(self._graph, upload_id)

    def list(
        self, limit: int = 50, *, state: str = "", contains: str = "", after: Upload | None = None
    ) -> list[Upload]:
        """The newest uploads, by state or a part of the file's name; with `after`, those that came before that one."""
        return newest(self._graph, limit, state, contains, *([after.seq] if after else []))

    def errors(self, upload_id: str, after: int = -1) -> Iterator[Row]:
        """What was wrong with single items, behind the one at `after`: index, hnId, field, message, given."""
        seq = self.show(upload_id).seq
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
        kept.parent.mkdir(0o700, parents=True, exist_ok=True)
        path.replace(kept)
        known = Known(kept.resolve(), known.size, kept.stat().st_mtime_ns, known.sha256)
        return self._known_or_new(known, name, spooled=True, auto=auto, again=again)

    def move(self, step: UploadStep, upload_id: str) -> Upload:
        """Take a step by hand, and leave the work that follows to whoever claims it."""
        return dispatch(self._graph, UploadStepRequest(upload_id=upload_id, step=step, settings=self._given))

    def remove(self, upload_id: str) -> Upload:
        """Take an upload out of the lists, with the copy of its file that was kept. Its items stay."""
        return self.move("remove", upload_id)

    def _known_or_new(self, known: Known, name: str, *, spooled: bool, auto: bool, again: bool) -> Upload:
        before = self._graph.read("upload.of_file", sha256=known.sha256)
        kept = [row["key"] for row in before if row["state"] != "removed"]
        if kept and not again:
            return self._again(kept[0], known, spooled=spooled, auto=auto)
        return self._register(known, len(before), name, spooled=spooled, auto=auto)

    def _step(self, step: UploadStep, upload_id: str, stop: threading.Event | None) -> Upload:
        self.move(step, upload_id)
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


def run_step(graph: Graph, request: UploadStepRequest) -> Upload:
    if request.step == "remove":
        _remove(graph, find(graph, request.upload_id))
        return find(graph, request.upload_id)
    work = Work(find(graph, request.upload_id), request.settings or load(), graph.clock.now_ms())
    take_by_hand(graph, _TRANSITIONS[request.step], work)
    return find(graph, request.upload_id)


def _remove(graph: Graph, upload: Upload) -> None:
    now = graph.clock.now_ms()
    given = {"at": moment(now), "never": NEVER}
    steps = [Step("upload.remove", {**span, **given}) for span in spans([upload.seq])]
    about = {"upload": upload.seq, "at_ms": now}
    if not run_held(graph, [*steps, Step("upload.dismiss_errors", about)]):
        held = upload.lease > 0 or upload.state in WORKING
        why = f"it is {upload.state}" + (": stop the work first, or 'graphvine exclude upload' it" if held else "")
        raise StepNotAllowed(upload.upload_id, "remove", why)
    Uploads(graph).tidy()


def run_upload(graph: Graph, request: UploadRequest, run: Run[dict[str, Any]]) -> str:
    """Work on an upload, to its next state of rest. In the daemon a worker may have it in hand: then wait for that.

    Progress is an event of the store; the daemon sends it to whoever watches.
    """
    upload_id = request.upload_id

    def on_event(name: str, facts: dict[str, Any]) -> None:
        if name == "upload" and facts["upload"] == upload_id and run.in_daemon:
            run.publish(facts)

    upload = find(graph, upload_id)
    if upload.auto and upload.state == "uploaded":
        Uploads(graph).move("validate", upload_id)
    graph.store.subscribe(on_event)
    try:
        while True:
            try:
                return _work(graph, request, run.stop).state
            except HeldElsewhere:
                if not run.in_daemon:
                    raise
                if run.stop.wait(_LOOK_SECONDS) or find(graph, upload_id).state not in WORKING:
                    return find(graph, upload_id).state
    finally:
        graph.store.unsubscribe(on_event)


def _work(graph: Graph, request: UploadRequest, stop: threading.Event) -> Upload:
    settings, upload_id = request.settings or load(), request.upload_id
    load_parts()
    handler, upload = UploadHandler(graph, settings), find(graph, upload_id)
    loop = Loop(graph, "upload", handler, batch=1, keys=[upload_id], stop=stop, gather_seconds=0)
    with loop.heartbeats.running():
        while upload.state in WORKING and not stop.is_set():
            if upload.lease > 0:
                raise HeldElsewhere(upload_id, upload.claimed_by or "a worker")
            if not loop.run_once().claimed:
                _wait(graph, upload, stop)
            upload = find(graph, upload_id)
    Uploads(graph, settings).tidy()
    return upload


def _wait(graph: Graph, upload: Upload, stop: threading.Event) -> None:
    paused = graph.store.paused("upload")
    if paused is not None:
        raise StepNotAllowed(upload.upload_id, upload.state, "uploads are paused: 'graphvine resume upload'")
    seconds = (find(graph, upload.upload_id).due - graph.clock.now_ms()) / 1000
    stop.wait(min(max(seconds, 0.01), _WAIT_SECONDS))
