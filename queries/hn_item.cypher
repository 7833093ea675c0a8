// The life of an item of Hacker News: it is ingested, validated, deduplicated, linked, indexed and completed, or it fails.
// document: hn-item-workflow.md
// machine: HNItem.state
// pipeline: hn_item
// key: hnId INT64
// retry_count: retryCount
// failed_at: lastFailureAt
// defaults: stamp = seq
// states: initial_state* ingested validated deduplicated hierarchy_resolved indexed completed! failed!
//
// Items come in by the thousand, and a cascade passes through all states in one transaction: what is on the disk is
// always a state with all that it promises. So `take_in` makes completed items, `refuse` failed ones. The single steps
// stand below them with their processors and criteria, which workers/hn/ingest/ runs in this order; rows that a hand put
// into a middle state go on from there.
//
// claimable.cypher explains the guard columns and holds what every pipeline has besides its moves. Items are
// claimed in place: no state means claimed. A failed item that is to be tried again has the moment in `retryDue`.
// Ids are numbers that grow, so a lower bound on them lets the engine pass over everything older.

// == Arrival ==

// name: seed(rows, now)
// move: -> initial_state
// number: rows.seq
// ready
// beyond: an id may be put in before its content is there; a worker fetches it.
// Put these ids in, where they are not there yet.
UNWIND $rows AS r
WITH CAST(r.hnId AS INT64) AS hnId, r.seq AS seq
MERGE (a:HNItem {hnId: hnId})
ON CREATE SET a.seq = seq, a.stamp = seq, a.state = 'initial_state', a.retryCount = 0, a.due = $now, a.lease = 0,
    a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, CAST(a.hnId AS STRING) AS key, 0 AS depth, a.due AS due, a.lease AS lease,
    a.state AS state;

// name: take_in(rows, first_id, at, never)
// move: -> initial_state -> ingested -> validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// transition: auto_ingest, validate_item, check_duplicates, resolve_hierarchy, index_item, complete_processing
// number: rows.seq
// table: rows
// floor: first_id
// New items, all the way: checked, linked by the steps that follow in their unit, and stamped for the index.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.type AS type, r.by AS author, r.time AS time, r.title AS title, r.text AS text,
    r.plain AS plain, r.url AS url, r.score AS score, r.descendants AS descendants, r.parent AS parent,
    r.poll AS poll, r.kids AS kids, r.parts AS parts, r.deleted AS deleted, r.dead AS dead, r.extra AS extra,
    r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.story AS story, r.wants AS wants, r.seq AS seq
WHERE NOT EXISTS { MATCH (b:HNItem) WHERE b.hnId >= $first_id AND b.hnId = hnId }
CREATE (a:HNItem {hnId: hnId, type: type, by: author, time: time, title: title, text: text, plain: plain, url: url,
    score: score, descendants: descendants, parent: parent, poll: poll, kids: as_text(kids, INT64[]),
    parts: as_text(parts, INT64[]), deleted: deleted,
    dead: dead, extra: extra, sourceType: source, fetchedAt: fetchedAt, hash: hash, story: story, wants: wants,
    seq: seq, stamp: seq, ingestedAt: $at, lastUpdated: $at, state: 'completed', retryCount: 0, due: $never, lease: 0,
    lost_claims: 0, failure_count: 0})
RETURN a.seq AS seq, a.hnId AS hnId, a.stamp AS stamp;

// name: refuse(rows, first_id, at, never)
// move: -> initial_state -> ingested -> failed
// transition: auto_ingest, mark_failed
// number: rows.seq
// table: rows
// floor: first_id
// New items that a criterion or a processor refused: failed, with what was given and why.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.raw AS raw, r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.wants AS wants,
    r.failedIn AS failedIn, r.error AS error, r.retryDue AS retryDue, r.seq AS seq
WHERE NOT EXISTS { MATCH (b:HNItem) WHERE b.hnId >= $first_id AND b.hnId = hnId }
CREATE (a:HNItem {hnId: hnId, raw: raw, sourceType: source, fetchedAt: fetchedAt, hash: hash, wants: wants,
    failedIn: failedIn, last_error: error, retryDue: retryDue, seq: seq, stamp: seq, ingestedAt: $at, lastFailureAt: $at,
    state: 'failed', retryCount: 1, due: $never, lease: 0, lost_claims: 0, failure_count: 1})
RETURN a.seq AS seq, a.hnId AS hnId, a.stamp AS stamp;

