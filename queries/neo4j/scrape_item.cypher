// Scraped pages on Neo4j: the blocks whose text differs from queries/scrape_item.cypher, each with its reason.
// A row is locked before it is checked; queries/neo4j/article.cypher tells why.

// == Locks ==

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

// == Scraping and summarizing ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: idle -> scraping
// transition: claim_item
// Take these pages outside the slots, where they are still free and due. Differs: a claim that is run again, since the
// connection broke at its commit, finds what it took under its own token.
MATCH (a:ScrapeItem)
WHERE a.seq IN $seqs AND a.seq >= $lo AND a.seq <= $hi
SET a.lock = 0
WITH a
WHERE (a.lease = 0 AND a.due <= $now) OR a.lease = $token
SET a.state = 'scraping', a.slot = 0, a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: start_scrapes(rows, lo, hi, batch, manager, worker, token, now, at, never)
// role: start
// move: idle -> scraping
// transition: claim_item
// Take these pages, each into a slot. Differs: all managers wait for each other here, at one lock, since a slot that is
// free for two of them would be given out twice; and a claim that is run again finds what it took.
MERGE (l:Lock {name: 'scrape slots'})
SET l.at = $now
WITH l
OPTIONAL MATCH (other:ScrapeItem)
WHERE other.slot > 0 AND other.lease <> $token
WITH collect(other.slot) AS taken
OPTIONAL MATCH (b:ScrapeBatch {name: $batch})
SET b.lock = 0
WITH taken, b
UNWIND $rows AS r
WITH taken, b, r.seq AS seq, r.slot AS slot
MATCH (a:ScrapeItem)
WHERE a.seq = seq AND a.seq >= $lo AND a.seq <= $hi
SET a.lock = 0
WITH taken, b, a, slot
WHERE ((a.lease = 0 AND a.due <= $now) OR a.lease = $token) AND NOT slot IN taken
    AND (b.lease IS NULL OR b.lease = $manager)
SET a.state = 'scraping', a.slot = slot, a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: save_pages(rows, tokens, lo, hi, at)
// role: save
// move: scraping -> scraped
// transition: handle_scrape_done
// guard
// These pages are scraped, with what was scraped as JSON. Differs: locks before it checks.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.scraped AS scraped, r.title AS title, r.words AS words
MATCH (a:ScrapeItem)
WHERE a.seq = seq AND a.seq >= $lo AND a.seq <= $hi
SET a.lock = 0
WITH a, token, scraped, title, words
WHERE a.lease IN $tokens AND a.lease = token AND a.state = 'scraping'
SET a.state = 'scraped', a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.scraped_at = $at, a.retry_count = 0,
    a.lease = -1, a.due = 0, a.scraped = scraped, a.title = title, a.words = words, a.summary = NULL,
    a.summarizer = NULL
RETURN a.seq AS seq;

// name: start_summary(seqs, lo, hi, worker, token, now, at, never)
// role: claim
// move: scraped -> summarizing
// transition: start_summary
// Take these scraped pages, whose summary is to be written. Differs as `claim` does.
MATCH (a:ScrapeItem)
WHERE a.seq IN $seqs AND a.seq >= $lo AND a.seq <= $hi
SET a.lock = 0
WITH a
WHERE (a.lease = -1 AND a.due <= $now) OR a.lease = $token
SET a.state = 'summarizing', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: start_summaries(seqs, lo, hi, batch, manager, worker, token, now, at, never)
// role: start
// move: scraped -> summarizing
// transition: start_summary
// Take these scraped pages, whose summary is to be written. Differs as `claim` does, and holds the batch while it looks.
OPTIONAL MATCH (b:ScrapeBatch {name: $batch})
SET b.lock = 0
WITH b
MATCH (a:ScrapeItem)
WHERE a.seq IN $seqs AND a.seq >= $lo AND a.seq <= $hi
SET a.lock = 0
WITH a, b
WHERE ((a.lease = -1 AND a.due <= $now) OR a.lease = $token) AND (b.lease IS NULL OR b.lease = $manager)
SET a.state = 'summarizing', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: apply_partials(rows, tokens, lo, hi)
// move: summarizing -> summarizing
// transition: apply_partial
// guard
// Summaries as far as they are written. Differs: locks before it checks.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.summary AS summary, r.summarizer AS summarizer
MATCH (a:ScrapeItem)
WHERE a.seq = seq AND a.seq >= $lo AND a.seq <= $hi
SET a.lock = 0
WITH a, token, summary, summarizer
WHERE a.lease IN $tokens AND a.lease = token AND a.state = 'summarizing'
SET a.summary = summary, a.summarizer = summarizer
RETURN a.seq AS seq;

