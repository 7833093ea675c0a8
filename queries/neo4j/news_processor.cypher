// What the processor does besides moving articles, on Neo4j: the blocks whose text differs from
// queries/news_processor.cypher, each with its reason. Several processors at once are many processes here.

// name: enqueue(rows, at)
// held: rows.claim
// number: rows.place
// Put these at the end of their topic's queue, where they are pending and not in it yet. Differs: an article is locked
// before its state is read, so that one which another processor finishes meanwhile is not queued behind its end.
UNWIND $rows AS r
WITH r.id AS id, r.place AS place
MATCH (a:NewsArticle)
WHERE a.id = id
SET a.lock = 0
WITH a, id, place
WHERE a.state = 'pending'
WITH id, place, a.priority AS priority, a.topic AS topic
MERGE (q:NewsQueued {id: id})
ON CREATE SET q.topic = topic, q.priority = priority, q.place = place, q.at = $at
RETURN q.place AS place, q.id AS id, q.place = place AS created;

// name: front(topic, now, limit)
// The first articles of the queue that can be worked on. Differs: the order comes from the index news_queue, so that the
// scan stops at the limit; what somebody prioritised is found by its marks (queries/neo4j/claimable.cypher).
MATCH (p:Prioritised) USING INDEX p:Prioritised(pipeline, depth, seq)
WHERE p.pipeline = 'news_article' AND p.depth IS NOT NULL AND p.seq IS NOT NULL
MATCH (a:NewsArticle)
WHERE a.seq = p.seq AND a.lease = 0 AND a.due < 0
MATCH (q:NewsQueued)
WHERE q.id = a.id AND q.topic = $topic
RETURN a.seq AS seq, a.id AS key, a.state AS state, a.due AS due, a.retry_count AS retry_count,
    a.lost_claims AS lost_claims, a.failure_count AS failure_count, q.priority AS priority, q.place AS place
ORDER BY p.pipeline, p.depth, p.seq LIMIT $limit
UNION ALL
MATCH (q:NewsQueued)
WHERE q.topic = $topic AND q.priority IS NOT NULL AND q.place IS NOT NULL
MATCH (a:NewsArticle)
WHERE a.id = q.id AND a.lease = 0 AND a.due <= $now
    AND (a.due >= 0 OR NOT EXISTS { MATCH (m:Prioritised) WHERE m.pipeline = 'news_article' AND m.seq = a.seq })
RETURN a.seq AS seq, a.id AS key, a.state AS state, a.due AS due, a.retry_count AS retry_count,
    a.lost_claims AS lost_claims, a.failure_count AS failure_count, q.priority AS priority, q.place AS place
ORDER BY q.topic, q.priority, q.place LIMIT $limit;

// name: drop_strays(topic)
// Take out of the queue what is not in order, as it is now. Differs: whoever works on such an article is waited for, and
// then it is looked at again: what was ended, or put back, meanwhile is in order.
MATCH (q:NewsQueued)
WHERE q.topic = $topic OR q.topic IS NULL
WITH q.id AS id, q.place AS place, q.priority AS priority, q.topic AS topic
OPTIONAL MATCH (a:NewsArticle)
WHERE a.id = id
WITH id, place, priority, topic, a, a.state AS state
WHERE state IS NULL OR NOT state IN ['pending', 'processing'] OR place IS NULL OR priority IS NULL OR topic IS NULL
SET a.lock = 0
WITH collect(id) AS strays
UNWIND strays AS stray
MATCH (q:NewsQueued)
WHERE q.id = stray
OPTIONAL MATCH (a:NewsArticle)
WHERE a.id = stray
WITH q, a.state AS state
WHERE state IS NULL OR NOT state IN ['pending', 'processing'] OR q.place IS NULL OR q.priority IS NULL
    OR q.topic IS NULL
DELETE q
RETURN q.id AS id;
