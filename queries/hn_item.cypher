// The life of an item of Hacker News: it is ingested, validated, deduplicated, linked, indexed and completed, or it fails.
// document: hn-item-workflow.md
// machine: HNItem.state
// pipeline: hn_item
// key: hnId
// states: initial_state* ingested validated deduplicated hierarchy_resolved indexed completed! failed!
//
// Items come in by the thousand, and a cascade passes through all states in one transaction: what is on the disk is
// always a state with all that it promises. So `take_in` makes completed items, `refuse` failed ones. The single steps
// stand below them with their processors and criteria, which workers/parts/hn/ runs in this order; rows that a hand put
// into a middle state go on from there.
//
// Numbers guard, words tell. No state means claimed: `claimed_by` is the word. Free at the start: lease = 0, due is the
// earliest moment. Free in a middle state: lease = -1. Claimed: lease is the token and due = $never. At rest: lease = 0,
// due = $never. A failed item that is to be tried again has the moment in `retryDue`.
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
// New items, all the way: checked, linked by the steps that follow in their unit, and stamped for the index.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.type AS type, r.by AS author, r.time AS time, r.title AS title, r.text AS text,
    r.plain AS plain, r.url AS url, r.score AS score, r.descendants AS descendants, r.parent AS parent,
    r.poll AS poll, r.kids AS kids, r.parts AS parts, r.deleted AS deleted, r.dead AS dead, r.extra AS extra,
    r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.story AS story, r.wants AS wants, r.seq AS seq
WHERE NOT EXISTS { MATCH (b:HNItem) WHERE b.hnId >= $first_id AND b.hnId = hnId }
CREATE (a:HNItem {hnId: hnId, type: type, by: author, time: time, title: title, text: text, plain: plain, url: url,
    score: score, descendants: descendants, parent: parent, poll: poll, kids: kids, parts: parts, deleted: deleted,
    dead: dead, extra: extra, sourceType: source, fetchedAt: fetchedAt, hash: hash, story: story, wants: wants,
    seq: seq, stamp: seq, ingestedAt: $at, lastUpdated: $at, state: 'completed', retryCount: 0, due: $never, lease: 0,
    lost_claims: 0, failure_count: 0})
RETURN a.seq AS seq, a.hnId AS hnId;

// name: refuse(rows, first_id, at, never)
// move: -> initial_state -> ingested -> failed
// transition: auto_ingest, mark_failed
// number: rows.seq
// New items that a criterion or a processor refused: failed, with what was given and why.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.raw AS raw, r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.wants AS wants,
    r.failedIn AS failedIn, r.error AS error, r.retryDue AS retryDue, r.seq AS seq
WHERE NOT EXISTS { MATCH (b:HNItem) WHERE b.hnId >= $first_id AND b.hnId = hnId }
CREATE (a:HNItem {hnId: hnId, raw: raw, sourceType: source, fetchedAt: fetchedAt, hash: hash, wants: wants,
    failedIn: failedIn, last_error: error, retryDue: retryDue, seq: seq, stamp: seq, ingestedAt: $at, lastFailureAt: $at,
    state: 'failed', retryCount: 1, due: $never, lease: 0, lost_claims: 0, failure_count: 1})
RETURN a.seq AS seq, a.hnId AS hnId;

// name: merge(rows, first_id, at)
// number: rows.stamp
// held: rows.claim
// A newer copy of completed items: their data changes, their state does not.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.type AS type, r.by AS author, r.time AS time, r.title AS title, r.text AS text,
    r.plain AS plain, r.url AS url, r.score AS score, r.descendants AS descendants, r.parent AS parent,
    r.poll AS poll, r.kids AS kids, r.parts AS parts, r.deleted AS deleted, r.dead AS dead, r.extra AS extra,
    r.source AS source, r.fetchedAt AS fetchedAt, r.hash AS hash, r.story AS story, r.wants AS wants, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.state = 'completed'
