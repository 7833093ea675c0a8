// Pages on Neo4j: the blocks whose text differs from queries/scrape_item.cypher, each with its reason.
//
// Who asks whether a batch is its own holds it until the transaction ends: `lock_batch` comes before the locks of the
// pages (queries/neo4j/claimable.cypher).

// == Locks ==

// name: lock_batch(batch)
// locks: batch
// Hold this batch until the transaction ends.
MATCH (b:ScrapeBatch {name: $batch})
SET b.lock = 0;

// == The slots ==

// name: start_scrapes(rows, lo, hi, batch, manager, worker, token, now, at, never)
// role: start
// move: idle -> scraping
// by: batch
// by: rows between lo and hi
// Take these pages, each into a slot: where the slot is free, the page is free and due, and the batch is in the hands of
// this manager. Differs: managers of several batches may look for free slots at once, so they follow one another; then
// the batch and the pages are locked before they are looked at.
MERGE (l:Lock {name: 'scrape_item slots'})
SET l.lock = 0
WITH count(*) AS alone
OPTIONAL MATCH (mine:ScrapeBatch {name: $batch})
SET mine.lock = 0
WITH count(*) AS ours
UNWIND $rows AS r
WITH r.seq AS seq
ORDER BY seq
MATCH (page:ScrapeItem)
WHERE page.seq = seq
SET page.lock = 0
WITH count(*) AS held
MATCH (other:ScrapeItem)
WHERE other.slot > 0
WITH collect(other.slot) AS taken
OPTIONAL MATCH (b:ScrapeBatch {name: $batch})
WITH taken, b
UNWIND $rows AS r
WITH taken, b, r.seq AS seq, r.slot AS slot
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.lease = 0 AND a.due <= $now
    AND NOT slot IN taken AND (b.lease IS NULL OR b.lease = $manager)
SET a.state = 'scraping', a.slot = slot, a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// == Reads ==
// The index scrape_item_batch_queue gives rows in this order: what is compared for equality stands first in the ORDER BY,
// the number is only asked to be there. A lease of 0 means idle, one of -1 scraped.

// name: ready_in(batch_seq, now, lease, limit)
// The same for the pages of one batch. Differs: the order comes from the index; what somebody prioritised is found by its
// marks (queries/neo4j/claimable.cypher).
MATCH (p:Prioritised) USING INDEX p:Prioritised(pipeline, depth, seq)
WHERE p.pipeline = 'scrape_item' AND p.depth IS NOT NULL AND p.seq IS NOT NULL
MATCH (a:ScrapeItem)
WHERE a.seq = p.seq AND a.batch_seq = $batch_seq AND a.due < 0 AND a.lease = $lease
RETURN a.seq AS seq, a.id AS key, a.url AS url, a.state AS state, a.due AS due, a.retry_count AS retry_count,
    a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY p.pipeline, p.depth, p.seq LIMIT $limit
UNION ALL
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.state = CASE $lease WHEN 0 THEN 'idle' ELSE 'scraped' END AND a.seq IS NOT NULL
    AND a.due <= $now AND a.lease = $lease
    AND (a.due >= 0 OR NOT EXISTS { MATCH (m:Prioritised) WHERE m.pipeline = 'scrape_item' AND m.seq = a.seq })
RETURN a.seq AS seq, a.id AS key, a.url AS url, a.state AS state, a.due AS due, a.retry_count AS retry_count,
    a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.batch_seq, a.state, a.seq LIMIT $limit;

// name: batches_to_reopen(never, limit)
// Finished batches into which pages were put since. Differs: it goes by the index of states, past the pages at rest.
MATCH (a:ScrapeItem)
WHERE a.state IN ['idle', 'scraped'] AND a.due < $never
WITH DISTINCT a.batch_seq AS number
MATCH (b:ScrapeBatch)
WHERE b.seq = number AND b.status = 'finished'
RETURN b.name AS name, b.seq AS seq
ORDER BY seq LIMIT $limit;

// name: results(batch_seq, state, contains, after, limit)
// The pages of a batch with what became of them, in the order of arrival. Differs: the order comes from the index.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.seq > $after
    AND ($state = '' OR a.state = $state) AND ($contains = '' OR lower(a.url) CONTAINS $contains)
RETURN a.seq AS seq, a.id AS key, a.url AS url, a.state AS state, a.title AS title, a.words AS words,
    a.summary AS summary, a.summarizer AS summarizer, a.last_error AS error, a.retry_count AS retry_count
ORDER BY a.batch_seq, a.seq LIMIT $limit;

// == Search ==
// The server's own index; beside the embedded engines stands one of ours.

// name: search(asked, most)
// Rows by words, by their keys or all, that pass what else is asked; `most` are put in order and counted. An empty text or
// list asks for nothing. All of it is one map: the server would make a plan for each choice of filters.
CALL () {
    WITH $asked.way AS way WHERE way = 'words'
    CALL db.index.fulltext.queryNodes('scrape_item_text', $asked.words) YIELD node AS a, score AS rank
    RETURN a, rank
    UNION ALL
    WITH $asked.way AS way WHERE way = 'ids'
    MATCH (a:ScrapeItem) WHERE a.id IN $asked.ids
    RETURN a, 0.0 AS rank
    UNION ALL
    WITH $asked.way AS way WHERE NOT way IN ['words', 'ids']
    MATCH (a:ScrapeItem)
    RETURN a, 0.0 AS rank
}
WITH a, rank, coalesce(a.scraped_at.epochSeconds, 0) AS time
WHERE a.scraped IS NOT NULL AND ($asked.author = '' OR a.scraped CONTAINS $asked.author)
    AND ($asked.not_author = '' OR NOT a.scraped CONTAINS $asked.not_author)
    AND ($asked.site = '' OR a.url =~ $asked.site)
    AND time >= $asked.time_from AND time <= $asked.time_to AND (size($asked.ids) = 0 OR a.id IN $asked.ids)
WITH a, time, CASE $asked.order WHEN 'time' THEN time ELSE rank END AS place
ORDER BY place DESC, a.seq DESC LIMIT $most
WITH collect([a.id, a.seq, place]) AS found, CASE size($asked.facets) WHEN 0 THEN [] ELSE collect([
    name IN $asked.facets | CASE name
        WHEN 'year' THEN datetime({epochSeconds: time}).year
    END
]) END AS facets
RETURN found[$asked.skip..$asked.skip + $asked.limit] AS page, size(found) AS total, facets;
