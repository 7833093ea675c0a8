"""Runs the automatic transitions of the machine over a batch, in the order in which the query file declares them."""

from __future__ import annotations

from graphvine.queries import Machine, Transition
from graphvine.workers.hn.ingest.batch import Batch
from graphvine.workers.hn.ingest.processors import CRITERIA, PROCESSORS


def automatic(machine: Machine) -> list[Transition]:
    """The chain of automatic transitions, from the initial state to the state of rest."""
    steps = {step.source: step for step in machine.moves if step.name == step.block and not step.manual}
    chain: list[Transition] = []
    at: str | None = machine.initial.name
    while at in steps and len(chain) < len(steps):
        chain.append(steps[at])
        at = steps[at].target
    return chain


# Up to here a draft is looked at by itself: no look at the graph, and nothing that another batch could change.
BY_ITSELF = "validated"


def begin(machine: Machine, batch: Batch) -> None:
    """The first part of the cascade, which may run while another batch is being written."""
    for step in automatic(machine):
        if step.source == BY_ITSELF:
            break
        advance(step, batch)


def finish(machine: Machine, batch: Batch) -> None:
    """The rest of it: to the state of rest, or to failed with a reason."""
    begun = False
    for step in automatic(machine):
        begun = begun or step.source == BY_ITSELF
        if begun:
            advance(step, batch)


def cascade(machine: Machine, batch: Batch) -> None:
    """Bring the drafts as far as they go."""
    begin(machine, batch)
    finish(machine, batch)


def advance(step: Transition, batch: Batch) -> None:
    """One transition: its processors, then its criteria; who passes has reached its target."""
    for name in step.processors:
        PROCESSORS[name](batch)
    criteria = [CRITERIA[name] for name in step.criteria]
    for draft in batch.alive():
        for criterion in criteria:
            refusal = criterion(draft)
            if refusal:
                draft.refuse(refusal)
                break
        else:
            draft.state = step.target