// name: bring_on(rows, first_id, at, never)
// move: initial_state -> ingested -> validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: ingested -> validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: deduplicated -> hierarchy_resolved -> indexed -> completed
// move: hierarchy_resolved -> indexed -> completed
// move: indexed -> completed
// move: failed -> ingested -> validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// transition: auto_ingest, validate_item, check_duplicates, resolve_hierarchy, index_item, complete_processing
// beyond failed -> ingested: a good copy arrived for an item that had failed: no retry is burnt.
// number: rows.stamp
// by: rows
// table: rows
// floor: first_id
// Items that were known without being completed, now with a copy that passes: all the way in one step.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.type AS type, r.by AS author, r.time AS time, r.title AS title, r.text AS text,
    r.plain AS plain, r.url AS url, r.score AS score, r.descendants AS descendants, r.parent AS parent,
    r.poll AS poll, r.kids AS kids, r.parts AS parts, r.deleted AS deleted, r.dead AS dead, r.extra AS extra,
    r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.story AS story, r.wants AS wants, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.lease <= 0
    AND a.state IN ['initial_state', 'ingested', 'validated', 'deduplicated', 'hierarchy_resolved', 'indexed', 'failed']
SET a.state = 'completed', a.type = type, a.by = author, a.time = time, a.title = title, a.text = text, a.plain = plain, a.url = url,
    a.score = score, a.descendants = descendants, a.parent = parent, a.poll = poll,
    a.kids = as_text(kids, INT64[]), a.parts = as_text(parts, INT64[]),
    a.deleted = deleted, a.dead = dead, a.extra = extra, a.sourceType = source, a.fetchedAt = fetchedAt,
    a.hash = hash, a.story = story, a.wants = wants, a.stamp = stamp, a.lastUpdated = $at,
    a.ingestedAt = coalesce(a.ingestedAt, $at), a.raw = NULL, a.last_error = NULL, a.failedIn = NULL,
    a.retryDue = NULL, a.lease = 0, a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq, a.hnId AS hnId, a.stamp AS stamp;

// name: refuse_known(rows, first_id, at, never)
// move: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// move: failed -> failed
// transition: mark_failed
// manual
// processors: HNItemFailureProcessor
// beyond initial_state -> failed: the document's text says any state, its drawing leaves this one out.
// beyond failed -> failed: a newer copy is refused as well; what it says replaces what was there.
// number: rows.stamp
// by: rows
// table: rows
// floor: first_id
// Items that were known without being completed, whose newest copy is refused.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.raw AS raw, r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.wants AS wants,
    r.failedIn AS failedIn, r.error AS error, r.retryDue AS retryDue, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.lease <= 0
    AND a.state IN ['initial_state', 'ingested', 'validated', 'deduplicated', 'hierarchy_resolved', 'indexed', 'failed']
SET a.state = 'failed', a.raw = raw, a.sourceType = source, a.fetchedAt = fetchedAt, a.hash = hash, a.wants = wants,
    a.failedIn = failedIn, a.last_error = error, a.retryDue = retryDue, a.lastFailureAt = $at,
    a.retryCount = CASE WHEN a.retryCount < 1 THEN 1 ELSE a.retryCount END, a.failure_count = a.failure_count + 1,
    a.stamp = stamp, a.lease = 0, a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq, a.hnId AS hnId, a.stamp AS stamp;

// name: disown(rows, first_id, at, never)
// move: completed -> failed
// transition: mark_failed
// manual
// processors: HNItemFailureProcessor
// beyond: the document's text says any state, its drawing leaves this one out.
// number: rows.stamp
// by: rows
// table: rows
// floor: first_id
// Items that name no parent (poll), and that no list of kids (parts) names any more: as if they had just been refused.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.raw AS raw, r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.wants AS wants,
    r.failedIn AS failedIn, r.error AS error, r.retryDue AS retryDue, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.lease <= 0 AND a.state = 'completed'
SET a.state = 'failed', a.raw = raw, a.sourceType = source, a.fetchedAt = fetchedAt, a.hash = hash, a.wants = wants,
    a.failedIn = failedIn, a.last_error = error, a.retryDue = retryDue, a.lastFailureAt = $at, a.retryCount = 1,
    a.failure_count = a.failure_count + 1, a.type = NULL, a.by = NULL, a.time = NULL, a.title = NULL, a.text = NULL,
    a.plain = NULL, a.url = NULL, a.score = NULL, a.descendants = NULL, a.parent = NULL, a.poll = NULL, a.kids = NULL,
    a.parts = NULL, a.deleted = NULL, a.dead = NULL, a.extra = NULL, a.story = NULL, a.stamp = stamp, a.lease = 0,
    a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq, a.hnId AS hnId, a.stamp AS stamp;