SET a.type = type, a.by = author, a.time = time, a.title = title, a.text = text, a.plain = plain, a.url = url,
    a.score = score, a.descendants = descendants, a.parent = parent, a.poll = poll, a.kids = kids, a.parts = parts,
    a.deleted = deleted, a.dead = dead, a.extra = extra, a.sourceType = source, a.fetchedAt = fetchedAt,
    a.hash = hash, a.story = story, a.wants = wants, a.stamp = stamp, a.lastUpdated = $at
RETURN a.seq AS seq, a.hnId AS hnId, a.stamp AS stamp;

// name: touch(rows, first_id)
// Seen again, and nothing has changed: only the time of the copy is newer.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.fetchedAt AS fetchedAt
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.fetchedAt < fetchedAt
SET a.fetchedAt = fetchedAt
RETURN a.seq AS seq;

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
    a.score = score, a.descendants = descendants, a.parent = parent, a.poll = poll, a.kids = kids, a.parts = parts,
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

// name: reject(id, at, message, given)
// Something without a usable id came in: it is kept as an error that belongs to no item.
MERGE (f:Failure {id: $id})
SET f.pipeline = 'hn_item', f.row = '', f.at = $at, f.attempt = 1, f.kind = 'rejected', f.message = $message,
    f.trace = $given;

// name: rejected(limit)
// What came in without a usable id, the newest first.
MATCH (f:Failure)
WHERE f.pipeline = 'hn_item' AND f.kind = 'rejected'
RETURN f.at AS at, f.message AS message, f.trace AS given
ORDER BY f.at DESC LIMIT $limit;

// name: known(rows, first_id)
// What is there of these ids.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
RETURN a.hnId AS hnId, a.seq AS seq, a.state AS state, a.fetchedAt AS fetchedAt, a.descendants AS descendants,
    size(a.kids) AS kids, a.hash AS hash, a.parent AS parent, a.poll AS poll, a.story AS story, a.wants AS wants,
    a.lease AS lease, a.failure_count AS failure_count;

// name: stories_of(rows, first_id)
// Which of these ids are there, each with the story at its top; numbers alone, which are read in half the time.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
RETURN a.hnId AS hnId, a.story AS story;

// name: known_one(hnId)
// What is there of this id.
MATCH (a:HNItem {hnId: $hnId})
RETURN a.hnId AS hnId, a.seq AS seq, a.state AS state, a.fetchedAt AS fetchedAt, a.descendants AS descendants,
    size(a.kids) AS kids, a.hash AS hash, a.parent AS parent, a.poll AS poll, a.story AS story, a.wants AS wants,
    a.lease AS lease, a.failure_count AS failure_count;

// name: known_between(first_id, last_id)
// What is there from one id to another.
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId <= $last_id
RETURN a.hnId AS hnId, a.seq AS seq, a.state AS state, a.fetchedAt AS fetchedAt, a.descendants AS descendants,
    size(a.kids) AS kids, a.hash AS hash, a.parent AS parent, a.poll AS poll, a.story AS story, a.wants AS wants,
    a.lease AS lease, a.failure_count AS failure_count;

// == Threads ==
// A relationship leads from the parent to each child, and from an option to its poll. It is there once both ends are,
// in whatever order they came.

// name: link(rows, first_parent, first_child)
// held: rows.claim
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
// Put an item below its parent, where it is not.
MATCH (p:HNItem {hnId: $parent}), (c:HNItem {hnId: $child})
MERGE (p)-[l:PARENT_OF]->(c)
SET l.gone = 0;

// name: unlink(child, parent, at_ms)
// A newer copy names another parent: the item no longer stands below the old one.
MATCH (p:HNItem {hnId: $parent})-[l:PARENT_OF]->(c:HNItem {hnId: $child})
SET l.gone = $at_ms;

// name: option(rows, first_parent, first_child)
// held: rows.claim
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
// An option belongs to its poll, where it does not yet.
MATCH (p:HNItem {hnId: $parent}), (c:HNItem {hnId: $child})
MERGE (c)-[l:OPTION_OF]->(p)
SET l.gone = 0;

// name: unlink_option(child, parent, at_ms)
// A newer copy names another poll: the option no longer belongs to the old one.
MATCH (c:HNItem {hnId: $child})-[l:OPTION_OF]->(p:HNItem {hnId: $parent})
SET l.gone = $at_ms;

