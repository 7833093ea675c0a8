"""A machine for people: as rows of a table, as a Mermaid diagram, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphvine.queries.model import Machine, Transition


def as_table(machine: Machine) -> list[dict[str, str]]:
    """One row a transition, in the order of the file; creation has an empty `from`."""
    return [
        {
            "from": step.source or "",
            "to": step.target,
            "transition": step.name,
            "block": step.block,
            "manual": "yes" if step.manual else "",
            "processors": ", ".join(step.processors),
            "criteria": ", ".join(step.criteria),
            "purpose": step.purpose,
            "beyond": step.beyond,
        }
        for step in machine.moves
    ]


def as_mermaid(machine: Machine) -> str:
    """A state diagram; moves that stay where they are would only clutter it and are left out."""
    lines = ["stateDiagram-v2"]
    seen: set[str] = set()
    for step in machine.moves:
        if step.source == step.target:
            continue
        line = f"    {step.source or '[*]'} --> {step.target} : {_label(step)}"
        if line not in seen:
            seen.add(line)
            lines.append(line)
    if not any(step.source is None for step in machine.moves):
        lines.insert(1, f"    [*] --> {machine.initial.name}")
    lines += [f"    {state.name} --> [*]" for state in machine.states if state.final]
    return "\n".join(lines) + "\n"


def _label(step: Transition) -> str:
    parts = [step.name or step.block]
    if step.processors or step.criteria:
        parts.append(f"({' + '.join((*step.processors, *step.criteria))})")
    if step.manual:
        parts.append("[manual]")
    return " ".join(parts)


def as_json(machine: Machine, *, fingerprint: bool = True) -> dict[str, Any]:
    """Everything that the machine says, ready for json.dumps."""
    drawn: dict[str, Any] = {
        "entity": machine.entity,
        "label": machine.label,
        "column": machine.column,
        "key": machine.key,
        "document": machine.document,
        "states": [
            {
                "name": state.name,
                "initial": state.initial,
                "final": state.final,
                "claimed": state.claimed,
                "beyond": state.beyond,
            }
            for state in machine.states
        ],
        "moves": [
            {
                "source": step.source,
                "target": step.target,
                "block": step.block,
                "transition": step.name,
                "manual": step.manual,
                "processors": list(step.processors),
                "criteria": list(step.criteria),
                "beyond": step.beyond,
                "purpose": step.purpose,
            }
            for step in machine.moves
        ],
    }
    if fingerprint:
        drawn["fingerprint"] = machine.fingerprint
    return drawn
