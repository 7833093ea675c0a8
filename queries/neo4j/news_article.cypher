// Articles of the news on Neo4j: the blocks whose text differs from queries/news_article.cypher, each with its reason.
//
// Whatever is compared before it is set is locked first, as queries/neo4j/article.cypher tells. The engine puts `lock`,
// `lock_row` or `lock_rows` before every guarded block that names its rows by `seqs`, `seq` or `rows`.

// == Locks ==

// name: lock(seqs)
// Hold these articles until the transaction ends; in the order of their numbers, so that two holders do not cross.
MATCH (a:NewsArticle)
WHERE a.seq IN $seqs
SET a.lock = 0;

// name: lock_row(seq)
// Hold this article until the transaction ends.
MATCH (a:NewsArticle)
WHERE a.seq = $seq
SET a.lock = 0;

// name: lock_rows(rows)
// Hold the articles that these rows are about until the transaction ends, in the order of their numbers.
UNWIND $rows AS r
WITH r.seq AS seq
ORDER BY seq
MATCH (a:NewsArticle)
WHERE a.seq = seq
SET a.lock = 0;

// == What is compared before it is set ==

// name: adopt(keys, topic)
// Articles that were put in by hand belong to the topic whose processor comes first. Differs: locks before it compares.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key
SET a.lock = 0
WITH a
WHERE a.topic = ''
SET a.topic = $topic;

// name: hasten(keys, now)
// Articles that back off may be taken at once. Differs: locks before it compares, or it would make one that is being
// worked on due, and have it done again once it is done.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key
SET a.lock = 0
WITH a
WHERE a.state = 'pending' AND a.lease = 0
SET a.due = $now
RETURN a.id AS id;

// == What comes next ==
// The index news_article_queue gives rows in this order: the state is compared for equality and stands first in the
// ORDER BY, the others are only asked to be there. Nothing goes on from a middle state, so a lease of -1 finds nothing.

// name: ready(now, lease, limit)
// What can be taken now. Differs: the order comes from the index.
MATCH (a:NewsArticle)
WHERE a.state = CASE $lease WHEN 0 THEN 'pending' ELSE '' END AND a.priority IS NOT NULL AND a.seq IS NOT NULL
    AND a.due <= $now AND a.lease = $lease
RETURN a.seq AS seq, a.id AS key, a.priority AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.state, a.priority, a.seq LIMIT $limit;

// name: ready_from(now, lease, skip, limit)
// The same from a place further back: processes that claim at the same time start at different places.
MATCH (a:NewsArticle)
WHERE a.state = CASE $lease WHEN 0 THEN 'pending' ELSE '' END AND a.priority IS NOT NULL AND a.seq IS NOT NULL
    AND a.due <= $now AND a.lease = $lease
RETURN a.seq AS seq, a.id AS key, a.priority AS depth, a.state AS state, a.retry_count AS retry_count,
    a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.state, a.priority, a.seq SKIP $skip LIMIT $limit;

// name: next_due(now, lease, never)
// When the next article that is backing off comes due. Differs: by the index of the states.
MATCH (a:NewsArticle)
WHERE a.state = CASE $lease WHEN 0 THEN 'pending' ELSE '' END AND a.due > $now AND a.due < $never AND a.lease = $lease
RETURN min(a.due) AS due, count(*) AS waiting;

// name: stories(topic, model, after, limit)
// The newest articles of which it is known what they mean, to compare others with. Differs: the order comes from the index.
MATCH (a:NewsArticle)
WHERE a.topic = $topic AND a.embeddingModel = $model AND a.seq > $after
RETURN a.seq AS seq, a.id AS id
ORDER BY a.topic DESC, a.embeddingModel DESC, a.seq DESC LIMIT $limit;

// == Words set by hand ==

// name: number(rows)
// number: rows.seq
// Give numbers to the articles that were made, or left, without them by hand. Differs: locks before it looks, and fills
// in what the embedded engines have a default for.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (a:NewsArticle)
WHERE a.id = key
SET a.lock = 0
WITH a, seq
SET a.seq = coalesce(a.seq, seq), a.due = coalesce(a.due, 0), a.lease = coalesce(a.lease, 0),
    a.link = coalesce(a.link, a.id), a.topic = coalesce(a.topic, ''), a.title = coalesce(a.title, ''),
    a.priority = coalesce(a.priority, 1), a.contentTimeout = coalesce(a.contentTimeout, 0),
    a.summaryAttempts = coalesce(a.summaryAttempts, 0), a.sentimentAttempts = coalesce(a.sentimentAttempts, 0),
    a.needsSummary = coalesce(a.needsSummary, a.summary IS NULL),
    a.needsSentiment = coalesce(a.needsSentiment, a.sentiment IS NULL), a.retry_count = coalesce(a.retry_count, 0),
    a.lost_claims = coalesce(a.lost_claims, 0), a.failure_count = coalesce(a.failure_count, 0);

// name: align_wordless(now)
// move: -> pending
// beyond: an article made by hand with its id alone; the embedded engines have a default for the word.
// Made by hand without a word, and numbered a moment ago (so it is due since 0): it starts.
MATCH (a:NewsArticle)
WHERE a.state IS NULL AND a.due = 0
SET a.state = 'pending', a.lease = 0, a.due = $now
RETURN a.seq AS seq;
