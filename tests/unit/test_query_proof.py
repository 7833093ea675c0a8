"""Each proof of a block, on both sides: what holds is taken, what does not is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.small_machine import line_of, loaded, refusal, with_changes

FINISH = "SET t.state = 'done', t.lease = 0\n"
COUNTS = "MATCH (t:Task)\nRETURN t.state AS state, count(*) AS count;"
BEAT = "WHERE t.lease IN $tokens\nSET t.claimed_at = $at\n"
GUARD = "WHERE t.seq IN $seqs AND t.lease = $token\n"

# What is changed into what, and for a refusal: where it points, what it says, further changes.
# fmt: off
HOLDS = {
    "as it is": ("", ""),
    # Parameters.
    "used in a comment too": (
        "t.lease = $token\nSET t.state = 'done'", "t.lease = $token // $ghost\nSET t.state = 'done'",
    ),
    "named in a string": ("text: text}", "text: text, price: '$5'}"),
    # Words that are assigned.
    "a case of words": (FINISH, "SET t.state = CASE WHEN t.due > 0 THEN 'done' ELSE 'done' END, t.lease = 0\n"),
    "a case that may stay": (FINISH, "SET t.state = CASE WHEN t.due > 0 THEN 'done' ELSE t.state END, t.lease = 0\n"),
    "a case within a case": (
        FINISH,
        "SET t.state = CASE WHEN 1 = 1 THEN CASE t.due WHEN 0 THEN 'done' ELSE 'done' END ELSE 'done' END\n",
    ),
    "a map of columns": (FINISH, "SET t += {state: 'done', lease: 0}\n"),
    "in backticks": (FINISH, "SET t.`state` = \"done\", t.lease = 0\n"),
    "in capitals": (FINISH, "set T.STATE = 'done', T.LEASE = 0\n"),
    "created by a pattern": (
        "MERGE (t:Task {id: id})\nON CREATE SET t.state = 'waiting', t.seq = seq, t.lease = 0, t.due = $now\n",
        "CREATE (t:Task {id: id, state: 'waiting', seq: seq, lease: 0, due: $now})\n",
    ),
    "assigned although it stays": (BEAT, BEAT.replace("SET ", "SET t.state = 'taken', ")),
    "the state of another label": (COUNTS, "MATCH (n:Note) SET n.state = 'read';"),
    "another label made whole": (COUNTS, "MATCH (n:Note) SET n = {state: 'read'};"),
    "the state of a relationship": (COUNTS, "MATCH (t:Task)-[l:LINK]->() SET l.state = 'read';"),
    "the state of a relationship, to the left": (COUNTS, "MATCH (t:Task)<-[l:LINK]-() SET l.state = 'read';"),
    # Rows that are made.
    "another label": (COUNTS, "MATCH (t:Task) MERGE (n:Note {id: 1}) CREATE (t)-[:SAID]->(n);"),
    # Words that are compared.
    "a source, reversed": ("t.state = 'waiting'\nSET", "'waiting' = t.state\nSET"),
    "what it is not": ("AND t.state = 'waiting'\nSET", "AND NOT t.state = 'done' AND t.state <> 'broken'\nSET"),
    "what none of it is": ("AND t.state = 'waiting'\nSET", "AND NOT (t.state IN ['done'] OR t.state = 'broken')\nSET"),
    "what it is not next to": (
        "AND t.state = 'waiting'\nSET", "AND NOT EXISTS { MATCH (t)-->(u:Task) WHERE u.state = 'done' }\nSET",
    ),
    "the state of a neighbour with a label": (
        "MATCH (t:Task)\nWHERE t.seq IN $seqs AND t.lease = 0",
        "MATCH (t:Task)-->(n:Note)\nWHERE n.state = 'read' AND t.seq IN $seqs AND t.lease = 0",
    ),
    "any word, in a read": (COUNTS, "MATCH (t:Task) WHERE t.state = 'lost' RETURN count(*) AS count;"),
    "outside WHERE": (
        "SET t.claimed_at = $at", "SET t.claimed_at = $at, t.late = CASE WHEN t.state = 'done' THEN 1 ELSE 0 END",
    ),
    # Numbers that are returned.
    "under its own name": (
        "SET t.claimed_at = $at\nRETURN t.seq AS seq;",
        "SET t.claimed_at = $at\nWITH t.seq AS seq RETURN seq ORDER BY seq;",
    ),
    "among others": (
        "SET t.claimed_at = $at\nRETURN t.seq AS seq;",
        "SET t.claimed_at = $at\nRETURN DISTINCT t.id, t.seq AS seq, 1;",
    ),
}

FAILS = {
    # Parameters.
    "undeclared": (
        GUARD, GUARD.replace("$token", "$tokn"), "= $tokn", "uses $tokn without declaring it, did you mean 'token'?",
    ),
    "unused": (
        "beat(tokens, at)", "beat(tokens, at, now)", "// name: beat",
        "block 'beat' declares $now and never uses it: use it in the text, or take it out of `// name:`",
    ),
    "used in a comment only": ("= $at", "= 1 // $at", "// name: beat", "block 'beat' declares $at and never uses it"),
    # Moves and writes.
    "a move that writes nothing": (FINISH, "", "// name: finish", "block 'finish' has a move but writes nothing"),
    "an unknown state": (
        "-> waiting", "-> wating", "-> wating",
        "moves by 'wating', which is not a state of Task, did you mean 'waiting'?",
    ),
    "an unknown source": (
        "taken | waiting ->", "takn | waiting ->", "takn |", "moves by 'takn', which is not a state of Task",
    ),
    "a move without an arrow": (
        "// move: taken -> done", "// move: done", "// move: done", "`done` is no move: write `a -> b`",
    ),
    "a move to nowhere": (
        "// move: taken -> done", "// move: taken ->", "// move: taken ->\n", "`taken ->` is no move",
    ),
    "a move of many to many": ("-> done", "-> done | broken", "-> done | broken", "is no move"),
    "moves in one line": ("taken -> done", "taken -> done, waiting -> done", "taken -> done,", "is no move"),
    "a source twice": ("taken | waiting ->", "taken | taken ->", "taken | taken", "names a source twice"),
    "a path that turns back": (
        "taken -> done", "taken -> done -> done", "-> done -> done", "passes through a state twice",
    ),
    "another word": (
        FINISH, FINISH.replace("done", "broken"), "'broken', t.l", "sets state to 'broken', but its moves end in: done",
    ),
    "another word of a case": (
        FINISH, "SET t.state = CASE WHEN t.due > 0 THEN 'done' ELSE 'taken' END, t.lease = 0\n", "SET t.state = CASE",
        "sets state to 'taken', but its moves end in: done",
    ),
    "another word in a map": (
        FINISH, "SET t += {lease: 0, state: 'taken'}\n", "SET t +=", "sets state to 'taken', but",
    ),
    "another word after a list": (
        FINISH, "SET t.tags = ['a', 'b'], t.state = 'taken'\n", "SET t.tags", "sets state to 'taken'",
    ),
    "the other branch of MERGE": (
        "t.due = $now\nRETURN", "t.due = $now ON MATCH SET t.state = 'done'\nRETURN", "ON MATCH",
        "sets state to 'done', but",
    ),
    "a word passed in": (
        "finish(seqs, token)", "finish(seqs, token, to)", "t.state = $to",
        "sets state to what can't be proved: write the state as a word", FINISH, FINISH.replace("'done'", "$to"),
    ),
    "a word computed": (
        FINISH, FINISH.replace("'done'", "'do' + 'ne'"), "'do' +", "sets state to what can't be proved",
    ),
    "a case without ELSE": (
        FINISH, FINISH.replace("'done'", "CASE WHEN t.due > 0 THEN 'done' END"), "SET t.state = CASE",
        "what can't be proved",
    ),
    "no word at all": (FINISH, FINISH.replace("'done'", "NULL"), "t.state = NULL", "what can't be proved"),
    "a state removed": (FINISH, "REMOVE t.state\n", "REMOVE t.state", "sets state to what can't be proved"),
    "all columns at once": (
        FINISH, "SET t = $token\n", "SET t =", "writes all columns of `t` at once: set its columns one by one",
    ),
    "all columns at once, added": (
        FINISH, FINISH.rstrip() + ", t += $token\n", "t += $token", "writes all columns of `t` at once",
    ),
    "never set": (
        FINISH, "SET t.lease = 0\n", "// move: taken -> done",
        "says `move: taken -> done` but never sets state to 'done'",
    ),
    "one of two never set": (
        "// move: taken -> done", "// move: taken -> done\n// move: taken -> broken", "// move: taken -> broken",
        "says `move: taken -> broken` but never sets state to 'broken'",
    ),
    "a state set without a move": (
        COUNTS, "MATCH (t:Task) SET t.state = 'done';", "MATCH (t:Task) SET t.state",
        "block 'counts' sets state without a move: declare it with `// move: from -> to`",
    ),
    "a state made without a move": (
        COUNTS, "CREATE (:Task {state: 'done'});", "CREATE (:Task", "may make a Task",
    ),
    "a state merged without a move": (
        COUNTS, "MERGE (t:Task {state: 'done'});", "MERGE (t:Task {state", "may make a Task",
    ),
    "a state set by an alias": (
        COUNTS, "MATCH (t:Task) WITH t AS x SET x.state = 'done';", "WITH t AS x", "sets state without a move",
    ),
    "a state set in a sub-query": (
        COUNTS, "MATCH (t:Task) CALL (t) { SET t.state = 'done' } RETURN t;", "CALL (t)", "sets state without a move",
    ),
    "a state set for each": (
        COUNTS, "MATCH (t:Task) FOREACH (x IN [t] | SET x.state = 'done');", "FOREACH", "sets state without a move",
    ),
    "all columns without a move": (
        COUNTS, "MATCH (t:Task) SET t = {id: 1};", "MATCH (t:Task) SET t", "writes all columns of `t`",
    ),
    # Rows that are made.
    "made without a move": (
        COUNTS, "CREATE (:Task {id: 1});", "CREATE (:Task {id: 1",
        "may make a Task: declare it with `// move: -> state`, or MATCH it",
    ),
    "merged without a move": (COUNTS, "MERGE (t:Task {id: 1});", "MERGE (t:Task {id: 1", "may make a Task"),
    "merged at the end of a path": (COUNTS, "MATCH (n) MERGE (n)-[:OF]->(:TASK {id: 1});", "MATCH (n)", "may make"),
    "made by another move": (FINISH, FINISH + "CREATE (u:Task {id: 1})\n", "CREATE (u:Task", "may make a Task"),
    "copied in": (COUNTS, "COPY Task FROM 'tasks.csv';", "COPY Task", "may make a Task"),
    # Words that are compared.
    "not a source": (
        "t.state = 'waiting'\nSET", "t.state = 'done'\nSET", "t.state = 'done'\nSET",
        "looks for state 'done', but its moves start from: waiting",
    ),
    "not a source, listed": (
        "['taken', 'waiting']", "['taken', 'done']", "['taken', 'done']", "looks for state 'done'",
    ),
    "not a source, reversed": (
        "t.state = 'waiting'\nSET", "'done' = t.state\nSET", "'done' = t.state", "looks for state 'done'",
    ),
    "not a source, in a pattern": (
        "MATCH (t:Task)\nWHERE t.lease IN", "MATCH (t:Task {state: 'done'})\nWHERE t.lease IN", "MATCH (t:Task {state",
        "looks for state 'done'",
    ),
    "not a source, in brackets": (
        "t.state = 'waiting'\nSET", "(t.lease = 0 OR (t.state = 'done'))\nSET", "(t.state = 'done')",
        "looks for state 'done'",
    ),
    "a creation has no source": (
        "WITH r.id AS id, r.seq AS seq\nMERGE",
        "MATCH (o:Task) WHERE o.state = 'done'\nWITH r.id AS id, r.seq AS seq\nMERGE", "MATCH (o:Task)",
        "looks for state 'done', but its moves start from: nothing, it creates rows",
    ),
    # Numbers that are returned.
    "no number returned": (
        "SET t.claimed_at = $at\nRETURN t.seq AS seq;", "SET t.claimed_at = $at;", "// name: beat",
        "block 'beat' has a move, so it must RETURN the number of each row: `a.seq AS seq`",
    ),
    "a number without its name": (
        "SET t.claimed_at = $at\nRETURN t.seq AS seq;", "SET t.claimed_at = $at\nRETURN t.seq;", "// name: beat",
        "must RETURN",
    ),
    "a number only passed on": (
        "SET t.claimed_at = $at\nRETURN t.seq AS seq;", "SET t.claimed_at = $at WITH t.seq AS seq RETURN 1 AS one;",
        "// name: beat", "must RETURN",
    ),
    "a guard without a number": (
        COUNTS, COUNTS, "// name: counts", "block 'counts' is a guard, so it must RETURN", "// How many",
        "// guard\n// How many",
    ),
    "ready without a number": (
        COUNTS, COUNTS, "// name: counts", "is marked `ready`, so it must RETURN", "// How many",
        "// ready\n// How many",
    ),
    "ready by a read": (
        COUNTS, "MATCH (t:Task) RETURN t.seq AS seq;", "// name: counts", "is marked `ready` but writes nothing",
        "// How many", "// ready\n// How many",
    ),
    # Slots.
    "held by no parameter": (
        "// held: rows.claim", "// held: row.claim", "// held",
        "names no parameter of block 'note', did you mean 'rows'?",
    ),
    "held by nothing": (
        "// held: rows.claim", "// held: rows.", "// held",
        "says nothing: write a parameter, or a field of its elements",
    ),
    "numbered without a field": (
        "// number: rows.seq", "// number: rows", "// number", "must name the field to fill: rows.seq",
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


def test_a_move_needs_a_machine(tmp_path: Path) -> None:
    text = "// name: a\n// move: -> b\n// Why.\nCREATE (a:A {s: 'b'}) RETURN a.seq AS seq;\n"
    error = refusal(tmp_path, text)
    assert str(error).startswith("queries/task.cypher:2: block 'a' has a move, but the file declares no machine")
