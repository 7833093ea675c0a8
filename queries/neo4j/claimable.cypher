// The shared blocks of the claim contract whose text differs on Neo4j (queries/claimable.cypher), and the locks.
//
// Neo4j reads what is committed and locks a row only when it is written. A guard that is read before the lock can be
// overtaken. Another transaction commits between the check and the write, and both believe that they won. So the row is
// locked first, by a write to a property of its own that nobody reads (`lock`), and checked then. The block that `// locks:`
// the parameter by which a guarded block names its rows (`// by:`) is put before it. Where a block finds its rows by
// other means, they are looked for, held (queries/neo4j/graph.cypher), and looked at again by the whole of its text.

// == Locks ==

// name: lock(seqs)
// locks: seqs
// Hold these rows until the transaction ends; in the order of their numbers, so that two holders do not cross.
MATCH (a:@Label)
WHERE a.seq IN $seqs
SET a.lock = 0;

// name: lock_row(seq)
// locks: seq
// Hold this row until the transaction ends.
MATCH (a:@Label)
WHERE a.seq = $seq
SET a.lock = 0;

// name: lock_rows(rows)
// locks: rows
// Hold the rows that these are about until the transaction ends, in the order of their numbers.
UNWIND $rows AS r
WITH r.seq AS seq
ORDER BY seq
MATCH (a:@Label)
WHERE a.seq = seq
SET a.lock = 0;

// == The queue ==
// Where a claim enters a state, an index of state, order and number gives rows in claim order: the state is compared for
// equality and stands first in the ORDER BY, the others are only asked to be there. So nothing is sorted, and the scan
// stops at the limit. A lease of 0 means the initial state, one of -1 the state that is resumed from. Where rows are
// claimed in place, the index holds lease, due and number.

// name: ready(now, lease, limit)
// if: queued by state
// What can be claimed now, in claim order. Differs: the order comes from the index.
MATCH (a:@Label)
WHERE a.@state = CASE $lease WHEN 0 THEN '@initial' ELSE '@resumed' END
    AND @ordered a.seq IS NOT NULL AND a.due <= $now AND a.lease = $lease
RETURN @row
ORDER BY a.@state, @order LIMIT $limit;

// name: ready_from(now, lease, skip, limit)
// if: queued by state
// The same from a place further back: workers that claim at the same time start at different places. What somebody
// prioritised comes first, by its marks. What is the same in every row (its lease is the one asked for) is not sent.
MATCH (p:Prioritised) USING INDEX p:Prioritised(pipeline, depth, seq)
WHERE p.pipeline = '@pipeline' AND p.depth IS NOT NULL AND p.seq IS NOT NULL
MATCH (a:@Label)
WHERE a.seq = p.seq AND a.due < 0 AND a.lease = $lease
RETURN a.seq AS seq, @key_text AS key, @depth AS depth, a.due AS due, a.@state AS state,
    a.@retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY p.pipeline, p.depth, p.seq LIMIT $skip + $limit
UNION ALL
MATCH (a:@Label)
WHERE a.@state = CASE $lease WHEN 0 THEN '@initial' ELSE '@resumed' END
    AND @ordered a.seq IS NOT NULL AND a.due <= $now AND a.lease = $lease
    AND (a.due >= 0 OR NOT EXISTS { MATCH (m:Prioritised) WHERE m.pipeline = '@pipeline' AND m.seq = a.seq })
RETURN a.seq AS seq, @key_text AS key, @depth AS depth, $now AS due, a.@state AS state,
    a.@retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.@state, @order SKIP $skip LIMIT $limit;

// name: next_due(now, lease, never)
// if: queued by state
// When the next row that is backing off comes due. Differs: by the index of the states.
MATCH (a:@Label)
WHERE a.@state = CASE $lease WHEN 0 THEN '@initial' ELSE '@resumed' END
    AND @ordered a.seq IS NOT NULL AND a.due > $now AND a.due < $never AND a.lease = $lease
RETURN min(a.due) AS due, count(*) AS waiting;