// == The steps one by one ==

// name: auto_ingest(seqs, lo, hi, at, now)
// move: initial_state -> ingested
// transition: auto_ingest
// processors: HNItemIngestionProcessor
// guard
// by: seqs between lo and hi
// New items are ingested.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'initial_state' AND a.lease <= 0
SET a.state = 'ingested', a.lease = -1, a.due = $now, a.ingestedAt = $at
RETURN a.seq AS seq;

// name: validate_item(seqs, lo, hi, at, now)
// move: ingested -> validated
// transition: validate_item
// processors: HNItemValidationProcessor
// criteria: HNItemValidCriterion
// guard
// by: seqs between lo and hi
// Their data and structure are valid.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'ingested' AND a.lease <= 0
SET a.state = 'validated', a.lease = -1, a.due = $now, a.lastUpdated = $at
RETURN a.seq AS seq;

// name: check_duplicates(seqs, lo, hi, now)
// move: validated -> deduplicated
// transition: check_duplicates
// processors: HNItemDeduplicationProcessor
// guard
// by: seqs between lo and hi
// Copies of the same item are one.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'validated' AND a.lease <= 0
SET a.state = 'deduplicated', a.lease = -1, a.due = $now
RETURN a.seq AS seq;

// name: resolve_hierarchy(seqs, lo, hi, now)
// move: deduplicated -> hierarchy_resolved
// transition: resolve_hierarchy
// processors: HNItemHierarchyProcessor
// criteria: HNItemHierarchyValidCriterion
// guard
// by: seqs between lo and hi
// They know their place in the thread.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'deduplicated' AND a.lease <= 0
SET a.state = 'hierarchy_resolved', a.lease = -1, a.due = $now
RETURN a.seq AS seq;

// name: index_item(seqs, lo, hi, now)
// move: hierarchy_resolved -> indexed
// transition: index_item
// processors: HNItemIndexingProcessor
// guard
// by: seqs between lo and hi
// The search index is told of them.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'hierarchy_resolved' AND a.lease <= 0
SET a.state = 'indexed', a.lease = -1, a.due = $now
RETURN a.seq AS seq;

// name: complete_processing(seqs, lo, hi, never)
// move: indexed -> completed
// transition: complete_processing
// criteria: HNItemCompleteCriterion
// guard
// by: seqs between lo and hi
// They are fully processed.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'indexed' AND a.lease <= 0
SET a.state = 'completed', a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// stays: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed
// beyond: a worker takes what is left in a state that is not a state of rest.
// by: seqs between lo and hi
// Take these items, where they are still free and due.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease <= 0 AND a.due <= $now
SET a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, due)
// stays: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed
// beyond: a worker that stops gives back what it holds, at no cost to the item.
// guard
// ready
// by: seqs between lo and hi
// Give these items back untouched, not to be claimed again before `due`.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.claimed_by = NULL, a.claimed_at = NULL, a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END,
    a.due = $due
RETURN @row;

// == Completion ==

// name: complete(seqs, lo, hi, token, at)
// move: initial_state -> ingested -> validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: ingested -> validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: deduplicated -> hierarchy_resolved -> indexed -> completed
// move: hierarchy_resolved -> indexed -> completed
// move: indexed -> completed
// transition: auto_ingest, validate_item, check_duplicates, resolve_hierarchy, index_item, complete_processing
// guard
// by: seqs between lo and hi
// The worker has brought them all the way; their content follows in the same unit.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.state = 'completed', a.lastUpdated = $at, a.ingestedAt = coalesce(a.ingestedAt, $at), a.lease = 0,
    a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// == Failure ==

// name: retry(key, seq, token, due, error)
// stays: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed
// beyond: what failed in a way that may pass is tried again from where it stood.
// guard
// ready
// by: seq
// literal: seq
// It failed in a way that may pass: back into the queue, not before `due`.
MATCH (a:HNItem)
WHERE a.seq >= $seq AND a.seq <= $seq AND a.hnId = CAST($key AS INT64) AND a.lease = $token
SET a.claimed_by = NULL, a.claimed_at = NULL, a.retryCount = a.retryCount + 1, a.failure_count = a.failure_count + 1,
    a.last_error = $error, a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END, a.due = $due
RETURN @row;

