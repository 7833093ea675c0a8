// The life of an article, from top to bottom: it is discovered, claimed, loaded, processed, or it fails.
// document: expansion-state-machine.md
// machine: Article.expansion_state
// pipeline: article
// key: title
// states: discovered* claimed loaded processed! failed! excluded!
// beyond excluded: the document tells people to exclude a failed article for good; that needs a place of its own.
//
// Numbers guard, words tell. While a row is free to be claimed: lease = 0 and due is the earliest moment for it.
// While it is claimed: lease is the claim's token and due = $never. At rest for good: lease = 0, due = $never.
// A loaded article whose links are not discovered yet waits with lease = -1: free, but to be taken up from there.
// Batches are addressed by seq between two bounds, which costs the same in a table of any size; reading a word in a
// WHERE costs the whole table, so the statements of the hot path (claim, heartbeat, finish) do not.

// == Arrival ==

// name: seed(rows, now)
// move: -> discovered
// transition: initialize_seeds
// number: rows.seq
// ready
// Put these titles in at depth 0, where they are not there yet.
UNWIND $rows AS r
WITH r.title AS title, r.seq AS seq
MERGE (a:Article {title: title})
ON CREATE SET a.seq = seq, a.expansion_state = 'discovered', a.expansion_depth = 0, a.retry_count = 0,
    a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease,
    a.expansion_state AS state;

// name: discover(rows, now)
// move: -> discovered
// transition: discover_links
// number: rows.seq
// held: rows.claim
// ready
// Put in the articles that a loaded one links to, one deeper than it, where they are not there yet.
UNWIND $rows AS r
WITH r.title AS title, r.seq AS seq, r.depth AS depth
MERGE (a:Article {title: title})
ON CREATE SET a.seq = seq, a.expansion_state = 'discovered', a.expansion_depth = depth, a.retry_count = 0,
    a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease,
    a.expansion_state AS state;

// name: link(rows)
// held: rows.claim
// Record that one article links to another; a link that is there stays one link.
UNWIND $rows AS r
WITH r.source AS source, r.target AS target
MATCH (a:Article)
WHERE a.title = source
WITH a, target
MATCH (b:Article)
WHERE b.title = target
MERGE (a)-[l:LINKS_TO]->(b)
SET l.gone = 0;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: discovered -> claimed
// transition: claim_work
// Take these articles, where they are still free and due.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = 0 AND a.due <= $now
SET a.expansion_state = 'claimed', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: claim_loaded(seqs, lo, hi, worker, token, now, at, never)
// role: claim
// move: loaded -> loaded
// beyond: an article whose worker died between loading and link discovery goes on from there.
// Take up these loaded articles, whose links were never discovered.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = -1 AND a.due <= $now
SET a.expansion_state = 'loaded', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: heartbeat(seqs, lo, hi, tokens, at)
// move: claimed -> claimed
// move: loaded -> loaded
// beyond: the document's heartbeat, for all claims of a worker in one statement.
// guard
// Say that the work on these articles goes on.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease IN $tokens
SET a.claimed_at = $at
RETURN a.seq AS seq, a.lease AS token;

// name: load(seqs, lo, hi, token, at, due)
// move: claimed -> loaded
// transition: process_article
// guard
// The articles are in the graph with their sections; their links come next, by whoever is there after `due`.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.expansion_state = 'claimed'
SET a.expansion_state = 'loaded', a.processed_at = $at, a.lease = -1, a.due = $due
RETURN a.seq AS seq;

// name: finish(seqs, lo, hi, token, at)
// role: complete
// move: claimed -> loaded -> processed
// move: loaded -> processed
// transition: discover_links
// guard
// Loaded and linked in one transaction: the articles are done.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.expansion_state = 'processed', a.processed_at = $at, a.lease = 0
RETURN a.seq AS seq;

// name: links_discovered(title, at, never)
// move: loaded -> processed
// transition: discover_links
// guard
// The links of an article that was loaded, and is in nobody's hands, are in the graph: it is done.
MATCH (a:Article {title: $title})
WHERE a.expansion_state = 'loaded' AND a.lease <= 0
SET a.expansion_state = 'processed', a.processed_at = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, now)
// move: claimed -> discovered
// beyond: a worker that stops gives back what it holds, at no cost to the article.
// guard
// ready
// Give these articles back untouched.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.expansion_state = 'claimed'
SET a.expansion_state = 'discovered', a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0, a.due = $now
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: release_loaded(seqs, lo, hi, token, now)
// role: release
// move: loaded -> loaded
// beyond: a worker that stops gives back what it holds, at no cost to the article.
// guard
// ready
// Give these loaded articles back, to be taken up from there.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.expansion_state = 'loaded'
SET a.expansion_state = 'loaded', a.claimed_by = NULL, a.claimed_at = NULL, a.lease = -1, a.due = $now
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// == Failures ==