// name: settle_story(rows, first_id)
// number: rows.stamp
// The way up to the story is whole now; the index is told.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.story AS story, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.story = 0
SET a.story = story, a.stamp = stamp
RETURN a.seq AS seq, a.stamp AS stamp;

// name: unresolved()
// Items from which no way leads up to a story yet.
MATCH (a:HNItem)
WHERE a.story = 0
RETURN a.hnId AS hnId, coalesce(a.parent, a.poll) AS above, a.parent IS NULL AS option;

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
// Which items name these among their kids; of several the oldest.
MATCH (p:HNItem)
WHERE size(p.kids) > 0
UNWIND p.kids AS child
WITH p, child
WHERE child IN $ids
RETURN child AS child, min(p.hnId) AS above;

// name: listing_parts(ids)
// Which items name these among their parts; of several the oldest.
MATCH (p:HNItem)
WHERE size(p.parts) > 0
UNWIND p.parts AS child
WITH p, child
WHERE child IN $ids
RETURN child AS child, min(p.hnId) AS above;

// name: below(hnId)
// Everything up to thirty steps below an item.
MATCH (a:HNItem {hnId: $hnId})-[l:PARENT_OF*1..30 (e, n | WHERE e.gone = 0)]->(c:HNItem)
RETURN c.hnId AS hnId, c.parent AS parent, length(l) AS steps;

// name: above(hnId)
// Everything up to thirty steps above an item.
MATCH (a:HNItem {hnId: $hnId})<-[l:PARENT_OF*1..30 (e, n | WHERE e.gone = 0)]-(p:HNItem)
RETURN p.hnId AS hnId, length(l) AS steps
ORDER BY steps;

// name: options(hnId)
// The options of a poll.
MATCH (c:HNItem)-[l:OPTION_OF]->(p:HNItem {hnId: $hnId})
WHERE l.gone = 0
RETURN c.hnId AS hnId;

// name: items(rows, first_id)
// These items, whole.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
RETURN a.hnId AS hnId, a.state AS state, a.type AS type, a.by AS by, a.time AS time, a.title AS title, a.text AS text,
    a.plain AS plain, a.url AS url, a.score AS score, a.descendants AS descendants, a.parent AS parent, a.poll AS poll,
    a.kids AS kids, a.parts AS parts, a.deleted AS deleted, a.dead AS dead, a.extra AS extra, a.sourceType AS sourceType,
    a.story AS story, a.last_error AS last_error;

// name: item(hnId)
// One item, whole.
MATCH (a:HNItem {hnId: $hnId})
RETURN a.hnId AS hnId, a.state AS state, a.type AS type, a.by AS by, a.time AS time, a.title AS title, a.text AS text,
    a.plain AS plain, a.url AS url, a.score AS score, a.descendants AS descendants, a.parent AS parent, a.poll AS poll,
    a.kids AS kids, a.parts AS parts, a.deleted AS deleted, a.dead AS dead, a.extra AS extra, a.sourceType AS sourceType,
    a.story AS story, a.last_error AS last_error, a.raw AS raw, a.fetchedAt AS fetchedAt, a.ingestedAt AS ingestedAt,
    a.lastUpdated AS lastUpdated, a.retryCount AS retryCount, a.lastFailureAt AS lastFailureAt,
    a.retryAttemptAt AS retryAttemptAt, a.retryDue AS retryDue, a.failedIn AS failedIn, a.seq AS seq, a.lease AS lease,
    a.failure_count AS failure_count, a.wants AS wants, a.hash AS hash;

// name: shown(hnId)
// What a list of items shows of one: half of the columns, half of the time.
MATCH (a:HNItem {hnId: $hnId})
RETURN a.hnId AS hnId, a.state AS state, a.type AS type, a.by AS by, a.time AS time, a.title AS title, a.text AS text,
    a.plain AS plain, a.url AS url, a.score AS score, a.parent AS parent, a.poll AS poll, a.deleted AS deleted,
    a.dead AS dead, a.story AS story;

// == The index ==

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

// == The steps one by one ==