// name: fail(key, seq, token, at, error)
// move: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// transition: mark_failed
// manual
// processors: HNItemFailureProcessor
// beyond initial_state -> failed: the document's text says any state, its drawing leaves this one out.
// guard
// by: seq
// literal: seq
// It failed for good: its tries are used up, or trying again can't help.
MATCH (a:HNItem)
WHERE a.seq >= $seq AND a.seq <= $seq AND a.hnId = CAST($key AS INT64) AND a.lease = $token
SET a.failedIn = a.state, a.claimed_by = NULL, a.claimed_at = NULL, a.lastFailureAt = $at,
    a.retryCount = a.retryCount + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0,
    a.state = 'failed'
RETURN a.seq AS seq;

// name: mark_failed(rows, first_id, at, never)
// move: ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// move: initial_state | completed | failed -> failed
// transition: mark_failed
// manual
// processors: HNItemFailureProcessor
// beyond initial_state -> failed: the document's text says any state, its drawing leaves this one out.
// beyond completed -> failed: the document's text says any state, its drawing leaves this one out.
// beyond failed -> failed: the document's text says any state; another reason costs the item no try.
// number: rows.stamp
// guard
// by: rows
// table: rows
// floor: first_id
// Processing failed: the reason is kept, and the next try is planned where there are tries left.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.error AS error, r.retryDue AS retryDue, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.lease <= 0
    AND a.state IN ['initial_state', 'ingested', 'validated', 'deduplicated', 'hierarchy_resolved', 'indexed', 'completed', 'failed']
SET a.failedIn = CASE WHEN a.state = 'failed' THEN a.failedIn ELSE a.state END,
    a.retryCount = CASE WHEN a.state = 'failed' THEN a.retryCount ELSE a.retryCount + 1 END, a.failure_count = a.failure_count + 1, a.lastFailureAt = $at,
    a.last_error = error, a.retryDue = retryDue, a.stamp = stamp, a.lease = 0, a.due = $never, a.claimed_by = NULL,
    a.claimed_at = NULL, a.state = 'failed'
RETURN a.seq AS seq, a.hnId AS hnId, a.retryCount AS retryCount, a.stamp AS stamp;

// name: retry_processing(seqs, lo, hi, now, at, since, max_retries)
// move: failed -> ingested
// transition: retry_processing
// manual
// processors: HNItemRetryProcessor
// criteria: HNItemRetryableCriterion
// guard
// ready
// by: seqs between lo and hi
// Failed items within their tries and their time are processed again.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed' AND a.lease <= 0
    AND a.retryCount < $max_retries AND (a.lastFailureAt IS NULL OR a.lastFailureAt > $since)
SET a.state = 'ingested', a.retryAttemptAt = $at, a.last_error = NULL, a.failedIn = NULL, a.retryDue = NULL, a.lease = -1,
    a.due = $now
RETURN @row;

// name: reclaim(seqs, lo, hi, cutoff, due, counted)
// stays: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed
// beyond: work that was lost goes on from where it stood.
// guard
// ready
// by: seqs between lo and hi
// Their worker is gone: free, to be taken up from where they stand.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease > 0
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted,
    a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END, a.due = $due
RETURN @row;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// transition: mark_failed
// manual
// processors: HNItemFailureProcessor
// beyond initial_state -> failed: the document's text says any state, its drawing leaves this one out.
// guard
// by: seqs between lo and hi
// Their workers were lost too often: they fail.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease > 0
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 >= $max_lost
SET a.failedIn = a.state, a.claimed_by = NULL, a.claimed_at = NULL, a.lastFailureAt = $at,
    a.lost_claims = a.lost_claims + 1, a.retryCount = a.retryCount + 1, a.failure_count = a.failure_count + 1,
    a.last_error = $error, a.lease = 0, a.due = $never, a.state = 'failed'
RETURN a.seq AS seq;

// == By hand ==

// name: requeue(seqs, lo, hi, now)
// move: failed -> ingested
// beyond: a retry by hand with a clean slate, whatever the tries and the time.
// ready
// by: seqs between lo and hi
// Failed items go back into the queue with a clean slate.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed' AND a.lease <= 0
SET a.state = 'ingested', a.retryCount = 0, a.lost_claims = 0, a.last_error = NULL, a.failedIn = NULL, a.retryDue = NULL,
    a.lease = -1, a.due = $now
RETURN @row;

