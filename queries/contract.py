"""The claim contract: what every pipeline has, checked at load; and claimable.cypher filled in for one pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from graphvine.queries.declare import Declared, declared_moves
from graphvine.queries.errors import QueryFileError, did_you_mean
from graphvine.queries.model import Block, Machine
from graphvine.queries.parse import RawBlock, RawFile, Said

_BATCH = ("seqs", "lo", "hi")
# What moves a claimed row, by role: its parameters.
ROLES: dict[str, tuple[str, ...]] = {
    "claim": (*_BATCH, "worker", "token", "now", "at", "never"),
    "heartbeat": (*_BATCH, "tokens", "at"),
    "complete": (*_BATCH, "token", "at"),
    "release": (*_BATCH, "token", "due"),
    "retry": ("key", "seq", "token", "due", "error"),
    "fail": ("key", "seq", "token", "at", "error"),
    "skip": ("key", "seq", "token", "at", "error"),  # a pipeline may do without
    "reclaim": (*_BATCH, "cutoff", "due", "counted"),
    # For a few rows of a large table, where a look-up by key is cheaper; a pipeline may do without.
    "claim_one": ("key", "seq", "worker", "token", "now", "at", "never"),
    "complete_one": ("key", "seq", "token", "at"),
    "release_one": ("key", "seq", "token", "due"),
}
# There must be one of each for every state in which rows are held.
NEEDED_WHILE_HELD = ("heartbeat", "release", "retry", "fail", "reclaim")
# Blocks by name: their parameters. The first four are the pipeline's own, the others stand in claimable.cypher.
BLOCKS: dict[str, tuple[str, ...]] = {
    "seed": ("rows", "now"),
    "give_up": (*_BATCH, "cutoff", "at", "max_lost", "error", "never"),
    "requeue": (*_BATCH, "now"),
    "exclude": (*_BATCH, "at", "never"),
    "stale": ("cutoff", "limit"),
    "oldest_heartbeat": (),
    "note_failure": ("seq", "key", "id", "at", "attempt", "kind", "message", "trace"),
    "ready": ("now", "lease", "limit"),
    "frontier": ("now", "lease"),
    "prioritised": ("first", "lease", "limit"),
    "next_due": ("now", "lease", "never"),
    "prioritise": (*_BATCH, "now", "never", "first"),
    "holders": ("keys",),
    "named": ("keys",),
    "failed": ("contains", "limit"),
    "failed_named": ("keys",),
    "failures": ("key",),
    "counts": (),
    "last_number": (),
    "misaligned": ("never", "limit"),
    "number": ("rows",),
}
ORDERED: dict[str, tuple[str, ...]] = {
    "frontier_at": ("now", "lease", "depth"),
    "ready_at": ("now", "lease", "depth", "lo", "hi", "limit"),
}
UNORDERED: dict[str, tuple[str, ...]] = {"ready_between": ("now", "lease", "lo", "hi", "limit")}
# Only where several processes share a store.
SHARED_STORE: dict[str, tuple[str, ...]] = {"ready_from": ("now", "lease", "skip", "limit")}
# What the reaper has to give to an align_ block; each takes what it needs of it.
ALIGNS = frozenset({"now", "never", "nobody"})

_FILL_IN = re.compile(r"(?<!\w)@(\w+)")
_ALIGNS_WHERE = re.compile(r"MATCH \(a:\w+\)\s+WHERE (.*?)\s+SET ", re.DOTALL)
_GUARD_COLUMNS = {"seq": "seq", "due": "0", "lease": "0"}


@dataclass(frozen=True, slots=True)
class Queue:
    """What the moves of an entity's claims make of its states."""

    initial: str
    claimed: tuple[str, ...]  # entered by a claim
    in_place: tuple[str, ...]  # claimed where they stand
    resumed: tuple[str, ...]  # claimed from, the initial one aside
    resting: tuple[str, ...]

    @property
    def held(self) -> tuple[str, ...]:
        return (*self.claimed, *self.in_place)

    @property
    def by_state(self) -> bool:
        """Whether a state says that a row is free, and one alone that it is to be resumed."""
        return self.initial not in self.in_place and len(self.resumed) <= 1


