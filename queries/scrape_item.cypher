// The life of a page: it waits, is scraped, its text is saved, it is summarized, or it fails.
// document: scrape-summarize-manager.md
// machine: ScrapeItem.state
// pipeline: scrape_item
// key: id
// failed_at: ended_at
// defaults: slot = 0, batch_seq = 0, batch = 'default', url = a.id
// states: idle* scraping scraped summarizing completed! failed! excluded!
// beyond failed: a page that can't be had or read must not keep its batch from ending.
// beyond excluded: somebody may take a page out of its batch for good; that needs a place of its own.
//
// claimable.cypher explains the guard columns and holds what every pipeline has besides its moves. A page that
// waits, with its text, to be summarized has lease = -1.
// While it is scraped a page has one of the slots 1 to max_scrapes; no two pages of a graph have the same, so that the
// number of scrapes is limited by the graph itself, whoever runs them.

// == Arrival ==

// name: seed(rows, now)
// move: -> idle
// transition: initialize
// number: rows.seq
// ready
// table: rows
// Put these addresses in, where they are not there yet; the batch named default takes them up.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq
MERGE (a:ScrapeItem {id: id})
ON CREATE SET a.seq = seq, a.url = id, a.batch = 'default', a.batch_seq = 0, a.state = 'idle', a.slot = 0,
    a.retry_count = 0, a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.id AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state;

// name: add(rows, batch, batch_seq, now)
// move: -> idle
// transition: initialize
// number: rows.seq
// ready
// table: rows
// Put the pages of a batch in, where they are not there yet.
UNWIND $rows AS r
WITH r.id AS id, r.url AS url, r.seq AS seq
MERGE (a:ScrapeItem {id: id})
ON CREATE SET a.seq = seq, a.url = url, a.batch = $batch, a.batch_seq = $batch_seq, a.state = 'idle', a.slot = 0,
    a.retry_count = 0, a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.id AS key, 0 AS depth, a.due AS due, a.lease AS lease, a.state AS state;

// == Scraping ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: idle -> scraping
// transition: claim_item
// by: seqs between lo and hi
// Take these pages outside the slots, where they are still free and due; the manager takes them by start_scrapes.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = 0 AND a.due <= $now
SET a.state = 'scraping', a.slot = 0, a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: start_scrapes(rows, lo, hi, batch, manager, worker, token, now, at, never)
// role: start
// move: idle -> scraping
// transition: claim_item
// by: batch
// by: rows between lo and hi
// Take these pages, each into a slot: where the slot is free, the page is free and due, and the batch is in the hands of
// this manager. One statement for all, since it is run whenever a page is done.
MATCH (other:ScrapeItem)
WHERE other.slot > 0
WITH coalesce(collect(other.slot), [0]) AS taken
OPTIONAL MATCH (b:ScrapeBatch {name: $batch})
WITH taken, b
UNWIND $rows AS r
WITH taken, b, r.seq AS seq, r.slot AS slot
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.lease = 0 AND a.due <= $now
    AND NOT slot IN taken AND (b.lease IS NULL OR b.lease = $manager)
SET a.state = 'scraping', a.slot = slot, a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, due)
// move: scraping -> idle
// beyond: a manager that stops gives back what it holds, at no cost to the page.
// guard
// ready
// by: seqs between lo and hi
// Give these pages back untouched, not to be taken again before `due`.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'scraping'
SET a.state = 'idle', a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0, a.due = $due
RETURN @row;

// == Summarizing ==

// name: start_summary(seqs, lo, hi, worker, token, now, at, never)
// role: claim
// move: scraped -> summarizing
// transition: start_summary
// by: seqs between lo and hi
// Take these scraped pages, where they are still free and due; the manager takes them by start_summaries.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = -1 AND a.due <= $now
SET a.state = 'summarizing', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: start_summaries(seqs, lo, hi, batch, manager, worker, token, now, at, never)
// role: start
// move: scraped -> summarizing
// transition: start_summary
// by: batch
// by: seqs between lo and hi
// Take these scraped pages, whose summary is to be written: where they are still free and due, and the batch is in the
// hands of this manager.
OPTIONAL MATCH (b:ScrapeBatch {name: $batch})
WITH b
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = -1 AND a.due <= $now
    AND (b.lease IS NULL OR b.lease = $manager)