// name: exclude(seqs, lo, hi, at, never)
// move: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// beyond: the document has no place for what nobody wants: it rests as failed, with that as the reason.
// by: seqs between lo and hi
// Out for good: never claimed again.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease <= 0
    AND a.state IN ['initial_state', 'ingested', 'validated', 'deduplicated', 'hierarchy_resolved', 'indexed']
SET a.state = 'failed', a.last_error = 'excluded by hand', a.lastFailureAt = $at, a.retryDue = NULL, a.lease = 0,
    a.due = $never
RETURN a.seq AS seq;

// == What an item holds ==

// name: merge(rows, first_id, at)
// number: rows.stamp
// held: rows.claim
// table: rows
// floor: first_id
// unlocked: items are taken in by turns, one process at a time.
// A newer copy of completed items: their data changes, their state does not.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.type AS type, r.by AS author, r.time AS time, r.title AS title, r.text AS text,
    r.plain AS plain, r.url AS url, r.score AS score, r.descendants AS descendants, r.parent AS parent,
    r.poll AS poll, r.kids AS kids, r.parts AS parts, r.deleted AS deleted, r.dead AS dead, r.extra AS extra,
    r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.story AS story, r.wants AS wants, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.state = 'completed'
SET a.type = type, a.by = author, a.time = time, a.title = title, a.text = text, a.plain = plain, a.url = url,
    a.score = score, a.descendants = descendants, a.parent = parent, a.poll = poll,
    a.kids = as_text(kids, INT64[]), a.parts = as_text(parts, INT64[]),
    a.deleted = deleted, a.dead = dead, a.extra = extra, a.sourceType = source, a.fetchedAt = fetchedAt,
    a.hash = hash, a.story = story, a.wants = wants, a.stamp = stamp, a.lastUpdated = $at
RETURN a.seq AS seq, a.hnId AS hnId, a.stamp AS stamp;

// name: touch(rows, first_id)
// table: rows
// floor: first_id
// unlocked: items are taken in by turns, one process at a time.
// Seen again, and nothing has changed: only the time of the copy is newer.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.fetchedAt AS fetchedAt
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.fetchedAt < fetchedAt
SET a.fetchedAt = fetchedAt
RETURN a.seq AS seq;

// name: plan_retry(rows, first_id, max_retries)
// held: rows.claim
// table: rows
// floor: first_id
// unlocked: its claim is held, so its row is locked.
// What a worker gave up is tried again later, where there are tries left.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.retryDue AS retryDue
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.state = 'failed' AND a.retryCount < $max_retries
SET a.retryDue = retryDue
RETURN a.seq AS seq;

// name: give_up_retry(seqs, lo, hi)
// by: seqs between lo and hi
// unlocked: who is tried again meanwhile has no use for the moment that it takes away.
// Too late or too often: these stay failed until somebody looks at them.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed'
SET a.retryDue = NULL
RETURN a.seq AS seq;

// name: note_failures(rows, at)
// table: rows
// Keep what went wrong with many items that were just taken in, a node on each.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.id AS id, r.kind AS kind, r.attempt AS attempt, r.message AS message, r.trace AS trace
MATCH (a:HNItem)
WHERE a.hnId = hnId
MERGE (f:Failure {id: id})
SET f.pipeline = 'hn_item', f.row = CAST(a.hnId AS STRING), f.at = $at, f.attempt = attempt, f.kind = kind,
    f.message = message, f.trace = trace
MERGE (a)-[:HN_ITEM_FAILURE]->(f);

// name: reject(id, at, message, given)
// Something without a usable id came in: it is kept as an error that belongs to no item.
MERGE (f:Failure {id: $id})
SET f.pipeline = 'hn_item', f.row = '', f.at = $at, f.attempt = 1, f.kind = 'rejected', f.message = $message,
    f.trace = $given;

// == Threads ==
// A relationship leads from the parent to each child, and from an option to its poll. It is there once both ends are,
// in whatever order they came.

// name: link(rows, first_parent, first_child)
// held: rows.claim
// table: rows
// floor: first_parent, first_child
// Put items below their parents; both were never linked.
UNWIND $rows AS r
WITH r.parent AS parent, r.child AS child
MATCH (p:HNItem)
WHERE p.hnId >= $first_parent AND p.hnId = parent
WITH p, child
MATCH (c:HNItem)
WHERE c.hnId >= $first_child AND c.hnId = child
CREATE (p)-[:PARENT_OF {gone: 0}]->(c);