// name: save_summaries(rows, tokens, lo, hi, at)
// role: save
// move: summarizing -> completed
// transition: apply_final
// guard
// The summaries of these pages are written to their end. Differs: locks before it checks.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.summary AS summary, r.summarizer AS summarizer
MATCH (a:ScrapeItem)
WHERE a.seq = seq AND a.seq >= $lo AND a.seq <= $hi
SET a.lock = 0
WITH a, token, summary, summarizer
WHERE a.lease IN $tokens AND a.lease = token AND a.state = 'summarizing'
SET a.state = 'completed', a.ended_at = $at, a.lease = 0, a.summary = summary, a.summarizer = summarizer
RETURN a.seq AS seq;

// == The queue ==

// name: ready_from(now, lease, skip, limit)
// What can be taken now, from a place further back: workers that claim at the same time start at different places.
MATCH (a:ScrapeItem)
WHERE a.due <= $now AND a.lease = $lease
RETURN a.seq AS seq, a.id AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.seq SKIP $skip LIMIT $limit;

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

// name: align_idle(now, never)
// Set to idle by hand: free, and due now. Differs: locks, then checks again.
MATCH (a:ScrapeItem)
WHERE a.state = 'idle' AND (a.lease <> 0 OR a.due >= $never OR a.slot <> 0)
SET a.lock = 0
WITH a.id AS id
MATCH (a:ScrapeItem {id: id})
WHERE a.state = 'idle' AND (a.lease <> 0 OR a.due >= $never OR a.slot <> 0)
SET a.lease = 0, a.due = $now, a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_claimed(never, nobody)
// Set to scraping or summarizing by hand: held by nobody, so that the reaper takes it back. Differs: locks, then checks.
MATCH (a:ScrapeItem)
WHERE a.state IN ['scraping', 'summarizing']
    AND (a.lease <= 0 OR a.due < $never OR (a.state = 'summarizing' AND a.slot <> 0))
SET a.lock = 0
WITH a.id AS id
MATCH (a:ScrapeItem {id: id})
WHERE a.state IN ['scraping', 'summarizing']
    AND (a.lease <= 0 OR a.due < $never OR (a.state = 'summarizing' AND a.slot <> 0))
SET a.lease = $nobody, a.due = $never, a.slot = 0, a.claimed_by = NULL
RETURN a.seq AS seq;

// name: align_scraped(now, never)
// Set to scraped by hand: free, to be summarized. Differs: locks, then checks again.
MATCH (a:ScrapeItem)
WHERE a.state = 'scraped' AND (a.lease <> -1 OR a.due >= $never OR a.slot <> 0)
SET a.lock = 0
WITH a.id AS id
MATCH (a:ScrapeItem {id: id})
WHERE a.state = 'scraped' AND (a.lease <> -1 OR a.due >= $never OR a.slot <> 0)
SET a.lease = -1, a.due = $now, a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_final(never)
// Set to a state of rest by hand: in nobody's hands, and never due. Differs: locks, then checks again.
MATCH (a:ScrapeItem)
WHERE a.state IN ['completed', 'failed', 'excluded'] AND (a.lease <> 0 OR a.due < $never OR a.slot <> 0)
SET a.lock = 0
WITH a.id AS id
MATCH (a:ScrapeItem {id: id})
WHERE a.state IN ['completed', 'failed', 'excluded'] AND (a.lease <> 0 OR a.due < $never OR a.slot <> 0)
SET a.lease = 0, a.due = $never, a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// == Batches ==

// name: manage(batch, lease, dead, worker, now, until)
// Take a batch in hand, where it is free, or its manager is dead, or was silent too long. Differs: locks before it checks.
MATCH (b:ScrapeBatch {name: $batch})
SET b.lock = 0
WITH b
WHERE b.lease = 0 OR b.lease = $lease OR b.lease = $dead OR b.until < $now
SET b.lease = $lease, b.manager = $worker, b.until = $until
RETURN b.seq AS seq, b.status AS status, b.round AS round, b.hook AS hook, b.hook_key AS hook_key,
    b.hook_tries AS hook_tries;

// name: keep(batch, lease, until)
// The manager of a batch goes on. Differs: locks before it checks.
MATCH (b:ScrapeBatch {name: $batch})
SET b.lock = 0
WITH b
WHERE b.lease = $lease
SET b.until = $until
RETURN b.seq AS seq;

// name: hook_done(batch, lease, hook_key, at)
// guard
// The hook of this round has run. Differs: locks before it checks.
MATCH (b:ScrapeBatch {name: $batch})
SET b.lock = 0
WITH b
WHERE b.lease = $lease AND b.hook_key = $hook_key AND b.hook IN ['pending', 'failed']
SET b.hook = 'done', b.hook_at = $at, b.hook_error = NULL, b.hook_tries = b.hook_tries + 1
RETURN b.seq AS seq;
