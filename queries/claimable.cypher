// What every pipeline needs of the claim contract, written once. Each pipeline gets these blocks as its own; a block of
// the same name in its own file replaces the one here. docs/query-files.md lists the whole contract.
//
// A name behind @ is filled in from the head of the pipeline's file, and from the moves of its claims; in the pipeline's
// own blocks, too:
//   @Label @state @key        the table, the column that holds the state, the primary key
//   @key_text @each_key       the key as text; each of $keys as a value of the key's type
//   @depth @order             what rows are ordered by (`// order:`), 0 without one; the whole order of the queue
//   @row                      what is returned of a row that can be claimed: seq, key, depth, due, lease, state, counters
//   @retry_count @failed_at   the columns of these meanings, where the table calls them something else
//   @found                    the conditions of a search by $contains: the key, the error, `// searched:` columns
//   @missing @filled_in       the guard columns, the counters and the `// defaults:`: are any NULL; each with its default
//   @initial @is_claimed @is_resumed @is_resting @states   the states: the first, those a claim enters, those a claim
//                             resumes from, those in which a row rests or waits for somebody's step, all of them
//   @held                     the condition of a row that somebody holds; in `// stays:`, the states of held rows
//   @misaligned               the conditions of all align_ blocks, joined by OR
//   @pipeline @FAILURE        the pipeline's name, the relationship to its failures
//
// `seq`, `due` and `lease` guard every write; the state string is for people. Free to be claimed at the start: lease = 0
// and due is the earliest moment. Free, to be resumed from where it stands: lease = -1. Claimed: lease is the claim's
// token and due = $never. At rest: lease = 0 and due = $never.

// == Claims ==

// name: heartbeat(seqs, lo, hi, tokens, at)
// stays: @held
// beyond: a worker says that its work goes on, for all of its claims in one statement.
// guard
// by: seqs between lo and hi
// Say that the work on these rows goes on.
MATCH (a:@Label)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease IN $tokens
SET a.claimed_at = $at
RETURN a.seq AS seq, a.lease AS token;

// name: stale(cutoff, limit)
// Claims with no heartbeat since the cutoff, or whose lease was lost by hand.
MATCH (a:@Label)
WHERE @held AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
RETURN a.seq AS seq, @key_text AS key, a.@state AS state, a.lost_claims AS lost_claims, a.failure_count AS failure_count,
    a.claimed_by AS claimed_by
ORDER BY a.seq LIMIT $limit;

// name: oldest_heartbeat()
// The heartbeat of the claim that has been silent longest.
MATCH (a:@Label)
WHERE @held
RETURN min(a.claimed_at) AS at, count(*) AS claimed;

// name: note_failure(seq, key, id, at, attempt, kind, message, trace)
// unless: number key
// held: seq
// Keep what went wrong as a node on its row; the id has ten values a row, so that the eleventh replaces the first.
MATCH (a:@Label {@key: $key})
WHERE a.seq = $seq
MERGE (f:Failure {id: $id})
SET f.pipeline = '@pipeline', f.row = $key, f.at = $at, f.attempt = $attempt, f.kind = $kind, f.message = $message,
    f.trace = $trace
MERGE (a)-[:@FAILURE]->(f);

// name: note_failure(seq, key, id, at, attempt, kind, message, trace)
// if: number key
// held: seq
// literal: seq
// Keep what went wrong as a node on its row; the id has ten values a row, so that the eleventh replaces the first. A key
// that is cast is found by no index, so the row is looked for by its number, too.
MATCH (a:@Label)
WHERE a.seq >= $seq AND a.seq <= $seq AND a.@key = CAST($key AS INT64)
MERGE (f:Failure {id: $id})
SET f.pipeline = '@pipeline', f.row = @key_text, f.at = $at, f.attempt = $attempt, f.kind = $kind,
    f.message = $message, f.trace = $trace
MERGE (a)-[:@FAILURE]->(f);

// == What comes next ==
// The ready cache is filled from these. Where more rows are ready than it holds, it takes the first in the order of the
// queue, and of these the next range of row numbers.

// name: ready(now, lease, limit)
// What can be claimed now, in claim order: rows at the start (lease 0) or rows to be resumed (-1).
MATCH (a:@Label)
WHERE a.due <= $now AND a.lease = $lease
RETURN @row
ORDER BY @order LIMIT $limit;

// name: frontier(now, lease)
// if: ordered
// How many rows are ready, and the first place in the order among them; numbers alone, so that it is quick.
MATCH (a:@Label)
WHERE a.due <= $now AND a.lease = $lease
RETURN min(@depth) AS depth, count(*) AS ready, min(a.due) AS earliest;