// name: link_one(parent, child)
// literal: parent, child
// Put an item below its parent, where it is not.
MATCH (p:HNItem {hnId: $parent}), (c:HNItem {hnId: $child})
MERGE (p)-[l:PARENT_OF]->(c)
SET l.gone = 0;

// name: unlink(child, parent, at_ms)
// literal: parent, child
// A newer copy names another parent: the item no longer stands below the old one.
MATCH (p:HNItem {hnId: $parent})-[l:PARENT_OF]->(c:HNItem {hnId: $child})
SET l.gone = $at_ms;

// name: option(rows, first_parent, first_child)
// held: rows.claim
// table: rows
// floor: first_parent, first_child
// Options belong to their polls; both were never linked.
UNWIND $rows AS r
WITH r.parent AS parent, r.child AS child
MATCH (p:HNItem)
WHERE p.hnId >= $first_parent AND p.hnId = parent
WITH p, child
MATCH (c:HNItem)
WHERE c.hnId >= $first_child AND c.hnId = child
CREATE (c)-[:OPTION_OF {gone: 0}]->(p);

// name: option_one(parent, child)
// literal: parent, child
// An option belongs to its poll, where it does not yet.
MATCH (p:HNItem {hnId: $parent}), (c:HNItem {hnId: $child})
MERGE (c)-[l:OPTION_OF]->(p)
SET l.gone = 0;

// name: unlink_option(child, parent, at_ms)
// literal: child, parent
// A newer copy names another poll: the option no longer belongs to the old one.
MATCH (c:HNItem {hnId: $child})-[l:OPTION_OF]->(p:HNItem {hnId: $parent})
SET l.gone = $at_ms;

// name: settle_story(rows, first_id)
// number: rows.stamp
// table: rows
// floor: first_id
// unlocked: items are taken in by turns, one process at a time.
// Another story stands at the top of these: the way up is whole now, or broken, or leads elsewhere.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.story AS story, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.story >= 0
SET a.story = story, a.stamp = stamp
RETURN a.seq AS seq, a.stamp AS stamp;

// name: unresolved()
// Items from which no way leads up to a story yet.
MATCH (a:HNItem)
WHERE a.story = 0
RETURN a.hnId AS hnId, coalesce(a.parent, a.poll) AS above, a.parent IS NULL AS option;

// name: members(stories)
// Everything that stands below these stories, each with what is right above it.
MATCH (a:HNItem)
WHERE a.story IN $stories AND (a.parent > 0 OR a.poll > 0)
RETURN a.hnId AS hnId, a.story AS story, coalesce(a.parent, a.poll) AS above, a.parent IS NULL AS option;

// name: left_behind(limit)
// Items without a story whose parent has one: a worker and an arrival passed each other.
MATCH (p:HNItem)-[l:PARENT_OF]->(c:HNItem)
WHERE c.story = 0 AND p.story > 0 AND l.gone = 0
RETURN c.hnId AS hnId, p.story AS story
LIMIT $limit;

// name: wanting()
// Items that name nothing above them, or were given it by a list of kids or parts.
MATCH (a:HNItem)
WHERE a.wants > 0
RETURN a.hnId AS hnId, a.wants AS wants, coalesce(a.parent, a.poll) AS above, a.state AS state, a.raw AS raw,
    a.sourceType AS source, a.fetchedAt AS fetchedAt;

// name: listing_kids(ids)
// Which items name these among their kids.
// Kuzu filters wrongly by `child IN $ids` where child is unwound from a row's list, and not by the same as a column.
MATCH (p:HNItem)
WITH p.hnId AS above, as_list(p.kids, INT64[]) AS children
WHERE size(children) > 0
UNWIND children AS child
WITH above, child, child IN $ids AS wanted
WHERE wanted
RETURN child AS child, collect(above) AS above;

// name: listing_parts(ids)
// Which items name these among their parts.
// Kuzu filters wrongly by `child IN $ids` where child is unwound from a row's list, and not by the same as a column.
MATCH (p:HNItem)
WITH p.hnId AS above, as_list(p.parts, INT64[]) AS children
WHERE size(children) > 0
UNWIND children AS child
WITH above, child, child IN $ids AS wanted
WHERE wanted
RETURN child AS child, collect(above) AS above;

// name: below(hnId)
// literal: hnId
// Everything up to thirty steps below an item.
MATCH (a:HNItem {hnId: $hnId})-[l:PARENT_OF*1..30 (e, n | WHERE e.gone = 0)]->(c:HNItem)
RETURN c.hnId AS hnId, c.parent AS parent, length(l) AS steps;