// name: auto_ingest(seqs, lo, hi, at, now)
// move: initial_state -> ingested
// transition: auto_ingest
// processors: HNItemIngestionProcessor
// guard
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
// They are fully processed.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'indexed' AND a.lease <= 0
SET a.state = 'completed', a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// name: retry_processing(seqs, lo, hi, now, at, since, max_retries)
// move: failed -> ingested
// transition: retry_processing
// manual
// processors: HNItemRetryProcessor
// criteria: HNItemRetryableCriterion
// guard
// ready
// Failed items within their tries and their time are processed again.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed' AND a.lease <= 0
    AND a.retryCount < $max_retries AND (a.lastFailureAt IS NULL OR a.lastFailureAt > $since)
SET a.state = 'ingested', a.retryAttemptAt = $at, a.last_error = NULL, a.failedIn = NULL, a.retryDue = NULL, a.lease = -1,
    a.due = $now
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retryCount AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: mark_failed(rows, first_id, at, never)
// move: ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// move: initial_state | completed -> failed
// transition: mark_failed
// manual
// processors: HNItemFailureProcessor
// beyond initial_state -> failed: the document's text says any state, its drawing leaves this one out.
// beyond completed -> failed: the document's text says any state, its drawing leaves this one out.
// number: rows.stamp
// guard
// Processing failed: the reason is kept, and the next try is planned where there are tries left.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.error AS error, r.retryDue AS retryDue, r.stamp AS stamp
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.lease <= 0 AND a.state IN ['initial_state', 'ingested', 'validated', 'deduplicated', 'hierarchy_resolved', 'indexed', 'completed']
SET a.failedIn = a.state, a.retryCount = a.retryCount + 1, a.failure_count = a.failure_count + 1, a.lastFailureAt = $at,
    a.last_error = error, a.retryDue = retryDue, a.stamp = stamp, a.lease = 0, a.due = $never, a.claimed_by = NULL,
    a.claimed_at = NULL, a.state = 'failed'
RETURN a.seq AS seq, a.hnId AS hnId, a.retryCount AS retryCount, a.stamp AS stamp;

// name: plan_retry(rows, first_id, max_retries)
// held: rows.claim
// What a worker gave up is tried again later, where there are tries left.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.retryDue AS retryDue
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId AND a.state = 'failed' AND a.retryCount < $max_retries
SET a.retryDue = retryDue
RETURN a.seq AS seq;

// name: retries_due(now, limit)
// Failed items whose next try is due.
MATCH (a:HNItem)
WHERE a.retryDue <= $now AND a.state = 'failed'
RETURN a.seq AS seq, a.hnId AS hnId
ORDER BY a.seq LIMIT $limit;

// name: give_up_retry(seqs, lo, hi)
// Too late or too often: these stay failed until somebody looks at them.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed'
SET a.retryDue = NULL
RETURN a.seq AS seq;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: initial_state -> initial_state
// move: ingested -> ingested
// move: validated -> validated
// move: deduplicated -> deduplicated
// move: hierarchy_resolved -> hierarchy_resolved
// move: indexed -> indexed
// beyond: a worker takes what is left in a state that is not a state of rest.
// Take these items, where they are still free and due.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease <= 0 AND a.due <= $now
SET a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: heartbeat(seqs, lo, hi, tokens, at)
// move: initial_state -> initial_state
// move: ingested -> ingested
// move: validated -> validated
// move: deduplicated -> deduplicated
// move: hierarchy_resolved -> hierarchy_resolved
// move: indexed -> indexed
// beyond: says that the work on these items goes on.
// guard
// Say that the work on these items goes on.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease IN $tokens
SET a.claimed_at = $at
RETURN a.seq AS seq, a.lease AS token;

// name: complete(seqs, lo, hi, token, at)
// move: initial_state -> ingested -> validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: ingested -> validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: validated -> deduplicated -> hierarchy_resolved -> indexed -> completed
// move: deduplicated -> hierarchy_resolved -> indexed -> completed
// move: hierarchy_resolved -> indexed -> completed
// move: indexed -> completed
// transition: auto_ingest, validate_item, check_duplicates, resolve_hierarchy, index_item, complete_processing
// guard
// The worker has brought them all the way; their content follows in the same unit.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.state = 'completed', a.lastUpdated = $at, a.ingestedAt = coalesce(a.ingestedAt, $at), a.lease = 0,
    a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, due)
