// What the processor does besides moving articles (news_article): the queue and the checkpoints.
// document: news-article-flow.md
//
// No block of this file writes the log of additions or the index: those are the updater's. A test reads it from the texts.

// == Checkpoints ==

// name: open_checkpoints(rows, topic)
// number: rows.seq
// table: rows
// Make these checkpoints, where they are not there yet; a new one has passed nothing.
UNWIND $rows AS r
WITH r.name AS name, r.seq AS seq
MERGE (c:NewsCheckpoint {name: name})
ON CREATE SET c.topic = $topic, c.article = '', c.passed = 0, c.seq = seq;

// name: checkpoints(topic)
// Where the checkpoints stand.
MATCH (c:NewsCheckpoint)
WHERE c.topic = $topic
RETURN c.name AS name, c.article AS article, c.passed AS passed, c.at AS at, c.seq AS seq
ORDER BY c.name;

// name: move_checkpoint(checkpoint, was, article, merged, at)
// guard
// All additions up to this article are merged; only where nobody else has merged since the log was read.
MATCH (c:NewsCheckpoint {name: $checkpoint})
WHERE c.article = $was
SET c.article = $article, c.passed = c.passed + $merged, c.at = $at
RETURN c.seq AS seq;

// name: pass_phase(seq, checkpoint, article, at)
// held: seq
// An article has passed a phase.
MATCH (a:NewsArticle {id: $article})
WHERE a.seq = $seq
WITH a.id AS article
MATCH (c:NewsCheckpoint {name: $checkpoint})
SET c.article = article, c.passed = c.passed + 1, c.at = $at;

// == Additions into the queue ==

// name: additions(topic)
// The log of additions in its order.
MATCH (n:NewsAddition)
WHERE n.topic = $topic
RETURN n.id AS id, n.seq AS seq
ORDER BY n.seq;

// name: standing(keys)
// Where these articles stand, of those that are there.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key
RETURN a.id AS id, a.state AS state;

// name: enqueue(rows, at)
// held: rows.claim
// number: rows.place
// table: rows
// Put these at the end of their topic's queue, where they are pending and not in it yet.
UNWIND $rows AS r
WITH r.id AS id, r.place AS place
MATCH (a:NewsArticle)
WHERE a.id = id AND a.state = 'pending'
WITH id, place, a.priority AS priority, a.topic AS topic
MERGE (q:NewsQueued {id: id})
ON CREATE SET q.topic = topic, q.priority = priority, q.place = place, q.at = $at
RETURN q.place AS place, q.id AS id, q.place = place AS created;

// == The queue ==

// name: front(topic, now, limit)
// The first articles of the queue that can be worked on, with all that the phases need; what somebody prioritised comes
// before all others (its `due` is negative).
MATCH (q:NewsQueued)
WHERE q.topic = $topic
WITH q.id AS id, q.priority AS priority, q.place AS place
MATCH (a:NewsArticle)
WHERE a.id = id AND a.lease = 0 AND a.due <= $now
RETURN a.seq AS seq, a.id AS key, a.state AS state, a.retry_count AS retry_count, a.lost_claims AS lost_claims,
    a.failure_count AS failure_count, priority, place, a.due >= 0 AS later
ORDER BY later, priority, place LIMIT $limit;

// name: waiting(topic, now)
// When the next article that is backing off comes due, and how many do.
MATCH (q:NewsQueued)
WHERE q.topic = $topic
WITH q.id AS id
MATCH (a:NewsArticle)
WHERE a.id = id AND a.lease = 0 AND a.due > $now
RETURN min(a.due) AS due, count(*) AS waiting;

// name: backing_off(topic, now)
// The articles in the queue that may not be tried yet.
MATCH (q:NewsQueued)
WHERE q.topic = $topic
WITH q.id AS id
MATCH (a:NewsArticle)
WHERE a.id = id AND a.lease = 0 AND a.due > $now
RETURN a.id AS id;

// name: queue(topic, limit)
// The queue in its order, for people.
MATCH (q:NewsQueued)
WHERE q.topic = $topic
WITH q.id AS id, q.priority AS priority, q.place AS place, q.at AS at
OPTIONAL MATCH (a:NewsArticle)
WHERE a.id = id
RETURN id, priority, place, at, a.title AS title, a.state AS state, a.due AS due, a.contentTimeout AS contentTimeout,
    a.content IS NOT NULL AS hasContent, a.needsSummary AS needsSummary, a.needsSentiment AS needsSentiment,
    a.last_error AS last_error