// name: ready_from(now, lease, skip, limit)
// unless: queued by state
// What can be claimed now, from a place further back: workers that claim at the same time start at different places.
// The index gives lease, due and number in this order, so nothing is sorted.
MATCH (a:@Label)
WHERE a.lease = $lease AND a.due <= $now AND a.seq IS NOT NULL
RETURN a.seq AS seq, @key_text AS key, @depth AS depth, a.due AS due, a.@state AS state,
    a.@retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.lease, a.due, a.seq SKIP $skip LIMIT $limit;

// name: next_due(now, lease, never)
// unless: queued by state
// When the next row that is backing off comes due. Differs: by the index of the queue, which wants all three columns.
MATCH (a:@Label)
WHERE a.lease = $lease AND a.due > $now AND a.due < $never AND a.seq IS NOT NULL
RETURN min(a.due) AS due, count(*) AS waiting;

// name: stale(cutoff, limit)
// unless: queued by state
// Claims with no heartbeat since the cutoff, or whose lease was lost by hand. Differs: by the index of the queue.
MATCH (a:@Label)
WHERE @held AND a.due IS NOT NULL AND a.seq IS NOT NULL AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
RETURN a.seq AS seq, @key_text AS key, a.@state AS state, a.lost_claims AS lost_claims,
    a.failure_count AS failure_count, a.claimed_by AS claimed_by
ORDER BY a.seq LIMIT $limit;

// name: oldest_heartbeat()
// unless: queued by state
// The heartbeat of the claim that has been silent longest. Differs: by the index of the queue.
MATCH (a:@Label)
WHERE @held AND a.due IS NOT NULL AND a.seq IS NOT NULL
RETURN min(a.claimed_at) AS at, count(*) AS claimed;

// == Prioritised rows ==
// A queue in the order of its index does not see which rows somebody prioritised (their `due` is negative), so each has
// a mark, in an index of marks alone. A mark without such a row says nothing; it goes with the next claim, or the next
// time that somebody prioritises.

// name: prioritise(seqs, lo, hi, now, never, first)
// ready
// by: seqs between lo and hi
// Let these rows come before all others. Differs: locks before it looks, and each gets a mark, by which it is found.
MATCH (a:@Label)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs
SET a.lock = 0
WITH a
WHERE a.due <> $first AND ((a.lease = 0 AND a.due < $never) OR (a.lease = -1 AND a.due <= $now))
SET a.due = $first
MERGE (p:Prioritised {pipeline: '@pipeline', seq: a.seq})
SET p.depth = @depth
RETURN @row;

// name: unmark(seqs)
// unlocked: a row whose mark is gone too early is claimed in its usual turn.
// These were claimed: their marks have served.
MATCH (p:Prioritised)
WHERE p.pipeline = '@pipeline' AND p.seq IN $seqs
DELETE p;

// name: drop_marks()
// unlocked: a row whose mark is gone too early is claimed in its usual turn.
// Marks of rows that are prioritised no longer: claimed by other ways, or moved by hand.
MATCH (p:Prioritised)
WHERE p.pipeline = '@pipeline'
OPTIONAL MATCH (a:@Label)
WHERE a.seq = p.seq AND a.due < 0
WITH p, a
WHERE a IS NULL
DELETE p;

// == States set by hand ==

// name: number(rows)
// number: rows.seq
// Fill in the guard columns of rows that were made, or left, without them by hand. Differs: locks before it looks.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (a:@Label)
WHERE a.@key = key
SET a.lock = 0
WITH a, seq
SET @filled_in;

// name: align_stateless(now)
// move: -> @initial
// beyond: a row made by hand with its key alone; the embedded engines have a default for the state.
// Made by hand without a state, and numbered a moment ago (so it is due since 0): it starts.
MATCH (a:@Label)
WHERE a.@state IS NULL AND a.due = 0
SET a.@state = '@initial', a.lease = 0, a.due = $now
RETURN a.seq AS seq;

// name: align_unknown(never)
// Set to what is no state: out of the queue, until somebody says what was meant. Differs: without a state, and numbered
// a moment ago, it was made by hand and starts.
MATCH (a:@Label)
WHERE a.due < $never AND ((a.@state IS NULL AND a.due <> 0) OR NOT a.@state IN @states)
SET a.lease = 0, a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;
