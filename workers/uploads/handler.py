"""Works on uploads: takes files that were only named, validates, processes, and says how each ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Outcome, Retry
from graphvine.records import Claim, Step, Unit
from graphvine.workers.pipeline import Context
from graphvine.workers.uploads.errors import FileAway, FileFault
from graphvine.workers.uploads.files import read_file, same_file
from graphvine.workers.uploads.machine import chosen_ending, manual_steps, processed
from graphvine.workers.uploads.processing import process
from graphvine.workers.uploads.processors import Stopped, Work, validate_upload_processor
from graphvine.workers.uploads.record import find
from graphvine.workers.uploads.settings import UploadSettings, load

# How far a file is read before that is noted for the first time; then twice as far, each time, up to the second.
_NOTED_AFTER, _NOTED_AT_MOST = 1 << 20, 64 << 20


class _Progress:
    """Notes how far a file was read: a worker that is killed later was not lost for nothing, and not by the file."""

    def __init__(self, graph: Graph, claim: Claim, begun: int) -> None:
        self._graph, self._claim, self._step, self._due = graph, claim, _NOTED_AFTER, begun + _NOTED_AFTER

    def note(self, block: str, offset: int, **given: int) -> None:
        if offset < self._due:
            return
        self._step = min(2 * self._step, _NOTED_AT_MOST)
        self._due = offset + self._step
        claim = self._claim
        step = Step(f"upload.{block}", {"key": claim.key, "seq": claim.seq, "token": claim.token, **given})
        if not self._graph.run(Unit.of([step])).rows[0]:
            raise ClaimLost([claim])


class UploadHandler:
    def __init__(self, graph: Graph, settings: UploadSettings | None = None) -> None:
        self._graph, self._settings = graph, settings or load()

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        for claim in claims:
            if context.stopping:
                return
            try:
                yield self._one(claim, context)
            except Stopped:
                return  # what has no answer goes back where it stands
            except FileAway as error:
                yield Retry(claim, str(error))
            except FileFault as error:
                yield GiveUp(claim, str(error))
            except ClaimLost:
                continue

    def close(self) -> None:
        """Nothing is held open between uploads."""

    def _one(self, claim: Claim, context: Context) -> Outcome:
        work = Work(
            find(self._graph, claim.key), self._settings, self._graph.clock.now_ms(),
            lambda phase, done, total: self._tell(claim, phase, done, total), lambda: context.stopping,
        )  # fmt: skip
        progress = _Progress(self._graph, claim, work.upload.chunk_offset)
        if work.upload.state == "initial_state":
            return self._receive(claim, work, progress)
        steps = self._checked(work)
        if work.upload.state == "validating":
            work.further = lambda offset, items: progress.note(
                "advance_validation", offset, current_item=items, chunk_offset=offset
            )
            steps += validate_upload_processor(work)
        else:
            process(self._graph, claim, work, lambda: context.lost(claim))
        return self._ended(claim, work, steps)

    def _receive(self, claim: Claim, work: Work, progress: _Progress) -> Outcome:
        """A file that was only named: it is there once it is hashed."""

        def watch(done: int, total: int) -> None:
            work.report("reading", done, total)
            progress.note("come_further", done)

        known = read_file(work.upload.file, watch)
        noted = {
            "key": claim.key, "seq": claim.seq, "file_size": known.size, "file_time": known.time,
            "sha256": known.sha256, "path": str(known.path), "at_ms": work.now,
        }  # fmt: skip
        steps = [Step("upload.note_file", noted)]
        if work.upload.auto:
            steps += manual_steps(self._graph, "validate_upload", work)
        return Done(claim, steps, ending="initial_to_uploaded")

    def _checked(self, work: Work) -> list[Step]:
        known = same_file(work.upload)
        if known is None:
            return []
        return [
            Step("upload.move_file", {"key": work.upload.upload_id, "path": str(known.path), "file_time": known.time})
        ]

    def _ended(self, claim: Claim, work: Work, steps: list[Step]) -> Outcome:
        work.now = self._graph.clock.now_ms()
        step = chosen_ending(self._graph, work)
        if step is None:
            upload = work.upload
            counted = f"{upload.processed_items} processed and {upload.failed_items} failed of {upload.total_items}"
            return GiveUp(claim, f"the counts do not fit: {counted}. Reset the upload")
        steps += processed(step, work)
        if step.target == "validated" and work.upload.auto:
            steps += manual_steps(self._graph, "start_processing", work)
        return Done(claim, steps, ending=step.block)

    def _tell(self, claim: Claim, phase: str, done: int, total: int) -> None:
        self._graph.store.publish("upload", upload=claim.key, phase=phase, done=done, total=total)


def build(graph: Graph) -> UploadHandler:
    """A handler by the settings, for `graphvine work upload`."""
    return UploadHandler(graph)
