"""Runs the transitions of the machine: processors and criteria by the names that the query file declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.graph import Graph
from graphvine.queries import Transition
from graphvine.ready_cache import spans
from graphvine.records import Step, Unit
from graphvine.workers.uploads.errors import StepNotAllowed
from graphvine.workers.uploads.processors import CRITERIA, PROCESSORS, Work, retry_allowed_criterion


def transition(graph: Graph, name: str) -> Transition:
    """A transition of the document, as its own block declares it."""
    return next(step for step in graph.library.machines["upload"].moves if step.block == name)


def endings(graph: Graph, state: str) -> list[Transition]:
    """The automatic transitions that lead out of a state in which a worker is at work."""
    moves = graph.library.machines["upload"].moves
    return [step for step in moves if step.source == state and step.name == step.block and not step.manual]


def chosen_ending(graph: Graph, work: Work) -> Transition | None:
    """The automatic transition whose criteria hold; None where there is none, which can't be."""
    for step in endings(graph, work.upload.state):
        if all(CRITERIA[name](work.upload) for name in step.criteria):
            return step
    return None


def processed(step: Transition, work: Work) -> list[Step]:
    """What the processors of a transition want written."""
    return [one for name in step.processors for one in PROCESSORS[name](work)]


def manual_steps(graph: Graph, name: str, work: Work) -> list[Step]:
    """A manual transition as the steps of a unit: its block, the guard, and what its processors want written.

    The processor of validate_upload reads the whole file, so a worker runs it once the upload is validating.
    """
    given: dict[str, Any] = {
        "now": work.now, "at": moment(work.now), "never": NEVER, "max_retries": work.settings.max_retries,
    }  # fmt: skip
    block = graph.library.block(f"upload.{name}")
    own = {name: given[name] for name in block.parameters if name in given}
    more = [] if name == "validate_upload" else processed(transition(graph, name), work)
    return [*(Step(block.full_name, {**span, **own}) for span in spans([work.upload.seq])), *more]


def take_by_hand(graph: Graph, name: str, work: Work) -> None:
    """Make a manual transition; StepNotAllowed says why it can't be made now."""
    upload, step = work.upload, transition(graph, name)
    if upload.state != step.source:
        raise StepNotAllowed(upload.upload_id, name, f"it is {upload.state}, not {step.source}")
    if "retry_allowed_criterion" in step.criteria:
        most = work.settings.max_retries
        if not retry_allowed_criterion(upload, most):
            raise StepNotAllowed(upload.upload_id, name, f"it was retried {upload.retry_count} times, {most} at most")
    if not run_held(graph, manual_steps(graph, name, work)):
        raise StepNotAllowed(upload.upload_id, name, "somebody else has moved it")


def run_held(graph: Graph, steps: Sequence[Step]) -> bool:
    """Run a unit that is nothing without its guard."""
    return bool(graph.run(Unit.of(steps, if_held=True)).held)