ORDER BY priority, place LIMIT $limit;

// name: length(topic)
// How long the queue is.
MATCH (q:NewsQueued)
WHERE q.topic = $topic
RETURN count(*) AS length;

// name: dequeue(rows)
// held: rows.claim
// table: rows
// These are fully processed, or have failed: out of the queue.
UNWIND $rows AS r
WITH r.id AS id
MATCH (q:NewsQueued)
WHERE q.id = id
DELETE q;

// name: to_end(rows)
// held: rows.claim
// number: rows.place
// table: rows
// These go to the end of the queue, to be tried once more later.
UNWIND $rows AS r
WITH r.id AS id, r.place AS place
MATCH (q:NewsQueued)
WHERE q.id = id
SET q.place = place;

// name: to_front(keys, priority)
// These go before all others of the queue, by hand.
MATCH (other:NewsQueued)
WITH coalesce(min(other.place), 1) AS first
UNWIND $keys AS key
WITH first, key
MATCH (q:NewsQueued)
WHERE q.id = key
SET q.place = first - 1, q.priority = $priority
RETURN q.id AS id;

// == Recovery ==

// name: strays(topic)
// Entries of the queue that are not in order: their article is missing, or at rest, or they have no place.
MATCH (q:NewsQueued)
WHERE q.topic = $topic OR q.topic IS NULL
WITH q.id AS id, q.place AS place, q.priority AS priority, q.topic AS topic
OPTIONAL MATCH (a:NewsArticle)
WHERE a.id = id
WITH id, place, priority, topic, a.state AS state
WHERE state IS NULL OR NOT state IN ['pending', 'processing'] OR place IS NULL OR priority IS NULL OR topic IS NULL
RETURN id, state;

// name: drop_strays(topic)
// Take out of the queue what is not in order, as it is now.
MATCH (q:NewsQueued)
WHERE q.topic = $topic OR q.topic IS NULL
WITH q, q.id AS id
OPTIONAL MATCH (a:NewsArticle)
WHERE a.id = id
WITH q, a.state AS state
WHERE state IS NULL OR NOT state IN ['pending', 'processing'] OR q.place IS NULL OR q.priority IS NULL
    OR q.topic IS NULL
DELETE q
RETURN q.id AS id;

// name: orphans(topic, never)
// Pending articles that the queue does not hold, with their number in the log where they are in it.
MATCH (a:NewsArticle)
WHERE a.due < $never AND a.state = 'pending' AND (a.topic = $topic OR a.topic = '')
OPTIONAL MATCH (q:NewsQueued)
WHERE q.id = a.id
WITH a, q.id AS queued
WHERE queued IS NULL
OPTIONAL MATCH (n:NewsAddition)
WHERE n.id = a.id
RETURN a.id AS id, a.seq AS seq, n.seq AS in_log
ORDER BY seq;

// name: last_number()
// The highest number given so far.
MATCH (q:NewsQueued)
RETURN max(q.place) AS seq
UNION ALL
MATCH (c:NewsCheckpoint)
RETURN max(c.seq) AS seq;

// == Runs ==

// name: note_run(id, topic, at, seconds, loaded, processed, removed, moved_to_end, remaining)
// Keep the metrics of a run; the id has some hundred values a topic, so that the newest replaces the oldest.
MERGE (r:NewsProcessorRun {id: $id})
SET r.topic = $topic, r.at = $at, r.seconds = $seconds, r.loaded = $loaded, r.processed = $processed,
    r.removed = $removed, r.moved_to_end = $moved_to_end, r.remaining = $remaining;

// name: runs(topic, limit)
// The metrics of the last runs, the newest first.
MATCH (r:NewsProcessorRun)
WHERE r.topic = $topic
RETURN r.id AS id, r.at AS at, r.seconds AS seconds, r.loaded AS loaded, r.processed AS processed,
    r.removed AS removed, r.moved_to_end AS moved_to_end, r.remaining AS remaining
ORDER BY r.at DESC LIMIT $limit;