SET a.state = 'summarizing', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: apply_partials(rows, tokens, lo, hi)
// stays: summarizing
// transition: apply_partial
// guard
// by: rows between lo and hi
// table: rows
// Summaries as far as they are written.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.summary AS summary, r.summarizer AS summarizer
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.lease IN $tokens AND a.lease = token
    AND a.state = 'summarizing'
SET a.summary = summary, a.summarizer = summarizer
RETURN a.seq AS seq;

// name: release_summary(seqs, lo, hi, token, due)
// role: release
// move: summarizing -> scraped
// beyond: a manager that stops gives back what it holds; the text is there, only the summary starts anew.
// guard
// ready
// by: seqs between lo and hi
// Give these pages back with their text, not to be taken again before `due`.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'summarizing'
SET a.state = 'scraped', a.claimed_by = NULL, a.claimed_at = NULL, a.lease = -1, a.due = $due
RETURN @row;

// == Completion ==

// name: finish_scrape(seqs, lo, hi, token, at)
// role: complete
// move: scraping -> scraped
// transition: handle_scrape_done
// guard
// by: seqs between lo and hi
// These pages are scraped, and wait for their summary; the manager saves their text with it, by save_pages.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'scraping'
SET a.state = 'scraped', a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.scraped_at = $at, a.retry_count = 0,
    a.lease = -1, a.due = 0
RETURN a.seq AS seq;

// name: save_pages(rows, tokens, lo, hi, at)
// role: save
// move: scraping -> scraped
// transition: handle_scrape_done
// guard
// by: rows between lo and hi
// number: rows.stamp
// table: rows
// These pages are scraped, with what was scraped as JSON; a summary of an older text no longer fits.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.scraped AS scraped, r.title AS title, r.words AS words,
    r.stamp AS stamp
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.lease IN $tokens AND a.lease = token AND a.state = 'scraping'
SET a.state = 'scraped', a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.scraped_at = $at, a.retry_count = 0,
    a.lease = -1, a.due = 0, a.scraped = scraped, a.title = title, a.words = words, a.summary = NULL,
    a.summarizer = NULL, a.stamp = stamp
RETURN a.seq AS seq;

// name: finish_summary(seqs, lo, hi, token, at)
// role: complete
// move: summarizing -> completed
// transition: apply_final
// guard
// by: seqs between lo and hi
// These pages are done; the manager saves their final summary with it, by save_summaries.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'summarizing'
SET a.state = 'completed', a.ended_at = $at, a.lease = 0
RETURN a.seq AS seq;

// name: save_summaries(rows, tokens, lo, hi, at)
// role: save
// move: summarizing -> completed
// transition: apply_final
// guard
// by: rows between lo and hi
// table: rows
// The summaries of these pages are written to their end, and by whom: they are done.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.summary AS summary, r.summarizer AS summarizer
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.lease IN $tokens AND a.lease = token
    AND a.state = 'summarizing'
SET a.state = 'completed', a.ended_at = $at, a.lease = 0, a.summary = summary, a.summarizer = summarizer
RETURN a.seq AS seq;

// == Failure ==

