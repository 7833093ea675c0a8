"""A whole pipeline, as small as one can be: the moves of a job. The rest of the contract is shared."""

from __future__ import annotations

MOVES = {
    "seed(rows, now)": """
// move: -> waiting
// number: rows.seq
// ready
// table: rows
// Put jobs in.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq
MERGE (a:Job {id: id})
ON CREATE SET a.seq = seq, a.state = 'waiting', a.due = $now, a.lease = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.id AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state;
""",
    "claim(seqs, lo, hi, worker, token, now, at, never)": """
// move: waiting -> running
// by: seqs between lo and hi
// Take these.
MATCH (a:Job)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = 0 AND a.due <= $now
SET a.state = 'running', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;
""",
    "complete(seqs, lo, hi, token, at)": """
// move: running -> done
// guard
// by: seqs between lo and hi
// They are done.
MATCH (a:Job)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.state = 'done', a.failed_at = $at, a.lease = 0
RETURN a.seq AS seq;
""",
    "release(seqs, lo, hi, token, due)": """
// move: running -> waiting
// guard
// ready
// by: seqs between lo and hi
// Give them back.
MATCH (a:Job)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.state = 'waiting', a.lease = 0, a.due = $due
RETURN @row;
""",
    "retry(key, seq, token, due, error)": """
// move: running -> waiting
// guard
// ready
// by: seq
// Once more, later.
MATCH (a:Job {id: $key})
WHERE a.seq = $seq AND a.lease = $token
SET a.state = 'waiting', a.last_error = $error, a.retry_count = a.retry_count + 1, a.lease = 0, a.due = $due
RETURN @row;
""",
    "fail(key, seq, token, at, error)": """
// move: running -> failed
// guard
// by: seq
// It failed.
MATCH (a:Job {id: $key})
WHERE a.seq = $seq AND a.lease = $token
SET a.state = 'failed', a.last_error = $error, a.failed_at = $at, a.lease = 0
RETURN a.seq AS seq;
""",
    "reclaim(seqs, lo, hi, cutoff, due, counted)": """
// move: running -> waiting
// guard
// ready
// by: seqs between lo and hi
// Their worker is gone.
MATCH (a:Job)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'running' AND a.claimed_at < $cutoff
SET a.state = 'waiting', a.lost_claims = a.lost_claims + $counted, a.lease = 0, a.due = $due
RETURN @row;
""",
    "give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)": """
// move: running -> failed
// guard
// by: seqs between lo and hi
// Their workers were lost too often.
MATCH (a:Job)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'running' AND a.claimed_at < $cutoff
    AND a.lost_claims + 1 >= $max_lost
SET a.state = 'failed', a.last_error = $error, a.failed_at = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;
""",
    "requeue(seqs, lo, hi, now)": """
// move: failed -> waiting
// ready
// by: seqs between lo and hi
// Another try.
MATCH (a:Job)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed'
SET a.state = 'waiting', a.lease = 0, a.due = $now
RETURN @row;
""",
    "exclude(seqs, lo, hi, at, never)": """
// move: waiting | failed -> excluded
// by: seqs between lo and hi
// Out for good.
MATCH (a:Job)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state IN ['waiting', 'failed']
SET a.state = 'excluded', a.failed_at = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;
""",
}
HEAD = """\
// The life of a job.
// machine: Job.state
// key: id
// states: waiting* running done! failed! excluded!
"""
JOB = HEAD + "".join(f"\n// name: {name}{text}" for name, text in MOVES.items())