def queue_of(declared: Declared, blocks: Iterable[RawBlock]) -> Queue:
    """Read the claims of an entity."""
    sources: dict[str, None] = {}
    claimed: dict[str, None] = {}
    in_place: dict[str, None] = {}
    for block in blocks:
        if (block.first("role") or block.name) != "claim":
            continue
        for move in declared_moves(block):
            sources |= {source: None for source in move.sources if source is not None}
            (in_place if move.stays else claimed)[move.target] = None
    initial = next(state for state, marks in declared.states.items() if "*" in marks)
    apart = {initial, *sources, *claimed}
    return Queue(
        initial,
        tuple(claimed),
        tuple(in_place),
        tuple(source for source in sources if source != initial),
        tuple(state for state in declared.states if state not in apart),
    )


def expanded(shared: RawFile, entity: str, declared: Declared, queue: Queue) -> dict[str, RawBlock]:
    """The blocks of a file that this entity has, filled in; `@misaligned` is left for the end."""
    known = _fill_ins(entity, declared, queue)
    holds = {
        "ordered": bool(declared.order),
        "number key": declared.key_is_number,
        "claimed": bool(queue.claimed),
        "claimed in place": queue.initial in queue.in_place,
        "resumed": bool(queue.resumed),
        "queued by state": queue.by_state,
        "skips": "skipped" in declared.states,
    }
    found: dict[str, RawBlock] = {}
    for block in (*shared.blocks.values(), *shared.variants):
        if _asked_for(block, holds):
            if block.name in found:
                block.refuse(block.line, f"is there already for {entity!r}, on line {found[block.name].line}")
            found[block.name] = _filled(block, known, queue)
    return found


def _asked_for(block: RawBlock, holds: Mapping[str, bool]) -> bool:
    """Whether the conditions of a shared block hold for an entity."""
    wanted = [(said, key == "if") for key in ("if", "unless") for said in block.values.get(key, ())]
    for said, _ in wanted:
        if said.value not in holds:
            block.refuse(said.line, f"asks for {said.value!r}{did_you_mean(said.value, holds)}")
    return all(holds[said.value] == true for said, true in wanted)


def with_misaligned(blocks: dict[str, RawBlock]) -> None:
    """Fill in `@misaligned`: a row is out of line where one of the align_ blocks would move it."""
    conditions = []
    for name, block in blocks.items():
        if name.startswith("align_"):
            found = _ALIGNS_WHERE.match(block.text)
            if found is None:
                block.refuse(block.line, "has no condition to ask for: write MATCH (a:Label) WHERE ... SET ...")
            conditions.append(f"({found[1]})")
    for name, block in blocks.items():
        if "@misaligned" in block.text:
            text = block.text.replace("@misaligned", "\n    OR ".join(conditions) or "false")
            blocks[name] = replace(block, text=text)


def _filled(block: RawBlock, known: Mapping[str, str], queue: Queue) -> RawBlock:
    def fill(match: re.Match[str]) -> str:
        if match[1] not in known:
            block.refuse(block.line, f"has @{match[1]}, which nothing is filled in for{did_you_mean(match[1], known)}")
        return known[match[1]]

    if "@" not in block.text:
        return block
    values = dict(block.values)
    for key, states in (("move", queue.initial), ("stays", " | ".join(queue.held))):
        if any("@" in said.value for said in values.get(key, ())):
            values[key] = [Said(_FILL_IN.sub(states, said.value), said.line) for said in values[key]]
    return replace(block, values=values, text=_FILL_IN.sub(fill, block.text))


