// Pages on Neo4j: the blocks whose text differs from queries/scrape_item.cypher, each with its reason.
//
// Whatever is compared before it is set is locked first, as queries/neo4j/article.cypher tells. The engine puts `lock`,
// `lock_row` or `lock_rows` before every guarded block that names its rows by `seqs`, `seq` or `rows`, and `lock_batch`
// before these where it names a batch: who asks whether a batch is its own keeps it until its transaction ends.

// == Locks ==

// name: lock_batch(batch)
// Hold this batch until the transaction ends.
MATCH (b:ScrapeBatch {name: $batch})
SET b.lock = 0;

// name: lock(seqs)
// Hold these pages until the transaction ends; in the order of their numbers, so that two holders do not cross.
MATCH (a:ScrapeItem)
WHERE a.seq IN $seqs
SET a.lock = 0;

// name: lock_row(seq)
// Hold this page until the transaction ends.
MATCH (a:ScrapeItem)
WHERE a.seq = $seq
SET a.lock = 0;

// name: lock_rows(rows)
// Hold the pages that these rows are about until the transaction ends, in the order of their numbers.
UNWIND $rows AS r
WITH r.seq AS seq
ORDER BY seq
MATCH (a:ScrapeItem)
WHERE a.seq = seq
SET a.lock = 0;

// == The slots ==

// name: start_scrapes(rows, lo, hi, batch, manager, worker, token, now, at, never)
// role: start
// move: idle -> scraping
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

// == What comes next ==
// The indexes scrape_item_queue and scrape_item_batch_queue give rows in this order: what is compared for equality stands
// first in the ORDER BY, the number is only asked to be there. A lease of 0 means idle, one of -1 scraped.

// name: ready(now, lease, limit)
// What can be taken now, in the order of arrival: what is to be scraped (lease 0) or to be summarized (-1). Differs: the
// order comes from the index.
MATCH (a:ScrapeItem)
WHERE a.state = CASE $lease WHEN 0 THEN 'idle' ELSE 'scraped' END AND a.seq IS NOT NULL AND a.due <= $now
    AND a.lease = $lease
RETURN a.seq AS seq, a.id AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.state, a.seq LIMIT $limit;

// name: ready_from(now, lease, skip, limit)
// The same from a place further back: processes that claim at the same time start at different places.
MATCH (a:ScrapeItem)
WHERE a.state = CASE $lease WHEN 0 THEN 'idle' ELSE 'scraped' END AND a.seq IS NOT NULL AND a.due <= $now
    AND a.lease = $lease
RETURN a.seq AS seq, a.id AS key, 0 AS depth, a.state AS state, a.retry_count AS retry_count,
    a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.state, a.seq SKIP $skip LIMIT $limit;

// name: ready_in(batch_seq, now, lease, limit)
// The same for the pages of one batch. Differs: the order comes from the index.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.state = CASE $lease WHEN 0 THEN 'idle' ELSE 'scraped' END AND a.seq IS NOT NULL
    AND a.due <= $now AND a.lease = $lease
RETURN a.seq AS seq, a.id AS key, a.url AS url, a.retry_count AS retry_count, a.lost_claims AS lost_claims,
    a.failure_count AS failure_count
ORDER BY a.batch_seq, a.state, a.seq LIMIT $limit;

// name: next_due(now, lease, never)
// When the next page that is backing off comes due. Differs: by the index of the states.
MATCH (a:ScrapeItem)
WHERE a.state = CASE $lease WHEN 0 THEN 'idle' ELSE 'scraped' END AND a.due > $now AND a.due < $never
    AND a.lease = $lease
RETURN min(a.due) AS due, count(*) AS waiting;

// name: batches_to_reopen(never, limit)
// Finished batches into which pages were put since. Differs: it goes by the index of states, past the pages at rest.
MATCH (a:ScrapeItem)
WHERE a.state IN ['idle', 'scraped'] AND a.due < $never
WITH DISTINCT a.batch_seq AS number
MATCH (b:ScrapeBatch)
WHERE b.seq = number AND b.status = 'finished'
RETURN b.name AS name, b.seq AS seq
ORDER BY seq LIMIT $limit;

// name: results(batch_seq, after, limit)
// The pages of a batch with what became of them, in the order of arrival. Differs: the order comes from the index.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.seq > $after
RETURN a.seq AS seq, a.id AS key, a.url AS url, a.state AS state, a.title AS title, a.words AS words,
    a.summary AS summary, a.summarizer AS summarizer, a.last_error AS error, a.retry_count AS retry_count
ORDER BY a.batch_seq, a.seq LIMIT $limit;

// == Words set by hand ==

// name: number(rows)
// number: rows.seq
// Give numbers to the pages that were made, or left, without them by hand. Differs: locks before it looks.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (a:ScrapeItem)
WHERE a.id = key
SET a.lock = 0
WITH a, seq
SET a.seq = coalesce(a.seq, seq), a.due = coalesce(a.due, 0), a.lease = coalesce(a.lease, 0),
    a.slot = coalesce(a.slot, 0), a.batch_seq = coalesce(a.batch_seq, 0), a.batch = coalesce(a.batch, 'default'),
    a.url = coalesce(a.url, a.id), a.retry_count = coalesce(a.retry_count, 0),
    a.lost_claims = coalesce(a.lost_claims, 0), a.failure_count = coalesce(a.failure_count, 0);

// name: align_wordless(now)
// move: -> idle
// beyond: a page made by hand with its address alone; the embedded engines have a default for the word.
// Made by hand without a word, and numbered a moment ago (so it is due since 0): it starts.
MATCH (a:ScrapeItem)
WHERE a.state IS NULL AND a.due = 0
SET a.state = 'idle', a.lease = 0, a.due = $now
RETURN a.seq AS seq;