// name: retry(key, seq, token, due, error)
// move: claimed -> discovered
// transition: process_article
// guard
// ready
// It failed in a way that may pass: back into the queue, not before `due`.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.expansion_state = 'claimed'
SET a.expansion_state = 'discovered', a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.due = $due
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: retry_loaded(key, seq, token, due, error)
// role: retry
// move: loaded -> loaded
// beyond: link discovery that failed in a way that may pass is tried again from there.
// guard
// ready
// Its links could not be discovered now: back to waiting, not before `due`.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.expansion_state = 'loaded'
SET a.expansion_state = 'loaded', a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = -1, a.due = $due
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: fail(key, seq, token, at, error)
// move: claimed -> failed
// move: loaded -> failed
// transition: process_article
// guard
// It failed for good: its tries are used up, or trying again can't help.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.expansion_state IN ['claimed', 'loaded']
SET a.expansion_state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.processed_at = $at,
    a.retry_count = a.retry_count + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0
RETURN a.seq AS seq;

// name: note_failure(seq, key, id, at, attempt, kind, message, trace)
// held: seq
// Keep what went wrong as a node on its row; the id has ten values a row, so that the eleventh replaces the first.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq
MERGE (f:Failure {id: $id})
SET f.pipeline = 'article', f.row = $key, f.at = $at, f.attempt = $attempt, f.kind = $kind, f.message = $message,
    f.trace = $trace
MERGE (a)-[:ARTICLE_FAILURE]->(f);

// == The reaper ==

// name: stale(cutoff, limit)
// Claims with no heartbeat since the cutoff, or whose lease was lost by hand.
MATCH (a:Article)
WHERE (a.expansion_state = 'claimed' OR (a.expansion_state = 'loaded' AND a.lease > 0))
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
RETURN a.seq AS seq, a.title AS key, a.expansion_state AS state, a.lost_claims AS lost_claims,
    a.failure_count AS failure_count, a.claimed_by AS claimed_by
ORDER BY a.seq LIMIT $limit;

// name: reclaim(seqs, lo, hi, cutoff, now, max_lost)
// move: claimed -> discovered
// transition: reclaim_stale
// guard
// ready
// Their worker is gone: back into the queue.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state = 'claimed'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 < $max_lost
SET a.expansion_state = 'discovered', a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + 1,
    a.lease = 0, a.due = $now
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: reclaim_loaded(seqs, lo, hi, cutoff, now, max_lost)
// role: reclaim
// move: loaded -> loaded
// beyond: work that was lost after loading goes on from there, not from the start.
// guard
// ready
// Their worker is gone after loading them: free, to be taken up from there.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state = 'loaded' AND a.lease > 0
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 < $max_lost
SET a.expansion_state = 'loaded', a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + 1,
    a.lease = -1, a.due = $now
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: claimed -> failed
// move: loaded -> failed
// beyond: an article that takes its worker down each time must not be tried for ever.
// guard
// Their workers were lost too often: they fail.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state IN ['claimed', 'loaded']
    AND (a.expansion_state = 'claimed' OR a.lease > 0)
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 >= $max_lost
SET a.expansion_state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.processed_at = $at,
    a.lost_claims = a.lost_claims + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0,
    a.due = $never
RETURN a.seq AS seq;

// == By hand ==

// name: requeue(seqs, lo, hi, now)
// move: failed -> discovered
// beyond: the document's manual reset, as a move.
// ready
// Failed articles go back into the queue with a clean slate.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state = 'failed'
SET a.expansion_state = 'discovered', a.processed_at = NULL, a.retry_count = 0, a.lost_claims = 0,
    a.last_error = NULL, a.lease = 0, a.due = $now
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: exclude(seqs, lo, hi, at, never)
// move: discovered | failed -> excluded
// beyond: the document's permanent exclusion, as a move.
// Out for good: never claimed again.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state IN ['discovered', 'failed']
SET a.expansion_state = 'excluded', a.processed_at = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// name: named(keys)
// Where these articles stand.
UNWIND $keys AS key
MATCH (a:Article)
WHERE a.title = key
RETURN a.seq AS seq, a.title AS key, a.expansion_state AS state;

// name: failed(contains, limit)
// What failed, the newest first, by a part of its title or of its error.
MATCH (a:Article)
WHERE a.expansion_state = 'failed' AND ($contains = '' OR a.title CONTAINS $contains OR a.last_error CONTAINS $contains)
RETURN a.seq AS seq, a.title AS key, a.expansion_state AS state, a.last_error AS reason, a.retry_count AS retry_count,
    a.processed_at AS failed_at
ORDER BY a.processed_at DESC LIMIT $limit;

// name: failures(key)
// What went wrong with one article, the newest first.
MATCH (a:Article {title: $key})-[:ARTICLE_FAILURE]->(f:Failure)
RETURN f.at AS at, f.attempt AS attempt, f.kind AS kind, f.message AS message, f.trace AS trace
ORDER BY f.at DESC;

// == The window of what comes next ==