def _fill_ins(entity: str, declared: Declared, queue: Queue) -> dict[str, str]:
    key, state = declared.key, f"a.{declared.column}"
    key_text = f"CAST(a.{key} AS STRING)" if declared.key_is_number else f"a.{key}"
    each_number = "UNWIND $keys AS text\nWITH CAST(text AS INT64) AS key"
    depth = f"a.{declared.order}" if declared.order else "0"
    row = (
        f"a.seq AS seq, {key_text} AS key, {depth} AS depth, a.due AS due, a.lease AS lease, {state} AS state,\n"
        f"    a.{declared.retry_count} AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count"
    )
    counted = {declared.retry_count: "0", "lost_claims": "0", "failure_count": "0"}
    columns = {**_GUARD_COLUMNS, **counted, **declared.defaults}
    searched = [key_text, *(f"a.{column}" for column in declared.searched), "a.last_error"]
    return {
        "Label": declared.label,
        "state": declared.column,
        "key": key,
        "key_text": key_text,
        "each_key": each_number if declared.key_is_number else "UNWIND $keys AS key",
        "depth": depth,
        "row": row,
        "order": f"{depth}, a.seq" if declared.order else "a.seq",
        "ordered": f"{depth} IS NOT NULL AND" if declared.order else "",
        "retry_count": declared.retry_count,
        "failed_at": declared.failed_at,
        "found": " OR ".join(f"{column} CONTAINS $contains" for column in searched),
        "missing": " OR ".join(f"a.{column} IS NULL" for column in columns),
        "filled_in": ", ".join(f"a.{column} = coalesce(a.{column}, {value})" for column, value in columns.items()),
        "initial": queue.initial,
        "resumed": queue.resumed[0] if queue.resumed else "",
        "is_claimed": _is(state, queue.claimed),
        "is_resumed": _is(state, queue.resumed),
        "is_resting": _is(state, queue.resting),
        "states": _listed(declared.states),
        "held": _held(state, queue),
        "misaligned": "@misaligned",
        "pipeline": entity,
        "FAILURE": f"{entity.upper()}_FAILURE",
    }


def _listed(states: Iterable[str]) -> str:
    return f"[{', '.join(map(repr, states))}]"


def _is(column: str, states: tuple[str, ...]) -> str:
    return f"{column} = '{states[0]}'" if len(states) == 1 else f"{column} IN {_listed(states)}"


def _held(column: str, queue: Queue) -> str:
    """A row that somebody holds. The lease comes first: an engine skips rows by a number, not by a text."""
    return f"a.lease > 0 AND {_is(column, (*queue.claimed, *queue.in_place))}" if queue.claimed else "a.lease > 0"


def check_claims(entity: str, queue: Queue, at: tuple[str, int]) -> None:
    """Raise QueryFileError where nothing is claimed: the shared blocks are filled in from the claims."""
    if not queue.held:
        raise _missing(entity, at, f"of the role 'claim' for rows in {queue.initial!r}", ROLES["claim"])


def check_contract(machine: Machine, blocks: Mapping[str, Block], queue: Queue, at: tuple[str, int]) -> None:
    """Raise QueryFileError where a part of the contract is missing, or has other parameters."""
    needed = BLOCKS | (ORDERED if machine.order else UNORDERED)
    for name, parameters in needed.items():
        if name not in blocks:
            raise _missing(machine.entity, at, repr(name), parameters)
    for block in blocks.values():
        _has_parameters(block, needed | SHARED_STORE)
    for role, state in [("claim", machine.initial.name), *((r, s) for r in NEEDED_WHILE_HELD for s in queue.held)]:
        if machine.by_role(role, state) is None:
            raise _missing(machine.entity, at, f"of the role {role!r} for rows in {state!r}", ROLES[role])


def _missing(entity: str, at: tuple[str, int], what: str, parameters: tuple[str, ...]) -> QueryFileError:
    wanted = f"{what}, with ({', '.join(parameters)})"
    return QueryFileError(*at, f"the claim contract of pipeline {entity!r} has no block {wanted}")


def _has_parameters(block: Block, by_name: Mapping[str, tuple[str, ...]]) -> None:
    if block.name.startswith("align_"):
        wanted: tuple[str, ...] | None = tuple(name for name in block.parameters if name in ALIGNS)
        shown = f"some of {', '.join(sorted(ALIGNS))}"
    else:
        wanted = by_name.get(block.name, ROLES.get(block.role) if block.moves else None)
        shown = ", ".join(wanted or ())
    if wanted is not None and sorted(wanted) != sorted(block.parameters):
        what = f"block {block.name!r} is a part of the claim contract"
        given = ", ".join(block.parameters)
        raise QueryFileError(block.file, block.line, f"{what} and takes ({shown}), not ({given})")