// name: above(hnId)
// literal: hnId
// Everything up to thirty steps above an item.
MATCH (a:HNItem {hnId: $hnId})<-[l:PARENT_OF*1..30 (e, n | WHERE e.gone = 0)]-(p:HNItem)
RETURN p.hnId AS hnId, length(l) AS steps
ORDER BY steps;

// name: options(hnId)
// literal: hnId
// The options of a poll.
MATCH (c:HNItem)-[l:OPTION_OF]->(p:HNItem {hnId: $hnId})
WHERE l.gone = 0
RETURN c.hnId AS hnId;

// == Walks over ids ==

// name: walk(name, first, last, next, at)
// How far a walk over a range of ids has come.
MERGE (w:HNWalk {name: $name})
SET w.first = $first, w.last = $last, w.next = $next, w.changed_at = $at;

// name: walks()
// Every walk, and how far it has come.
MATCH (w:HNWalk)
RETURN w.name AS name, w.first AS first, w.last AS last, w.next AS next, w.changed_at AS changed_at;

// name: note_missing(rows)
// Ids that answered null, to be asked for again from `due` on.
UNWIND $rows AS r
WITH CAST(r.hnId AS INT64) AS hnId, r.since AS since, r.asked AS asked, r.due AS due
MERGE (m:HNMissing {hnId: hnId})
SET m.since = since, m.asked = asked, m.due = due;

// name: forget_missing(rows)
// Ids that are there by now, or were asked for long enough.
UNWIND $rows AS r
WITH CAST(r.hnId AS INT64) AS hnId
MATCH (m:HNMissing {hnId: hnId})
DELETE m;

// name: missing_due(now, limit)
// Ids that answered null, and are to be asked for again.
MATCH (m:HNMissing)
WHERE m.due <= $now
RETURN m.hnId AS hnId, m.since AS since, m.asked AS asked
ORDER BY m.hnId LIMIT $limit;

// name: newest()
// The highest id that is there.
MATCH (a:HNItem)
RETURN max(a.hnId) AS hnId;

// == Reads ==

// name: known(rows, first_id)
// table: rows
// floor: first_id
// What is there of these ids.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
RETURN a.hnId AS hnId, a.seq AS seq, a.state AS state, a.fetchedAt AS fetchedAt, a.descendants AS descendants,
    size(as_list(a.kids, INT64[])) AS kids, a.hash AS hash, a.parent AS parent, a.poll AS poll, a.story AS story,
    a.wants AS wants,
    a.lease AS lease, a.failure_count AS failure_count;

// name: stories_of(rows, first_id)
// table: rows
// floor: first_id
// Which of these ids are there, each with the story at its top; numbers alone, which are read in half the time.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
RETURN a.hnId AS hnId, a.story AS story;

// name: known_one(hnId)
// literal: hnId
// What is there of this id.
MATCH (a:HNItem {hnId: $hnId})
RETURN a.hnId AS hnId, a.seq AS seq, a.state AS state, a.fetchedAt AS fetchedAt, a.descendants AS descendants,
    size(as_list(a.kids, INT64[])) AS kids, a.hash AS hash, a.parent AS parent, a.poll AS poll, a.story AS story,
    a.wants AS wants,
    a.lease AS lease, a.failure_count AS failure_count;

// name: known_between(first_id, last_id)
// literal: first_id, last_id
// What is there from one id to another.
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId <= $last_id
RETURN a.hnId AS hnId, a.seq AS seq, a.state AS state, a.fetchedAt AS fetchedAt, a.descendants AS descendants,
    size(as_list(a.kids, INT64[])) AS kids, a.hash AS hash, a.parent AS parent, a.poll AS poll, a.story AS story,
    a.wants AS wants,
    a.lease AS lease, a.failure_count AS failure_count;

// name: items(rows, first_id)
// table: rows
// floor: first_id
// These items, whole.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
RETURN a.hnId AS hnId, a.state AS state, a.type AS type, a.by AS by, a.time AS time, a.title AS title, a.text AS text,
    a.plain AS plain, a.url AS url, a.score AS score, a.descendants AS descendants, a.parent AS parent, a.poll AS poll,
    as_list(a.kids, INT64[]) AS kids, as_list(a.parts, INT64[]) AS parts, a.deleted AS deleted, a.dead AS dead,
    a.extra AS extra, a.sourceType AS sourceType,
    a.story AS story, a.last_error AS last_error;