// name: ready(now, limit)
// What can be claimed now, in the order in which it is to be claimed.
MATCH (a:Article)
WHERE a.due <= $now AND a.lease <= 0
RETURN a.seq AS seq, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease, a.expansion_state AS state,
    a.retry_count AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count
ORDER BY a.expansion_depth, a.seq LIMIT $limit;

// name: next_due(now, never)
// When the next article that is backing off comes due.
MATCH (a:Article)
WHERE a.due > $now AND a.due < $never
RETURN min(a.due) AS due, count(*) AS waiting;

// == Words set by hand ==
// People may set a state at the console, as the document tells them: the word wins, and the numbers follow.

// name: misaligned(never, limit)
// Articles whose numbers do not say what their word says.
MATCH (a:Article)
WHERE a.seq IS NULL
    OR (a.expansion_state = 'discovered' AND (a.lease <> 0 OR a.due >= $never))
    OR (a.expansion_state = 'claimed' AND (a.lease <= 0 OR a.due < $never))
    OR (a.expansion_state = 'loaded' AND (a.lease = 0 OR (a.lease > 0 AND a.due < $never) OR (a.lease < 0 AND a.due >= $never)))
    OR (a.expansion_state IN ['processed', 'failed', 'excluded'] AND (a.lease <> 0 OR a.due < $never))
RETURN a.title AS key, a.expansion_state AS state, a.seq AS seq
LIMIT $limit;

// name: number(rows)
// number: rows.seq
// Give a number to the articles that were made by hand without one.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (a:Article)
WHERE a.title = key AND a.seq IS NULL
SET a.seq = seq, a.due = coalesce(a.due, 0), a.lease = coalesce(a.lease, 0), a.retry_count = coalesce(a.retry_count, 0),
    a.lost_claims = coalesce(a.lost_claims, 0), a.failure_count = coalesce(a.failure_count, 0),
    a.expansion_depth = coalesce(a.expansion_depth, 0);

// name: align_discovered(now, never)
// Set to discovered by hand: free, and due now.
MATCH (a:Article)
WHERE a.expansion_state = 'discovered' AND (a.lease <> 0 OR a.due >= $never)
SET a.lease = 0, a.due = $now, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_claimed(never, nobody)
// Set to claimed by hand: held by nobody, so that the reaper takes it back.
MATCH (a:Article)
WHERE a.expansion_state = 'claimed' AND (a.lease <= 0 OR a.due < $never)
SET a.lease = $nobody, a.due = $never, a.claimed_by = NULL
RETURN a.seq AS seq;

// name: align_loaded(now, never)
// Set to loaded by hand: free, to be taken up from there.
MATCH (a:Article)
WHERE a.expansion_state = 'loaded'
    AND (a.lease = 0 OR (a.lease > 0 AND a.due < $never) OR (a.lease < 0 AND a.due >= $never))
SET a.lease = -1, a.due = $now, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// name: align_final(never)
// Set to a state of rest by hand: in nobody's hands, and never due.
MATCH (a:Article)
WHERE a.expansion_state IN ['processed', 'failed', 'excluded'] AND (a.lease <> 0 OR a.due < $never)
SET a.lease = 0, a.due = $never, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// == Where the whole stands ==

// name: counts()
// How many articles are in each state.
MATCH (a:Article)
RETURN a.expansion_state AS state, count(*) AS count
ORDER BY state;

// name: last_number()
// The highest number given so far.
MATCH (a:Article)
RETURN max(a.seq) AS seq;

// name: oldest_heartbeat()
// The heartbeat of the claim that has been silent longest.
MATCH (a:Article)
WHERE a.expansion_state = 'claimed'
RETURN min(a.claimed_at) AS at, count(*) AS claimed;

// name: state_distribution()
// The document's query: articles and average depth by state.
MATCH (a:Article)
RETURN a.expansion_state AS state,
       COUNT(a) AS count,
       AVG(a.expansion_depth) AS avg_depth
ORDER BY count DESC;

// name: queue_size()
// The document's query: how many wait.
MATCH (a:Article)
WHERE a.expansion_state = 'discovered'
RETURN COUNT(a) AS queue_size;

// name: progress()
// The document's query: how much is loaded, 0 % when nothing is.
MATCH (a:Article)
WITH COUNT(a) AS total
OPTIONAL MATCH (loaded:Article)
WHERE loaded.expansion_state IN ['loaded', 'processed']
WITH total, COUNT(loaded) AS loaded_count
RETURN loaded_count, total,
    CASE WHEN total = 0 THEN 0.0 ELSE 100.0 * loaded_count / total END AS percent_complete;

// name: stale_claims(cutoff)
// The document's query: claims with no heartbeat since the cutoff.
MATCH (a:Article)
WHERE a.expansion_state = 'claimed'
  AND a.claimed_at < $cutoff
RETURN a.title AS title, a.claimed_at AS claimed_at, a.expansion_depth AS expansion_depth;
