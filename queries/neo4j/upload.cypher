// Uploads on Neo4j: the blocks whose text differs from queries/upload.cypher, each with its reason. Why rows are locked
// before they are checked is told in queries/neo4j/article.cypher.

// == Locks ==

// name: lock(seqs)
// Hold these uploads until the transaction ends; in the order of their numbers, so that two holders do not cross.
MATCH (u:Upload)
WHERE u.seq IN $seqs
SET u.lock = 0;

// name: lock_row(seq)
// Hold this upload until the transaction ends.
MATCH (u:Upload)
WHERE u.seq = $seq
SET u.lock = 0;

// == The queue ==

// name: ready_from(now, lease, skip, limit)
// What can be claimed now, from a place further back: workers that claim at the same time start at different places.
// The index upload_queue gives lease, moment and number in this order, so nothing is sorted.
MATCH (u:Upload)
WHERE u.lease = $lease AND u.due <= $now AND u.seq IS NOT NULL
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.state AS state, u.attempts AS retry_count,
    u.lost_claims AS lost_claims, u.failure_count AS failure_count
ORDER BY u.lease, u.due, u.seq SKIP $skip LIMIT $limit;

// == Words set by hand ==

// name: number(rows)
// number: rows.seq
// Give numbers to the uploads that were made, or left, without them by hand. Differs: locks before it looks.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (u:Upload)
WHERE u.upload_id = key
SET u.lock = 0
WITH u, seq
SET u.seq = coalesce(u.seq, seq), u.due = coalesce(u.due, 0), u.lease = coalesce(u.lease, 0),
    u.retry_count = coalesce(u.retry_count, 0), u.attempts = coalesce(u.attempts, 0),
    u.lost_claims = coalesce(u.lost_claims, 0), u.failure_count = coalesce(u.failure_count, 0),
    u.processed_items = coalesce(u.processed_items, 0), u.failed_items = coalesce(u.failed_items, 0);

// name: align_wordless(now)
// move: -> initial_state
// beyond: an upload made by hand with its name alone; the embedded engines have a default for the word.
// Made by hand without a word, and numbered a moment ago (so it is due since 0): it starts.
MATCH (u:Upload)
WHERE u.state IS NULL AND u.due = 0
SET u.state = 'initial_state', u.lease = 0, u.due = $now
RETURN u.seq AS seq;