// move: initial_state -> initial_state
// move: ingested -> ingested
// move: validated -> validated
// move: deduplicated -> deduplicated
// move: hierarchy_resolved -> hierarchy_resolved
// move: indexed -> indexed
// beyond: a worker that stops gives back what it holds, at no cost to the item.
// guard
// ready
// Give these items back untouched, not to be claimed again before `due`.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.claimed_by = NULL, a.claimed_at = NULL, a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END,
    a.due = $due
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retryCount AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: retry(key, seq, token, due, error)
// move: initial_state -> initial_state
// move: ingested -> ingested
// move: validated -> validated
// move: deduplicated -> deduplicated
// move: hierarchy_resolved -> hierarchy_resolved
// move: indexed -> indexed
// beyond: what failed in a way that may pass is tried again from where it stood.
// guard
// ready
// It failed in a way that may pass: back into the queue, not before `due`.
MATCH (a:HNItem)
WHERE a.seq >= $seq AND a.seq <= $seq AND a.hnId = CAST($key AS INT64) AND a.lease = $token
SET a.claimed_by = NULL, a.claimed_at = NULL, a.retryCount = a.retryCount + 1, a.failure_count = a.failure_count + 1,
    a.last_error = $error, a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END, a.due = $due
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retryCount AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: fail(key, seq, token, at, error)
// move: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// transition: mark_failed
// manual
// processors: HNItemFailureProcessor
// beyond initial_state -> failed: the document's text says any state, its drawing leaves this one out.
// guard
// It failed for good: its tries are used up, or trying again can't help.
MATCH (a:HNItem)
WHERE a.seq >= $seq AND a.seq <= $seq AND a.hnId = CAST($key AS INT64) AND a.lease = $token
SET a.failedIn = a.state, a.claimed_by = NULL, a.claimed_at = NULL, a.lastFailureAt = $at,
    a.retryCount = a.retryCount + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0,
    a.state = 'failed'
RETURN a.seq AS seq;

// name: note_failure(seq, key, id, at, attempt, kind, message, trace)
// held: seq
// Keep what went wrong as a node on its row; the id has ten values a row, so that the eleventh replaces the first.
MATCH (a:HNItem)
WHERE a.seq >= $seq AND a.seq <= $seq AND a.hnId = CAST($key AS INT64)
MERGE (f:Failure {id: $id})
SET f.pipeline = 'hn_item', f.row = CAST(a.hnId AS STRING), f.at = $at, f.attempt = $attempt, f.kind = $kind,
    f.message = $message, f.trace = $trace
MERGE (a)-[:HN_ITEM_FAILURE]->(f);

// name: note_failures(rows, at)
// Keep what went wrong with many items that were just taken in, a node on each.
UNWIND $rows AS r
WITH r.hnId AS hnId, r.id AS id, r.kind AS kind, r.attempt AS attempt, r.message AS message, r.trace AS trace
MATCH (a:HNItem)
WHERE a.hnId = hnId
MERGE (f:Failure {id: id})
SET f.pipeline = 'hn_item', f.row = CAST(a.hnId AS STRING), f.at = $at, f.attempt = attempt, f.kind = kind,
    f.message = message, f.trace = trace
MERGE (a)-[:HN_ITEM_FAILURE]->(f);

// == The reaper ==

// name: stale(cutoff, limit)
// Claims with no heartbeat since the cutoff, or whose lease was lost by hand.
MATCH (a:HNItem)
WHERE a.lease > 0 AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, a.state AS state, a.lost_claims AS lost_claims,
    a.failure_count AS failure_count, a.claimed_by AS claimed_by
ORDER BY a.seq LIMIT $limit;