// name: frontier_at(now, lease, depth)
// if: ordered
// Between which row numbers the ready rows of one depth lie.
MATCH (a:@Label)
WHERE a.due <= $now AND a.lease = $lease AND @depth = $depth
RETURN min(a.seq) AS lo, max(a.seq) AS hi, count(*) AS ready;

// name: ready_at(now, lease, depth, lo, hi, limit)
// if: ordered
// literal: lo, hi
// What can be claimed now of one depth, between two row numbers.
MATCH (a:@Label)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.due <= $now AND a.lease = $lease AND @depth = $depth
RETURN @row
ORDER BY a.seq LIMIT $limit;

// name: frontier(now, lease)
// unless: ordered
// How many rows are ready, and between which row numbers they lie; numbers alone, so that it is quick.
MATCH (a:@Label)
WHERE a.due <= $now AND a.lease = $lease
RETURN min(a.seq) AS lo, max(a.seq) AS hi, count(*) AS ready, min(a.due) AS earliest;

// name: ready_between(now, lease, lo, hi, limit)
// unless: ordered
// literal: lo, hi
// What can be claimed now, between two row numbers.
MATCH (a:@Label)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.due <= $now AND a.lease = $lease
RETURN @row
ORDER BY a.seq LIMIT $limit;

// name: prioritised(first, lease, limit)
// What comes before everything else: rows that somebody prioritised.
MATCH (a:@Label)
WHERE a.due = $first AND a.lease = $lease
RETURN @row
ORDER BY @order LIMIT $limit;

// name: next_due(now, lease, never)
// When the next row that is backing off comes due.
MATCH (a:@Label)
WHERE a.due > $now AND a.due < $never AND a.lease = $lease
RETURN min(a.due) AS due, count(*) AS waiting;

// name: queued(now, depth)
// How many rows would be claimed now, and since when the first of them waits.
MATCH (a:@Label)
WHERE a.due <= $now AND a.lease <= 0 AND @depth <= $depth
RETURN count(*) AS ready, min(a.due) AS oldest;

// name: waiting_since(now, depth)
// Since when the first of these rows waits, of which that is known: not of those that were prioritised.
MATCH (a:@Label)
WHERE a.due > 0 AND a.due <= $now AND a.lease <= 0 AND @depth <= $depth
RETURN min(a.due) AS oldest;

// name: beyond_depth(now, depth)
// if: ordered
// How many rows could be claimed now if workers went deeper.
MATCH (a:@Label)
WHERE a.due <= $now AND a.lease <= 0 AND @depth > $depth
RETURN count(*) AS beyond;

// name: backing_off(now, never)
// How many rows back off. One that waits to be resumed does so only after a failure: until its step is due, another may
// be doing it.
MATCH (a:@Label)
WHERE a.due > $now AND a.due < $never AND a.lease <= 0 AND (a.lease = 0 OR a.@retry_count > 0)
RETURN count(*) AS backing_off;

// == Steps by hand ==

// name: prioritise(seqs, lo, hi, now, never, first)
// ready
// by: seqs between lo and hi
// Let these rows come before all others: they get a `due` that no other row has, until they are claimed. A row that backs
// off waits no longer; one that waits to be resumed is left alone until its step is due, as another may be doing it.
MATCH (a:@Label)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.due <> $first
    AND ((a.lease = 0 AND a.due < $never) OR (a.lease = -1 AND a.due <= $now))
SET a.due = $first
RETURN @row;

// name: holders(keys)
// Which of these rows are held, and by which claim.
@each_key
MATCH (a:@Label)
WHERE a.@key = key AND a.lease > 0
RETURN a.seq AS seq, @key_text AS key, a.@state AS state, a.lease AS token;

// == Lists ==

// name: named(keys)
// Where these rows stand.
@each_key
MATCH (a:@Label)
WHERE a.@key = key
RETURN a.seq AS seq, @key_text AS key, a.@state AS state;

// name: failed(contains, limit)
// What failed, the newest first, by a part of its key, of its error or of what else is searched.
MATCH (a:@Label)
WHERE a.@state = 'failed' AND ($contains = '' OR @found)
RETURN a.seq AS seq, @key_text AS key, a.@state AS state, a.last_error AS reason, a.@retry_count AS retry_count,
    a.@failed_at AS failed_at
ORDER BY a.@failed_at DESC LIMIT $limit;

