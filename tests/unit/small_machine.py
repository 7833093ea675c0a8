"""A query file as small as one can be that uses everything, for tests that break it in one place."""

from __future__ import annotations

from pathlib import Path

from graphvine.queries import Library, QueryFileError, load
from graphvine.queries.proof import prove

TASKS = """\
// The life of a task.
// machine: Task.state
// pipeline: task
// key: id
// states: waiting* taken done! broken!
// document: tasks.md
// beyond broken: tasks break, whatever the document says.

// == Arrival ==

// name: plant(rows, now)
// move: -> waiting
// transition: sow
// number: rows.seq
// ready
// Put tasks in,
// where they are not there yet.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq
MERGE (t:Task {id: id})
ON CREATE SET t.state = 'waiting', t.seq = seq, t.lease = 0, t.due = $now
RETURN t.seq AS seq;

// ---- work ----

// name: take(seqs, token)
// role: claim
// move: waiting -> taken
// transition: pick
// Take tasks that are free.
MATCH (t:Task)
WHERE t.seq IN $seqs AND t.lease = 0 AND t.state = 'waiting'
SET t.state = 'taken', t.lease = $token
RETURN t.seq AS seq;

// name: beat(tokens, at)
// move: taken -> taken
// beyond: work takes time.
// Say that the work goes on.
MATCH (t:Task)
WHERE t.lease IN $tokens
SET t.claimed_at = $at
RETURN t.seq AS seq;

// name: finish(seqs, token)
// role: complete
// move: taken -> done
// transition: reap
// manual
// processors: Barn, Scale
// criteria: Ripe
// guard
// The tasks are done.
MATCH (t:Task)
WHERE t.seq IN $seqs AND t.lease = $token
SET t.state = 'done', t.lease = 0
RETURN t.seq AS seq;

// name: abandon(cutoff)
// move: taken | waiting -> broken
// beyond: some are never done.
// Give up what nobody does.
MATCH (t:Task)
WHERE t.state IN ['taken', 'waiting'] AND t.claimed_at < $cutoff
SET t.state = 'broken', t.lease = 0
RETURN t.seq AS seq;

// name: note(rows)
// held: rows.claim
// Write something down.
UNWIND $rows AS r
WITH r.id AS id, r.text AS text
MATCH (t:Task {id: id})
CREATE (t)-[:SAID]->(:Note {text: text});

// name: counts()
// How many there are.
MATCH (t:Task)
RETURN t.state AS state, count(*) AS count;
"""


def write(folder: Path, text: str = TASKS, name: str = "task.cypher") -> Path:
    """Put a query file into a folder called queries, and return that folder."""
    path = folder / "queries" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder / "queries"


def loaded(folder: Path, text: str = TASKS) -> Library:
    """The library of the small file, proved; it is less than a whole pipeline."""
    library = load(write(folder, text), contract=False)
    prove(library)
    return library


def changed(old: str, new: str) -> str:
    """The small file with its first `old` made `new`."""
    assert old in TASKS, old
    return TASKS.replace(old, new, 1)


def with_changes(*changes: str) -> str:
    """The small file with each first `old` made `new`, pair by pair."""
    text = TASKS
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def line_of(text: str, marker: str) -> int:
    """The line on which a marker first stands."""
    assert marker in text, marker
    return text[: text.index(marker)].count("\n") + 1


def refusal(folder: Path, text: str) -> QueryFileError:
    """The error that a file is refused with."""
    try:
        loaded(folder, text)
    except QueryFileError as error:
        return error
    raise AssertionError("the file was taken as good")