// name: item(hnId)
// literal: hnId
// One item, whole.
MATCH (a:HNItem {hnId: $hnId})
RETURN a.hnId AS hnId, a.state AS state, a.type AS type, a.by AS by, a.time AS time, a.title AS title, a.text AS text,
    a.plain AS plain, a.url AS url, a.score AS score, a.descendants AS descendants, a.parent AS parent, a.poll AS poll,
    as_list(a.kids, INT64[]) AS kids, as_list(a.parts, INT64[]) AS parts, a.deleted AS deleted, a.dead AS dead,
    a.extra AS extra, a.sourceType AS sourceType,
    a.story AS story, a.last_error AS last_error, a.raw AS raw, a.fetchedAt AS fetchedAt, a.ingestedAt AS ingestedAt,
    a.lastUpdated AS lastUpdated, a.retryCount AS retryCount, a.lastFailureAt AS lastFailureAt,
    a.retryAttemptAt AS retryAttemptAt, a.retryDue AS retryDue, a.failedIn AS failedIn, a.seq AS seq, a.lease AS lease,
    a.failure_count AS failure_count, a.wants AS wants, a.hash AS hash;

// name: shown(hnId)
// literal: hnId
// What a list of items shows of one: what guards it is left out.
MATCH (a:HNItem {hnId: $hnId})
RETURN a.hnId AS hnId, a.state AS state, a.type AS type, a.by AS by, a.time AS time, a.title AS title, a.text AS text,
    a.plain AS plain, a.url AS url, a.score AS score, a.descendants AS descendants, a.parent AS parent, a.poll AS poll,
    as_list(a.kids, INT64[]) AS kids, as_list(a.parts, INT64[]) AS parts, a.deleted AS deleted, a.dead AS dead,
    a.extra AS extra, a.story AS story, a.fetchedAt AS fetchedAt;

// name: cited(hnId)
// literal: hnId
// What a search shows and cites of an item; few columns, as the statement is planned anew for each.
MATCH (a:HNItem {hnId: $hnId})
RETURN a.title AS title, a.plain AS plain, a.text AS text, a.type AS type, a.by AS by, a.fetchedAt AS fetchedAt;

// name: cited_beside_text(hnId)
// literal: hnId
// The same without the texts, where the index of words has them as they came.
MATCH (a:HNItem {hnId: $hnId})
RETURN a.type AS type, a.by AS by, a.fetchedAt AS fetchedAt;

// name: around(hnId, limit)
// literal: hnId
// The items right above and right below this one, so many at most; a walk from a search hit goes there.
MATCH (a:HNItem {hnId: $hnId})-[l:PARENT_OF|OPTION_OF]-(b:HNItem)
WHERE l.gone = 0
WITH b LIMIT $limit
RETURN b.hnId AS hnId;

// name: rejected(limit)
// What came in without a usable id, the newest first.
MATCH (f:Failure)
WHERE f.pipeline = 'hn_item' AND f.kind = 'rejected'
RETURN f.at AS at, f.message AS message, f.trace AS given
ORDER BY f.at DESC LIMIT $limit;

// name: retries_due(now, limit)
// Failed items whose next try is due.
MATCH (a:HNItem)
WHERE a.retryDue <= $now AND a.state = 'failed'
RETURN a.seq AS seq, a.hnId AS hnId
ORDER BY a.seq LIMIT $limit;

// name: last_number()
// The highest number given so far.
MATCH (a:HNItem)
RETURN max(a.seq) AS seq
UNION ALL
MATCH (a:HNItem)
RETURN max(a.stamp) AS seq;

// == Search ==

// name: stamped(after, upto)
// What changed between two stamps, for the search index to catch up.
MATCH (a:HNItem)
WHERE a.stamp > $after AND a.stamp <= $upto
RETURN a.stamp AS seq, a.hnId AS hnId, a.state AS state, a.type AS type, a.by AS by, a.time AS time, a.title AS title,
    coalesce(a.plain, a.text) AS body, a.score AS score, coalesce(a.parent, a.poll) AS above, a.story AS story,
    a.deleted AS deleted, a.url AS url;

// name: newest_stamp(after)
// The highest stamp beyond this one; numbers alone, so that every search can ask.
MATCH (a:HNItem)
WHERE a.stamp > $after
RETURN max(a.stamp) AS seq;

// name: searchable()
// The highest stamp, where the search index should stand, and how many items it should hold.
MATCH (a:HNItem)
RETURN max(a.stamp) AS seq, sum(CASE WHEN a.state = 'completed' THEN 1 ELSE 0 END) AS count;
