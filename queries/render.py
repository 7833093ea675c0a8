"""A machine for people: as rows of a table, as a Mermaid diagram, as JSON; and the statements that run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphvine.queries.model import Block, Library, Machine, Transition


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


def as_statements(library: Library, blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """What is sent for each block, ready for json.dumps; under `variants`, what is sent where the values allow it."""
    return [
        {
            "block": block.full_name,
            "parameters": list(block.parameters),
            "file": block.file,
            "line": block.line,
            "purpose": block.purpose,
            "text": library.statement(block).text,
            "variants": _variants(library, block),
        }
        for block in blocks
    ]


def _variants(library: Library, block: Block) -> dict[str, str]:
    statement = library.statement(block)
    written = {name: f"<{name}>" for name in statement.literals}
    if statement.batch is not None:
        written |= {name: f"<{name}, widened>" for name in (statement.batch.lo, statement.batch.hi)}
    found = {}
    if statement.template is not None:
        found["written out"] = statement.template.filled(written)
    if statement.dense is not None:
        found["row numbers without a gap"] = statement.dense.filled(written)
    if statement.scan is not None:
        found["many rows, or one that lacks a value"] = statement.scan.text(dict(statement.scan.fields), written)
    return found


def as_cypher(statements: Iterable[dict[str, Any]]) -> str:
    """The statements as a file of Cypher, with where each comes from."""
    parts = []
    for one in statements:
        lines = [f"// {one['block']}({', '.join(one['parameters'])})", f"// {one['file']}:{one['line']}"]
        texts = one["variants"] if "written out" in one["variants"] else {"": one["text"], **one["variants"]}
        for when, text in texts.items():
            lines += [f"// {when}:"] if when else []
            lines.append(f"{text};")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
