// The life of the vector of an item, a news article or a page: it waits for one, a worker embeds the text, and the search
// index follows by its new number.
// machine: TextVector.state
// pipeline: vector
// key: id
// failed_at: settled_at
// searched: kind
// defaults: kind = '', row = '', hash = 0, generation = -1
// states: waiting* claimed embedded! plain! failed! excluded!
// done: embedded, plain
//
// A row of the table stands for one row of another (`kind` and `row` name it), so that loading millions of items costs
// nothing where nobody wants their vectors. A job puts rows into the queue (edges.cypher, wait_for_vectors): when they
// come, and when their text changes, by `hash`. The text stays where it is, and is read when its turn comes. A row that
// enters the queue again gets a new number, so that a claim on its old text finds nothing.
//
// Generations are those of sections (section.cypher): an even one in `embedding`, an odd one in `other_embedding`.

// == Arrival ==

// name: seed(rows, now)
// move: -> waiting
// number: rows.seq
// ready
// table: rows
// Rows by their ids, made by hand; they name no text.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq
MERGE (a:TextVector {id: id})
ON CREATE SET a.seq = seq, a.kind = '', a.row = '', a.hash = 0, a.state = 'waiting', a.generation = -1,
    a.retry_count = 0, a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.id AS key, 0 AS depth, a.due AS due, a.lease AS lease,
    a.state AS state;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: waiting -> claimed
// by: seqs between lo and hi
// Take these rows, where they are still free and due.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = 0 AND a.due <= $now
SET a.state = 'claimed', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, due)
// move: claimed -> waiting
// guard
// ready
// by: seqs between lo and hi
// Give these rows back untouched, not to be claimed again before `due`.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'claimed'
SET a.state = 'waiting', a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0, a.due = $due
RETURN @row;

// == Completion ==

// name: complete(seqs, lo, hi, token, at)
// move: claimed -> embedded
// guard
// by: seqs between lo and hi
// These rows have their vectors, which follow in the same unit.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.state = 'embedded', a.settled_at = $at, a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0,
    a.lost_claims = 0, a.retry_count = 0, a.last_error = NULL
RETURN a.seq AS seq;

// name: leave_plain(seqs, lo, hi, token, at)
// move: claimed -> plain
// guard
// by: seqs between lo and hi
// These rows get no vector: there is no text, or no longer.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.state = 'plain', a.settled_at = $at, a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0
RETURN a.seq AS seq;

// name: embed_even(rows, lo, hi, generation)
// held: rows.claim
// number: rows.seq
// by: rows between lo and hi
// table: rows
// Vectors of an even generation; the new number brings them into the search index.
UNWIND $rows AS r
WITH r.claim AS claim, r.embedding AS embedding, r.seq AS seq
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = claim
SET a.embedding = as_text(embedding, FLOAT[]), a.generation = $generation, a.seq = seq;

// name: embed_odd(rows, lo, hi, generation)
// held: rows.claim
// number: rows.seq
// by: rows between lo and hi
// table: rows
// Vectors of an odd generation; the new number brings them into the search index.
UNWIND $rows AS r
WITH r.claim AS claim, r.embedding AS embedding, r.seq AS seq
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = claim
SET a.other_embedding = as_text(embedding, FLOAT[]), a.generation = $generation, a.seq = seq;

// == Failure ==