// name: reclaim(seqs, lo, hi, cutoff, now, max_lost)
// move: initial_state -> initial_state
// move: ingested -> ingested
// move: validated -> validated
// move: deduplicated -> deduplicated
// move: hierarchy_resolved -> hierarchy_resolved
// move: indexed -> indexed
// beyond: work that was lost goes on from where it stood.
// guard
// ready
// Their worker is gone: free, to be taken up from where they stand.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease > 0
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 < $max_lost
SET a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + 1,
    a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END, a.due = $now
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retryCount AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// transition: mark_failed
// manual
// processors: HNItemFailureProcessor
// beyond initial_state -> failed: the document's text says any state, its drawing leaves this one out.
// guard
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
// Failed items go back into the queue with a clean slate.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed' AND a.lease <= 0
SET a.state = 'ingested', a.retryCount = 0, a.lost_claims = 0, a.last_error = NULL, a.failedIn = NULL, a.retryDue = NULL,
    a.lease = -1, a.due = $now
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retryCount AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: exclude(seqs, lo, hi, at, never)
// move: initial_state | ingested | validated | deduplicated | hierarchy_resolved | indexed -> failed
// beyond: the document has no place for what nobody wants: it rests as failed, with that as the reason.
// Out for good: never claimed again.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease <= 0
    AND a.state IN ['initial_state', 'ingested', 'validated', 'deduplicated', 'hierarchy_resolved', 'indexed']
SET a.state = 'failed', a.last_error = 'excluded by hand', a.lastFailureAt = $at, a.retryDue = NULL, a.lease = 0,
    a.due = $never
RETURN a.seq AS seq;

// name: named(keys)
// Where these items stand.
UNWIND $keys AS key
WITH CAST(key AS INT64) AS id
MATCH (a:HNItem)
WHERE a.hnId = id
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, a.state AS state;

// name: failed(contains, limit)
// What failed, the newest first, by a part of its id or of its error.
MATCH (a:HNItem)
WHERE a.state = 'failed'
    AND ($contains = '' OR CAST(a.hnId AS STRING) CONTAINS $contains OR a.last_error CONTAINS $contains)
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, a.state AS state, a.last_error AS reason,
    a.retryCount AS retry_count, a.lastFailureAt AS failed_at
ORDER BY a.lastFailureAt DESC LIMIT $limit;

// name: failed_named(keys)
// Which of these failed, and why.
UNWIND $keys AS key
WITH CAST(key AS INT64) AS id
MATCH (a:HNItem)
WHERE a.hnId = id AND a.state = 'failed'
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, a.state AS state, a.last_error AS reason,
    a.retryCount AS retry_count, a.lastFailureAt AS failed_at;

// name: failures(key)
// What went wrong with one item, the newest first.
MATCH (a:HNItem)-[:HN_ITEM_FAILURE]->(f:Failure)
WHERE a.hnId = CAST($key AS INT64)
RETURN f.at AS at, f.attempt AS attempt, f.kind AS kind, f.message AS message, f.trace AS trace
ORDER BY f.at DESC;

// == The window of what comes next ==

// name: ready(now, lease, limit)
// What can be claimed now: what starts (lease 0) or what goes on (-1).
MATCH (a:HNItem)
WHERE a.due <= $now AND a.lease = $lease
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retryCount AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.seq LIMIT $limit;

// name: frontier(now, lease)
// How many items are ready; numbers alone, so that it is quick. All lie at the same depth.
MATCH (a:HNItem)
WHERE a.due <= $now AND a.lease = $lease
RETURN min(a.lease - a.lease) AS depth, count(*) AS ready;

// name: frontier_at(now, lease, depth)
// Between which numbers the ready items lie.
MATCH (a:HNItem)
WHERE a.due <= $now AND a.lease = $lease AND $depth = 0
RETURN min(a.seq) AS lo, max(a.seq) AS hi, count(*) AS ready;

