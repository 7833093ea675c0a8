"""Each proof of a machine, on both sides: claims, roles, clocks, unwound rows, states."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.small_machine import TASKS, line_of, loaded, refusal, with_changes

COUNTS = "MATCH (t:Task)\nRETURN t.state AS state, count(*) AS count;"
BEAT = "WHERE t.lease IN $tokens\nSET t.claimed_at = $at\n"
GUARD = "WHERE t.seq IN $seqs AND t.lease = $token\n"
NOTE = TASKS[TASKS.index("UNWIND $rows AS r\nWITH r.id AS id, r.text") : TASKS.index("// name: counts")].rstrip()

# What is changed into what, and for a refusal: where it points, what it says, further changes.
# fmt: off
HOLDS = {
    # Claims.
    "let go by the list of tokens": (
        "// name: finish(seqs, token)", "// name: finish(seqs, tokens)", GUARD, GUARD.replace("= $token", "IN $tokens"),
    ),
    # Times come in as values.
    "a time converted": (BEAT, BEAT.replace("= $at", "= timestamp($at)")),
    "a map converted": (BEAT, BEAT.replace("= $at", "= datetime({epochMillis: $at})")),
    "a column called date": (COUNTS, "MATCH (t:Task) RETURN t.date AS now, t.timestamp;"),
    # Unwound rows.
    "fields of a new node": (
        NOTE, "UNWIND $rows AS r CREATE (:Note {text: r.text});",
    ),
    "an unwound value": (
        NOTE, "UNWIND $rows AS id\nMATCH (t:Task {id: id})\nSET t.seen = true;",
    ),
    # The machine.
    "a final state that is left": (
        "// move: taken | waiting -> broken", "// move: taken | waiting | done -> broken", "['taken', 'waiting']",
        "['taken', 'waiting', 'done']",
    ),
    "a state reached by creation alone": (
        "waiting* taken done! broken!", "waiting* taken done! broken! found!", "// == Arrival ==",
        "// name: find(id)\n// move: -> found\n// Found.\n"
        "CREATE (t:Task {id: $id, state: 'found'}) RETURN t.seq AS seq;",
    ),
    "claimed where it stands, and guarded": (
        "// == Arrival ==",
        "// name: hold(seqs, token)\n// move: waiting -> waiting\n// Hold.\nMATCH (t:Task) WHERE t.seq IN $seqs\n"
        "SET t.lease = $token RETURN t.seq AS seq;\n",
    ),
}

FAILS = {
    # Claims.
    "let go without a token": (
        "// name: finish(seqs, token)", "// name: finish(seqs)", "// move: taken -> done",
        "lets go of rows in 'taken', which are claimed: guard it by $token, $tokens or $cutoff", GUARD,
        GUARD.replace(" AND t.lease = $token", ""),
    ),
    "a lease cleared without a token": (
        "// name: beat(tokens, at)", "// name: beat(at)", "// move: taken -> taken",
        "lets go of rows in 'taken', which are claimed", BEAT, "SET t.claimed_at = $at, t.lease = 0\n",
    ),
    "let go where it was claimed in place": (
        "// == Arrival ==",
        "// name: hold(seqs, token)\n// move: waiting -> waiting\n// Hold.\nMATCH (t:Task) WHERE t.seq IN $seqs\n"
        "SET t.lease = $token RETURN t.seq AS seq;\n// name: cut(id)\n// move: waiting -> broken\n// Cut.\n"
        "MATCH (t:Task {id: $id}) SET t.state = 'broken' RETURN t.seq AS seq;\n",
        "// move: waiting -> broken",
        "lets go of rows in 'waiting', which may be claimed: guard it by $token or by their lease",
    ),
    # Roles and names.
    "one role twice": (
        "// role: complete", "// role: abandon", "// move: taken | waiting",
        "plays the role 'abandon' for 'taken', as block 'finish' does",
    ),
    "too many names": (
        "// transition: pick", "// transition: pick, choose", "// transition: pick",
        "names 2 transitions, but its moves have at most 1 steps",
    ),
    "a name without a move": (
        "// How many", "// transition: tally\n// How many", "// transition: tally",
        "names 1 transitions, but its moves have at most 0 steps",
    ),
    "a reason for another move": (
        "// beyond: some", "// beyond done -> broken: some", "// beyond done",
        "gives a reason for `done -> broken`, which is not a step of its moves",
    ),
    # Clocks.
    **{
        f"the clock: {call}": (
            BEAT, BEAT.replace("= $at", f"= {call}, t.x = $at"), f"= {call}",
            "asks the engine for " + call.split("(")[0].split(".")[0],
        )
        for call in (
            "current_timestamp()", "datetime()", "timestamp( )", "date()", "now()", "localdatetime()", "rand()",
            "gen_random_uuid()", "randomUUID()", "CURRENT_DATE()", "datetime.realtime()", "time()", "localtime()",
        )
    },
    # Unwound rows.
    "a node matched by a field": (
        "MATCH (t:Task {id: id})", "MATCH (t:Task {id: r.id})", "{id: r.id}",
        "matches a node by r.id of an unwound row, which reads the whole table: project it first, WITH r.id AS",
    ),
    "a node merged by a field": (
        "MERGE (t:Task {id: id})", "MERGE (t:Task {id: r.id})", "{id: r.id}", "matches a node by r.id",
    ),
    "a field within a value": (
        "MATCH (t:Task {id: id})", "MATCH (t:Task {id: lower(r.id)})", "{id: lower", "matches a node by r.id",
    ),
    "a field of the row renamed": (
        "WITH r.id AS id, r.text AS text\nMATCH (t:Task {id: id})",
        "WITH r AS q, r.text AS text\nMATCH (t:Task {id: q.id})", "{id: q.id}", "matches a node by q.id",
    ),
    # The machine.
    "no initial state": (
        "waiting* ", "waiting ", "// states", "exactly one initial state, and none is marked with `*`",
    ),
    "two initial states": (
        "waiting* taken ", "waiting* taken* ", "// states",
        "exactly one initial state, and these are marked: waiting, taken",
    ),
    "a state that can't be reached": (
        "done! broken!", "done! broken! lost!", "// states",
        "no move leads to state 'lost': add one, or take the state out",
    ),
    "a state without a way out": (
        "done! broken!", "done broken!", "// states",
        "no move leads out of state 'done': add one, or mark it as final, done!",
    ),
    "a state declared twice": ("done! broken!", "done! broken! done!", "// states", "state 'done' is declared twice"),
    "a state that is no word": (
        "done! broken!", "done! broken! 9th", "// states", "'9th' is not a state: write its name",
    ),
    "too many states": (
        "done! broken!", "done! broken! " + " ".join(f"s{n}!" for n in range(100)), "// states", "at most 100 states",
    ),
    "a reason for no state": (
        "// beyond broken:", "// beyond brokn:", "// beyond", "names no state, did you mean 'broken'?",
    ),
    "a machine without a column": (
        "// machine: Task.state", "// machine: Task", "// machine", "is not of the form Label.column",
    ),
    "a machine without a key": ("// key: id\n", "", "// machine", "the machine has no `// key:` line"),
    "a machine without states": (
        "// states: waiting* taken done! broken!\n", "", "// machine", "the machine has no `// states:` line",
    ),
    "a key that is no column": ("// key: id", "// key: the id", "// key", "is not the name of a column"),
    "states without a machine": (
        "// machine: Task.state\n", "", "// states", "`// states:` needs a `// machine: Label.column` beside it",
    ),
    "a name that is none": (
        "// pipeline: task", "// pipeline: my tasks", "// pipeline", "'my tasks' is no name for a pipeline",
    ),
}
# fmt: on


@pytest.mark.parametrize("changes", HOLDS.values(), ids=HOLDS.keys())
def test_what_holds_is_taken(tmp_path: Path, changes: tuple[str, ...]) -> None:
    assert loaded(tmp_path, with_changes(*changes)).machines["task"]


@pytest.mark.parametrize("case", FAILS.values(), ids=FAILS.keys())
def test_what_does_not_hold_is_refused(tmp_path: Path, case: tuple[str, ...]) -> None:
    old, new, marker, sentence, *more = case
    text = with_changes(old, new, *more)
    error = refusal(tmp_path, text)
    assert sentence in error.message
    assert (error.file, error.line) == ("queries/task.cypher", line_of(text, marker))
    assert "\n" not in str(error)