// name: retry(key, seq, token, due, error)
// move: claimed -> waiting
// guard
// ready
// by: seq
// It failed in a way that may pass: back into the queue, not before `due`.
MATCH (a:TextVector {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'claimed'
SET a.state = 'waiting', a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.due = $due
RETURN @row;

// name: fail(key, seq, token, at, error)
// move: claimed -> failed
// guard
// by: seq
// It failed for good: its tries are used up, or trying again can't help. It is still found by its words.
MATCH (a:TextVector {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'claimed'
SET a.state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.settled_at = $at,
    a.retry_count = a.retry_count + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0
RETURN a.seq AS seq;

// name: reclaim(seqs, lo, hi, cutoff, due, counted)
// move: claimed -> waiting
// guard
// ready
// by: seqs between lo and hi
// Their worker is gone: back into the queue.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'claimed'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.state = 'waiting', a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted,
    a.lease = 0, a.due = $due
RETURN @row;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: claimed -> failed
// guard
// by: seqs between lo and hi
// Their workers were lost too often: they fail.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'claimed'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 >= $max_lost
SET a.state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.settled_at = $at,
    a.lost_claims = a.lost_claims + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0,
    a.due = $never
RETURN a.seq AS seq;

// == Queue administration ==

// name: requeue(seqs, lo, hi, now)
// move: failed -> waiting
// ready
// by: seqs between lo and hi
// Failed rows go back into the queue with a clean slate.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed'
SET a.state = 'waiting', a.settled_at = NULL, a.retry_count = 0, a.lost_claims = 0, a.last_error = NULL,
    a.lease = 0, a.due = $now
RETURN @row;

// name: exclude(seqs, lo, hi, at, never)
// move: waiting | failed -> excluded
// by: seqs between lo and hi
// These get no vector, whatever the model; they are still found by their words.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state IN ['waiting', 'failed']
SET a.state = 'excluded', a.embedding = as_text(NULL, FLOAT[]),
    a.other_embedding = as_text(NULL, FLOAT[]), a.settled_at = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// == Another model ==

// name: renew_even(seqs, lo, hi, now)
// move: embedded | plain | failed -> waiting
// ready
// by: seqs between lo and hi
// These rows get a vector of another model, of an even generation; search goes on with the one of the model in use.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state IN ['embedded', 'plain', 'failed']
SET a.state = 'waiting', a.embedding = as_text(NULL, FLOAT[]), a.retry_count = 0, a.lost_claims = 0,
    a.last_error = NULL, a.lease = 0, a.due = $now
RETURN @row;

// name: renew_odd(seqs, lo, hi, now)
// move: embedded | plain | failed -> waiting
// ready
// by: seqs between lo and hi
// These rows get a vector of another model, of an odd generation; search goes on with the one of the model in use.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state IN ['embedded', 'plain', 'failed']
SET a.state = 'waiting', a.other_embedding = as_text(NULL, FLOAT[]), a.retry_count = 0, a.lost_claims = 0,
    a.last_error = NULL, a.lease = 0, a.due = $now
RETURN @row;

// name: without_vector(after, generation, limit)
// Rows that have no vector of this generation and are in nobody's queue, in the order of their numbers.
MATCH (a:TextVector)
WHERE a.seq > $after AND a.generation < $generation AND a.lease = 0
    AND a.state IN ['embedded', 'plain', 'failed']
RETURN a.seq AS seq, '' AS path, a.state AS state
ORDER BY a.seq LIMIT $limit;

// name: unembedded(generation, never)
// How many rows have yet to get their vector of this generation.
MATCH (a:TextVector)
WHERE a.due < $never OR a.lease > 0 OR (a.generation < $generation AND a.state = 'embedded')
RETURN count(*) AS count;

// == What the handler reads ==

// name: texts(seqs, lo, hi)
// by: seqs between lo and hi
// Which rows these stand for.
MATCH (a:TextVector)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs
RETURN a.seq AS seq, a.kind AS kind, a.row AS row;

// == Search ==

// name: kinds()
// The kinds that have vectors.
MATCH (a:TextVector)
WHERE a.generation >= 0
RETURN DISTINCT a.kind AS kind;

// name: vectors_after(kind, after, limit)
// Rows of one kind whose number is higher, for the search index to catch up.
MATCH (a:TextVector)
WHERE a.seq > $after AND a.kind = $kind
RETURN a.seq AS seq, a.row AS id, as_list(a.embedding, FLOAT[]) AS embedding
ORDER BY a.seq LIMIT $limit;

// name: vectors_after_odd(kind, after, limit)
// The same with the vectors of an odd generation.
MATCH (a:TextVector)
WHERE a.seq > $after AND a.kind = $kind
RETURN a.seq AS seq, a.row AS id, as_list(a.other_embedding, FLOAT[]) AS embedding
ORDER BY a.seq LIMIT $limit;

// name: newest_change(after)
// The highest number beyond this one; numbers alone, so that every search can ask.
MATCH (a:TextVector)
WHERE a.seq > $after
RETURN max(a.seq) AS seq;