// name: retry(key, seq, token, due, error)
// move: scraping -> idle
// beyond: a page that is away may come back; the document has no failures.
// guard
// ready
// by: seq
// It failed in a way that may pass: back to waiting, not before `due`.
MATCH (a:ScrapeItem {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'scraping'
SET a.state = 'idle', a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.due = $due
RETURN @row;

// name: retry_summary(key, seq, token, due, error)
// role: retry
// move: summarizing -> scraped
// beyond: a model that is away may come back; the text is there, only the summary starts anew.
// guard
// ready
// by: seq
// Its summary failed in a way that may pass: it is tried again, not before `due`.
MATCH (a:ScrapeItem {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'summarizing'
SET a.state = 'scraped', a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = -1, a.due = $due
RETURN @row;

// name: fail(key, seq, token, at, error)
// move: scraping -> failed
// move: summarizing -> failed
// beyond: a page that can't be had, or summarized, ends here, so that its batch ends too.
// guard
// by: seq
// It failed for good: its tries are used up, or trying again can't help.
MATCH (a:ScrapeItem {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state IN ['scraping', 'summarizing']
SET a.state = 'failed', a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.ended_at = $at,
    a.retry_count = a.retry_count + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0
RETURN a.seq AS seq;

// name: reclaim(seqs, lo, hi, cutoff, due, counted)
// move: scraping -> idle
// beyond: what was being scraped when the manager died is scraped again.
// guard
// ready
// by: seqs between lo and hi
// Their manager is gone: back to waiting.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'scraping'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.state = 'idle', a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted,
    a.lease = 0, a.due = $due
RETURN @row;

// name: reclaim_summary(seqs, lo, hi, cutoff, due, counted)
// role: reclaim
// move: summarizing -> scraped
// beyond: what was being summarized when the manager died has its text: it goes on from there.
// guard
// ready
// by: seqs between lo and hi
// Their manager is gone: their summary starts anew.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'summarizing'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.state = 'scraped', a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted,
    a.lease = -1, a.due = $due
RETURN @row;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: scraping -> failed
// move: summarizing -> failed
// beyond: a page that takes its manager down each time must not be tried for ever.
// guard
// by: seqs between lo and hi
// Their managers were lost too often: they fail.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state IN ['scraping', 'summarizing']
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 >= $max_lost
SET a.state = 'failed', a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.ended_at = $at,
    a.lost_claims = a.lost_claims + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0,
    a.due = $never
RETURN a.seq AS seq;

// == By hand ==

// name: requeue(seqs, lo, hi, now)
// move: failed -> idle
// beyond: somebody has another try made.
// ready
// by: seqs between lo and hi
// Failed pages go back to waiting with a clean slate.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed'
SET a.state = 'idle', a.slot = 0, a.ended_at = NULL, a.retry_count = 0, a.lost_claims = 0, a.last_error = NULL,
    a.lease = 0, a.due = $now
RETURN @row;

// name: retry_in(batch_seq, now)
// move: failed -> idle
// beyond: a finished batch that is asked for again tries what failed again: its cause may be gone.
// ready
// The failed pages of a batch go back to waiting with a clean slate.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.state = 'failed'
SET a.state = 'idle', a.slot = 0, a.ended_at = NULL, a.retry_count = 0, a.lost_claims = 0, a.last_error = NULL,
    a.lease = 0, a.due = $now
RETURN @row;

// name: again_in(batch_seq, now)
// move: completed -> idle
// beyond: somebody wants pages scraped and summarized again, though they are done.
// ready
// The completed pages of a batch are scraped again; what is stored of them stays until then.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.state = 'completed'
SET a.state = 'idle', a.slot = 0, a.ended_at = NULL, a.retry_count = 0, a.lost_claims = 0, a.last_error = NULL,
    a.lease = 0, a.due = $now
RETURN @row;

// name: hasten_in(batch_seq, now, never)
// stays: idle | scraped
// beyond: somebody does not want to wait for pages that back off after a failure.
// ready
// The pages of a batch that back off are due at once.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.lease <= 0 AND a.due > $now AND a.due < $never
    AND a.state IN ['idle', 'scraped']
SET a.due = $now
RETURN @row;

// name: exclude(seqs, lo, hi, at, never)
// move: idle | failed -> excluded
// beyond: somebody takes pages out of their batch.
// by: seqs between lo and hi
// Out for good: never taken again.
MATCH (a:ScrapeItem)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state IN ['idle', 'failed']
SET a.state = 'excluded', a.ended_at = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// == Search ==
// `stamp` is what the search index follows: a number that is new whenever a text is. Rows of 0.1.0 have none.

// name: changed_after(after, limit)
// Pages whose text is newer, for the search index to catch up.
MATCH (a:ScrapeItem)
WITH a, coalesce(a.stamp, a.seq) AS seq
WHERE seq > $after
RETURN seq, a.id AS id, a.url AS url, a.scraped AS scraped, a.scraped_at AS scraped_at
ORDER BY seq LIMIT $limit;

// name: newest_change(after)
// The highest stamp beyond this one; numbers alone, so that every search can ask.
MATCH (a:ScrapeItem)
WITH coalesce(a.stamp, a.seq) AS seq
WHERE seq > $after
RETURN max(seq) AS seq;

// name: page_shown(key)
// What a search shows of one page.
MATCH (a:ScrapeItem {id: $key})
RETURN a.id AS id, a.url AS url, a.scraped AS scraped, a.scraped_at AS scraped_at;

// == States set by hand ==
// As in claimable.cypher, and the slot follows, too.

// name: align_initial(now, never)
// Set to idle by hand: free, and due now.
MATCH (a:ScrapeItem)
WHERE a.state = 'idle' AND (a.lease <> 0 OR a.due >= $never OR a.slot <> 0)
SET a.lease = 0, a.due = $now, a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_claimed(never, nobody)
// Set to scraping or summarizing by hand: held by nobody, so that the reaper takes it back.
MATCH (a:ScrapeItem)
WHERE a.state IN ['scraping', 'summarizing']
    AND (a.lease <= 0 OR a.due < $never OR (a.state = 'summarizing' AND a.slot <> 0))
SET a.lease = $nobody, a.due = $never, a.slot = 0, a.claimed_by = NULL
RETURN a.seq AS seq;

// name: align_resumed(now, never)
// Set to scraped by hand: free, to be summarized.
MATCH (a:ScrapeItem)
WHERE a.state = 'scraped' AND (a.lease <> -1 OR a.due >= $never OR a.slot <> 0)
SET a.lease = -1, a.due = $now, a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_resting(never)
// Set to a state of rest by hand: in nobody's hands, and never due.
MATCH (a:ScrapeItem)
WHERE a.state IN ['completed', 'failed', 'excluded'] AND (a.lease <> 0 OR a.due < $never OR a.slot <> 0)
SET a.lease = 0, a.due = $never, a.slot = 0, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// == Batches ==
// A batch is `open` until all of its pages are at rest, then `finished`; more pages open it again, for another round.
// Its manager holds it by a lease with an end, which it renews. The hook is `pending` once the batch is finished, then
// `done`, or `failed`; its key is the same for every try of one round.

// name: open_batch(rows, at)
// number: rows.seq
// table: rows
// Make this batch, where it is not there yet.
UNWIND $rows AS r
WITH r.name AS name, r.seq AS seq
MERGE (b:ScrapeBatch {name: name})
ON CREATE SET b.seq = seq, b.status = 'open', b.round = 1, b.created_at = $at, b.lease = 0, b.until = 0, b.hook_tries = 0
RETURN b.name AS name, b.seq AS seq, b.status AS status, b.round AS round, b.manager AS manager, b.lease AS lease,
    b.until AS until, b.hook AS hook, b.hook_key AS hook_key, b.hook_tries AS hook_tries;

// name: adopt(batch, batch_seq)
// unlocked: who adopts a page at the same time writes the same number.
// The batch takes up the pages that were put in for it one by one.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = 0 AND a.batch = $batch
SET a.batch_seq = $batch_seq
RETURN a.seq AS seq;

// name: show(rows, batch)
// table: rows
// Draw the lines from a batch to these pages, where there are none yet.
UNWIND $rows AS r
WITH r.id AS id
MATCH (a:ScrapeItem)
WHERE a.id = id
WITH a
MATCH (b:ScrapeBatch {name: $batch})
MERGE (b)-[l:SCRAPES]->(a)
ON CREATE SET l.gone = 0;

// name: show_all(batch, batch_seq)
// unlocked: a page's number of its batch is given once, and each line is drawn once.
// Draw the lines from a batch to all of its pages, where there are none yet.
MATCH (b:ScrapeBatch {name: $batch})
WITH b
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq
MERGE (b)-[l:SCRAPES]->(a)
ON CREATE SET l.gone = 0;

// name: manage(batch, lease, dead, worker, now, until)
// guard
// by: batch
// Take a batch in hand, where it is free, or its manager is known to be dead, or was silent too long.
MATCH (b:ScrapeBatch {name: $batch})
WHERE b.lease = 0 OR b.lease = $dead OR b.until < $now
SET b.lease = $lease, b.manager = $worker, b.until = $until
RETURN b.seq AS seq, b.status AS status, b.round AS round, b.hook AS hook, b.hook_key AS hook_key,
    b.hook_tries AS hook_tries;

// name: keep(batch, lease, until)
// guard
// by: batch
// The manager of a batch goes on.
MATCH (b:ScrapeBatch {name: $batch})
WHERE b.lease = $lease
SET b.until = $until
RETURN b.seq AS seq;

// name: unmanage(batch, lease)
// guard
// by: batch
// The manager lets go of its batch.
MATCH (b:ScrapeBatch {name: $batch})
WHERE b.lease = $lease
SET b.lease = 0, b.until = 0, b.manager = NULL
RETURN b.seq AS seq;

// name: reopen_batch(batch, lease, never)
// guard
// by: batch
// A finished batch with pages that are not at rest has another round.
MATCH (b:ScrapeBatch {name: $batch})
WHERE b.lease = $lease AND b.status = 'finished'
WITH b, b.seq AS number
MATCH (a:ScrapeItem)
WHERE a.batch_seq = number AND (a.lease <> 0 OR a.due < $never)
WITH b, count(*) AS left_over
WHERE left_over > 0
SET b.status = 'open', b.round = b.round + 1, b.finished_at = NULL, b.hook = NULL, b.hook_key = NULL, b.hook_tries = 0,
    b.hook_error = NULL, b.hook_at = NULL
RETURN b.seq AS seq, b.round AS round;

// name: finish_batch(batch, lease, batch_seq, never, at, hook, hook_key)
// guard
// by: batch
// All pages of the batch are at rest: it is finished, and its hook is to run.
OPTIONAL MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND (a.lease <> 0 OR a.due < $never)
WITH count(a.seq) AS left_over
MATCH (b:ScrapeBatch {name: $batch})
WHERE left_over = 0 AND b.lease = $lease AND b.status = 'open'
SET b.status = 'finished', b.finished_at = $at, b.hook = $hook, b.hook_key = $hook_key, b.hook_tries = 0
RETURN b.seq AS seq;

// name: hook_done(batch, lease, hook_key, at)
// guard
// by: batch
// The hook of this round has run; what it wrote through us stands in the same unit.
MATCH (b:ScrapeBatch {name: $batch})
WHERE b.lease = $lease AND b.hook_key = $hook_key AND b.hook IN ['pending', 'failed']
SET b.hook = 'done', b.hook_at = $at, b.hook_error = NULL, b.hook_tries = b.hook_tries + 1
RETURN b.seq AS seq;

// name: hook_failed(batch, lease, hook_key, at, error, hook)
// guard
// by: batch
// The hook raised: it stays pending, or has failed when it was tried enough.
MATCH (b:ScrapeBatch {name: $batch})
WHERE b.lease = $lease AND b.hook_key = $hook_key AND b.hook IN ['pending', 'failed']
SET b.hook = $hook, b.hook_at = $at, b.hook_error = $error, b.hook_tries = b.hook_tries + 1
RETURN b.seq AS seq, b.hook_tries AS tries;

// == Reads ==

// name: slots()
// Which slots are taken.
MATCH (a:ScrapeItem)
WHERE a.slot > 0
RETURN a.slot AS slot, a.seq AS seq;

// name: ready_in(batch_seq, now, lease, limit)
// The same for the pages of one batch; what somebody prioritised comes before all others (its `due` is negative).
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.due <= $now AND a.lease = $lease
RETURN a.seq AS seq, a.id AS key, a.url AS url, a.state AS state, a.retry_count AS retry_count,
    a.lost_claims AS lost_claims, a.failure_count AS failure_count, a.due >= 0 AS later
ORDER BY later, seq LIMIT $limit;

// name: left_behind(batch_seq, limit)
// What the manager before held of a batch.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.lease > 0
RETURN a.seq AS seq, a.id AS key, a.state AS state, a.lost_claims AS lost_claims, a.failure_count AS failure_count,
    a.claimed_by AS claimed_by
ORDER BY a.seq LIMIT $limit;

// name: page(key)
// What was scraped of one page.
MATCH (a:ScrapeItem {id: $key})
RETURN a.seq AS seq, a.url AS url, a.state AS state, a.scraped AS scraped;

// name: last_number()
// The highest number given so far.
MATCH (a:ScrapeItem)
RETURN max(a.seq) AS seq
UNION ALL
MATCH (a:ScrapeItem)
RETURN max(a.stamp) AS seq
UNION ALL
MATCH (b:ScrapeBatch)
RETURN max(b.seq) AS seq;

// name: batch(batch)
// Where a batch stands.
MATCH (b:ScrapeBatch {name: $batch})
RETURN b.name AS name, b.seq AS seq, b.status AS status, b.round AS round, b.manager AS manager, b.lease AS lease,
    b.until AS until, b.hook AS hook, b.hook_key AS hook_key, b.hook_tries AS hook_tries, b.hook_error AS hook_error,
    b.created_at AS created_at, b.finished_at AS finished_at;

// name: batches(state, contains, before, limit)
// The batches, the newest first, by state or a part of the name.
MATCH (b:ScrapeBatch)
WHERE b.seq < $before AND ($state = '' OR b.status = $state) AND ($contains = '' OR lower(b.name) CONTAINS $contains)
RETURN b.name AS name, b.seq AS seq, b.status AS status, b.round AS round, b.manager AS manager, b.hook AS hook,
    b.created_at AS created_at, b.finished_at AS finished_at
ORDER BY b.seq DESC LIMIT $limit;

// name: unfinished_batches(limit)
// Batches that have something left to do, the oldest first: pages, or their hook.
MATCH (b:ScrapeBatch)
WHERE b.status = 'open' OR b.hook = 'pending'
RETURN b.name AS name, b.seq AS seq
ORDER BY b.seq LIMIT $limit;

// name: batches_to_reopen(never, limit)
// Finished batches into which pages were put since, or put back by hand: whoever leads one of these opens it again.
MATCH (a:ScrapeItem)
WHERE a.due < $never
WITH DISTINCT a.batch_seq AS number
MATCH (b:ScrapeBatch)
WHERE b.seq = number AND b.status = 'finished'
RETURN b.name AS name, b.seq AS seq
ORDER BY seq LIMIT $limit;

// name: waiting_in(batch_seq, now, never)
// How many pages of a batch back off after a failure, and when the first of them is due.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.lease <= 0 AND a.due > $now AND a.due < $never
RETURN min(a.due) AS due, count(*) AS waiting;

// name: left_over(batch_seq, never)
// How many pages of a batch are not at rest.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND (a.lease <> 0 OR a.due < $never)
RETURN count(*) AS left_over;

// name: results(batch_seq, state, contains, after, limit)
// The pages of a batch with what became of them, in the order of arrival, by state or a part of the address.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq AND a.seq > $after
    AND ($state = '' OR a.state = $state) AND ($contains = '' OR lower(a.url) CONTAINS $contains)
RETURN a.seq AS seq, a.id AS key, a.url AS url, a.state AS state, a.title AS title, a.words AS words,
    a.summary AS summary, a.summarizer AS summarizer, a.last_error AS error, a.retry_count AS retry_count
ORDER BY a.seq LIMIT $limit;

// name: counts_of(batch_seq)
// How many pages of a batch are in each state.
MATCH (a:ScrapeItem)
WHERE a.batch_seq = $batch_seq
RETURN a.state AS state, count(*) AS count
ORDER BY state;
