// Articles on Neo4j: the blocks whose text differs from queries/article.cypher, each with its reason.
//
// Neo4j reads what is committed and locks a row only when it is written. A guard that is read before the lock can be
// overtaken. Another transaction commits between the check and the write, and both believe that they won. So the row is
// locked first, by a write to a property of its own that nobody reads (`lock`), and checked then. The engine puts `lock`
// or `lock_row` before every guarded block that names its rows by `seqs` or `seq`. Where a block finds its rows by other
// means, they are looked for, held (queries/neo4j/graph.cypher), and looked at again by the whole of its text.

// == Locks ==

// name: lock(seqs)
// Hold these articles until the transaction ends; in the order of their numbers, so that two holders do not cross.
MATCH (a:Article)
WHERE a.seq IN $seqs
SET a.lock = 0;

// name: lock_row(seq)
// Hold this article until the transaction ends.
MATCH (a:Article)
WHERE a.seq = $seq
SET a.lock = 0;

// == What is compared before it is set ==

// name: lower_depth(rows)
// A shorter way was found: these articles lie nearer than was known. Differs: locks before it compares.
UNWIND $rows AS r
WITH r.key AS key, r.depth AS depth
MATCH (a:Article)
WHERE a.title = key
SET a.lock = 0
WITH a, depth
WHERE a.expansion_depth > depth
SET a.expansion_depth = depth
RETURN a.seq AS seq;

// name: distances(title, titles)
// How many links lie between one article and these, three at most. Differs: the shortest path has another syntax.
MATCH (a:Article {title: $title})
MATCH (b:Article)
WHERE b.title IN $titles AND b.title <> $title
MATCH p = shortestPath((a)-[:LINKS_TO*1..3]-(b))
WHERE all(l IN relationships(p) WHERE l.gone = 0)
RETURN b.title AS title, length(p) AS distance;

// == The queue ==
// The index article_queue holds state, depth and number, and gives rows in this order: the state is compared for
// equality and stands first in the ORDER BY, the others are only asked to be there. So nothing is sorted, and the scan
// stops at the limit. A lease of 0 means discovered, one of -1 loaded.

// name: ready(now, lease, limit)
// What can be claimed now, in the order in which it is to be claimed. Differs: the order comes from the index.
MATCH (a:Article)
WHERE a.expansion_state = CASE $lease WHEN 0 THEN 'discovered' ELSE 'loaded' END
    AND a.expansion_depth IS NOT NULL AND a.seq IS NOT NULL AND a.due <= $now AND a.lease = $lease
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.expansion_state, a.expansion_depth, a.seq LIMIT $limit;

// name: ready_from(now, lease, skip, limit)
// The same from a place further back: workers that claim at the same time start at different places. What is the same
// in every row (it is due, and its lease is the one asked for) does not travel.
MATCH (a:Article)
WHERE a.expansion_state = CASE $lease WHEN 0 THEN 'discovered' ELSE 'loaded' END
    AND a.expansion_depth IS NOT NULL AND a.seq IS NOT NULL AND a.due <= $now AND a.lease = $lease
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.expansion_state, a.expansion_depth, a.seq SKIP $skip LIMIT $limit;

// name: next_due(now, lease, never)
// When the next article that is backing off comes due. Differs: by the index of the queue.
MATCH (a:Article)
WHERE a.expansion_state = CASE $lease WHEN 0 THEN 'discovered' ELSE 'loaded' END
    AND a.expansion_depth IS NOT NULL AND a.seq IS NOT NULL AND a.due > $now AND a.due < $never AND a.lease = $lease
RETURN min(a.due) AS due, count(*) AS waiting;

// == Words set by hand ==

// name: number(rows)
// number: rows.seq
// Give numbers to the articles that were made, or left, without them by hand. Differs: locks before it looks.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (a:Article)
WHERE a.title = key
SET a.lock = 0
WITH a, seq
SET a.seq = coalesce(a.seq, seq), a.due = coalesce(a.due, 0), a.lease = coalesce(a.lease, 0), a.retry_count = coalesce(a.retry_count, 0),
    a.lost_claims = coalesce(a.lost_claims, 0), a.failure_count = coalesce(a.failure_count, 0),
    a.expansion_depth = coalesce(a.expansion_depth, 0);

// name: align_wordless(now)
// move: -> discovered
// beyond: an article made by hand with its title alone; the embedded engines have a default for the word.
// Made by hand without a word, and numbered a moment ago (so it is due since 0): it starts.
MATCH (a:Article)
WHERE a.expansion_state IS NULL AND a.due = 0
SET a.expansion_state = 'discovered', a.lease = 0, a.due = $now
RETURN a.seq AS seq;

// name: align_unknown(never)
// Set to a word that is no state: out of the queue, until somebody says what was meant. Differs: without a word, and
// numbered a moment ago, it was made by hand and starts.
MATCH (a:Article)
WHERE a.due < $never AND ((a.expansion_state IS NULL AND a.due <> 0)
    OR NOT a.expansion_state IN ['discovered', 'claimed', 'loaded', 'processed', 'failed', 'excluded'])
SET a.lease = 0, a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// == Search ==
// The server's own indexes; beside the embedded engines stands one of ours.

// name: search_words(words, candidates, limit)
// Sections with some of these words, the best first. What is gone is still in the index, so more is asked for.
CALL db.index.fulltext.queryNodes('section_text', $words, {limit: $candidates}) YIELD node, score
WHERE node.gone = 0
RETURN node.id AS id, node.seq AS seq, score AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector(vector, candidates, limit)
// Sections whose vectors are nearest to this one, the nearest first.
CALL db.index.vector.queryNodes('section_embedding', $candidates, $vector) YIELD node, score
WHERE node.gone = 0
RETURN node.id AS id, node.seq AS seq, score AS score
ORDER BY score DESC LIMIT $limit;