// name: failed_named(keys)
// Which of these failed, and why.
@each_key
MATCH (a:@Label)
WHERE a.@key = key AND a.@state = 'failed'
RETURN a.seq AS seq, @key_text AS key, a.@state AS state, a.last_error AS reason, a.@retry_count AS retry_count,
    a.@failed_at AS failed_at;

// name: skipped(contains, limit)
// if: skips
// What was skipped, the newest first, by a part of its key, of the reason or of what else is searched.
MATCH (a:@Label)
WHERE a.@state = 'skipped' AND ($contains = '' OR @found)
RETURN a.seq AS seq, @key_text AS key, a.@state AS state, a.last_error AS reason, a.@retry_count AS retry_count,
    a.@failed_at AS failed_at
ORDER BY a.@failed_at DESC LIMIT $limit;

// name: skipped_named(keys)
// if: skips
// Which of these were skipped, and why.
@each_key
MATCH (a:@Label)
WHERE a.@key = key AND a.@state = 'skipped'
RETURN a.seq AS seq, @key_text AS key, a.@state AS state, a.last_error AS reason, a.@retry_count AS retry_count,
    a.@failed_at AS failed_at;

// name: failures(key)
// unless: number key
// What went wrong with one row, the newest first.
MATCH (a:@Label {@key: $key})-[:@FAILURE]->(f:Failure)
RETURN f.at AS at, f.attempt AS attempt, f.kind AS kind, f.message AS message, f.trace AS trace
ORDER BY f.at DESC;

// name: failures(key)
// if: number key
// literal: key
// What went wrong with one row, the newest first.
MATCH (a:@Label)-[:@FAILURE]->(f:Failure)
WHERE a.@key = CAST($key AS INT64)
RETURN f.at AS at, f.attempt AS attempt, f.kind AS kind, f.message AS message, f.trace AS trace
ORDER BY f.at DESC;

// name: counts()
// How many rows are in each state.
MATCH (a:@Label)
RETURN a.@state AS state, count(*) AS count
ORDER BY state;

// name: last_number()
// The highest row number given so far.
MATCH (a:@Label)
RETURN max(a.seq) AS seq;

// == States set by hand ==
// People may set a state at the console: the state wins, and the guard columns follow.

// name: misaligned(never, limit)
// Rows whose guard columns do not agree with their state.
MATCH (a:@Label)
WHERE @missing OR @misaligned
RETURN a.@key AS key, a.@state AS state, (@missing) AS incomplete
LIMIT $limit;

// name: number(rows)
// number: rows.seq
// table: rows
// Fill in the guard columns of rows that were made, or left, without them by hand.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (a:@Label)
WHERE a.@key = key
SET @filled_in;

// name: align_initial(now, never)
// unless: claimed in place
// Set to the initial state by hand: free, and due now.
MATCH (a:@Label)
WHERE a.@state = '@initial' AND (a.lease <> 0 OR a.due >= $never)
SET a.lease = 0, a.due = $now, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_initial(now, never)
// if: claimed in place
// Set to the initial state by hand: free, and due now.
MATCH (a:@Label)
WHERE a.@state = '@initial' AND (a.lease < 0 OR (a.lease > 0 AND a.due < $never) OR (a.lease = 0 AND a.due >= $never))
SET a.lease = 0, a.due = $now, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_claimed(never, nobody)
// if: claimed
// Set to a claimed state by hand: held by nobody, so that the reaper takes it back.
MATCH (a:@Label)
WHERE @is_claimed AND (a.lease <= 0 OR a.due < $never)
SET a.lease = $nobody, a.due = $never, a.claimed_by = NULL
RETURN a.seq AS seq;

// name: align_resumed(now, never)
// if: resumed
// Set by hand to a state from which work goes on: free, to be taken up from there.
MATCH (a:@Label)
WHERE @is_resumed AND (a.lease = 0 OR (a.lease > 0 AND a.due < $never) OR (a.lease < 0 AND a.due >= $never))
SET a.lease = -1, a.due = $now, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_resting(never)
// Set by hand to a state in which a row rests or waits for somebody: held by nobody, and never due.
MATCH (a:@Label)
WHERE @is_resting AND (a.lease <> 0 OR a.due < $never)
SET a.lease = 0, a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_unknown(never)
// Set to what is no state: out of the queue, until somebody says what was meant. The doctor reports these rows.
MATCH (a:@Label)
WHERE a.due < $never AND (a.@state IS NULL OR NOT a.@state IN @states)
SET a.lease = 0, a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;