// name: ready_at(now, lease, depth, lo, hi, limit)
// What can be claimed now, between two numbers.
MATCH (a:HNItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.due <= $now AND a.lease = $lease AND $depth = 0
RETURN a.seq AS seq, CAST(a.hnId AS STRING) AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retryCount AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.seq LIMIT $limit;

// name: next_due(now, lease, never)
// When the next item that is backing off comes due.
MATCH (a:HNItem)
WHERE a.due > $now AND a.due < $never AND a.lease = $lease
RETURN min(a.due) AS due, count(*) AS waiting;

// == Words set by hand ==
// People may set a state at the console: the word wins, and the numbers follow.

// name: misaligned(never, limit)
// Items whose numbers do not say what their word says.
MATCH (a:HNItem)
WHERE a.seq IS NULL OR a.due IS NULL OR a.lease IS NULL OR a.retryCount IS NULL OR a.lost_claims IS NULL
    OR a.failure_count IS NULL OR a.stamp IS NULL
    OR (a.state = 'initial_state' AND (a.lease < 0 OR (a.lease > 0 AND a.due < $never) OR (a.lease = 0 AND a.due >= $never)))
    OR (a.state IN ['ingested', 'validated', 'deduplicated', 'hierarchy_resolved', 'indexed']
        AND (a.lease = 0 OR (a.lease > 0 AND a.due < $never) OR (a.lease < 0 AND a.due >= $never)))
    OR (a.state IN ['completed', 'failed'] AND (a.lease <> 0 OR a.due < $never))
RETURN a.hnId AS key, a.state AS state,
    (a.seq IS NULL OR a.due IS NULL OR a.lease IS NULL OR a.retryCount IS NULL OR a.lost_claims IS NULL
    OR a.failure_count IS NULL OR a.stamp IS NULL) AS incomplete
LIMIT $limit;

// name: number(rows)
// number: rows.seq
// Give numbers to the items that were made, or left, without them by hand.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (a:HNItem)
WHERE a.hnId = key
SET a.stamp = coalesce(a.stamp, seq), a.seq = coalesce(a.seq, seq), a.due = coalesce(a.due, 0),
    a.lease = coalesce(a.lease, 0), a.retryCount = coalesce(a.retryCount, 0), a.lost_claims = coalesce(a.lost_claims, 0),
    a.failure_count = coalesce(a.failure_count, 0);

// name: align_initial(now, never)
// Set to the initial state by hand: free, and due now.
MATCH (a:HNItem)
WHERE a.state = 'initial_state' AND (a.lease < 0 OR (a.lease > 0 AND a.due < $never) OR (a.lease = 0 AND a.due >= $never))
SET a.lease = 0, a.due = $now, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_middle(now, never)
// Set to a middle state by hand: free, to be taken up from there.
MATCH (a:HNItem)
WHERE a.state IN ['ingested', 'validated', 'deduplicated', 'hierarchy_resolved', 'indexed']
    AND (a.lease = 0 OR (a.lease > 0 AND a.due < $never) OR (a.lease < 0 AND a.due >= $never))
SET a.lease = -1, a.due = $now, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_final(never)
// Set to a state of rest by hand: in nobody's hands, and never due.
MATCH (a:HNItem)
WHERE a.state IN ['completed', 'failed'] AND (a.lease <> 0 OR a.due < $never)
SET a.lease = 0, a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// == Walks over ids ==

// name: walk(name, first, last, next, at)
// How far a walk over a range of ids has come.
MERGE (w:HNWalk {name: $name})
SET w.first = $first, w.last = $last, w.next = $next, w.changed_at = $at;

// name: walks()
// Every walk, and how far it has come.
MATCH (w:HNWalk)
RETURN w.name AS name, w.first AS first, w.last AS last, w.next AS next, w.changed_at AS changed_at;

// name: newest()
// The highest id that is there.
MATCH (a:HNItem)
RETURN max(a.hnId) AS hnId;

// == Where the whole stands ==

// name: counts()
// How many items are in each state.
MATCH (a:HNItem)
RETURN a.state AS state, count(*) AS count
ORDER BY state;

// name: last_number()
// The highest number given so far.
MATCH (a:HNItem)
RETURN max(a.seq) AS seq
UNION ALL
MATCH (a:HNItem)
RETURN max(a.stamp) AS seq;

// name: oldest_heartbeat()
// The heartbeat of the claim that has been silent longest.
MATCH (a:HNItem)
WHERE a.lease > 0
RETURN min(a.claimed_at) AS at, count(*) AS claimed;
