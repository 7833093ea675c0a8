// The life of an article, from top to bottom: it is discovered, claimed, loaded, processed; or it fails, or is skipped.
// document: expansion-state-machine.md
// machine: Article.expansion_state
// pipeline: article
// key: title
// order: expansion_depth
// failed_at: processed_at
// defaults: expansion_depth = 0
// states: discovered* claimed loaded processed! failed! skipped! excluded!
// done: loaded, processed
// beyond skipped: the document has failed alone; a title without a page, or a disambiguation page, is no fault to look into.
// beyond excluded: the document tells people to exclude a failed article for good; that needs a place of its own.
//
// claimable.cypher explains the guard columns and holds what every pipeline has besides its moves. A loaded
// article whose links are not discovered yet waits with lease = -1: free, to be resumed from there.
// Batches are addressed by seq between two bounds, which costs the same in a table of any size; reading a string in a
// WHERE costs the whole table, so the statements of the hot path (claim, heartbeat, finish) do not.

// == Arrival ==

// name: seed(rows, now)
// move: -> discovered
// transition: initialize_seeds
// number: rows.seq
// ready
// table: rows
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
// table: rows
// Put in the articles that a loaded one links to, one deeper than it, where they are not there yet.
UNWIND $rows AS r
WITH r.title AS title, r.seq AS seq, r.depth AS depth
MERGE (a:Article {title: title})
ON CREATE SET a.seq = seq, a.expansion_state = 'discovered', a.expansion_depth = depth, a.retry_count = 0,
    a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease,
    a.expansion_state AS state;

// name: branch(rows, lo, hi, now)
// move: -> discovered
// transition: discover_links
// number: rows.seq
// held: rows.claim
// ready
// by: rows between lo and hi
// table: rows
// The links of articles that had none: what is not there yet is put in, one deeper, and all are connected.
// Looking titles up costs a pass over the table (0.3 s for a million rows): hence one statement for both. Each title
// comes to the MERGE once, since Kuzu binds the second one of a new title to nothing.
UNWIND $rows AS r
WITH r.claim AS claim, r.title AS title, r.seq AS seq, r.depth AS depth
WITH title, collect(CAST(claim AS INT64)) AS claims, min(CAST(seq AS INT64)) AS seq,
    min(CAST(depth AS INT64)) AS depth
MERGE (a:Article {title: title})
ON CREATE SET a.seq = seq, a.expansion_state = 'discovered', a.expansion_depth = depth, a.retry_count = 0,
    a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
WITH a, claims, seq
UNWIND claims AS claim
MATCH (s:Article)
WHERE s.seq >= $lo AND s.seq <= $hi AND s.seq = claim
CREATE (s)-[:LINKS_TO {gone: 0}]->(a)
RETURN a.seq AS seq, a.seq = seq AS created, a.title AS key, a.expansion_depth AS depth, a.due AS due, a.lease AS lease,
    a.expansion_state AS state;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: discovered -> claimed
// transition: claim_work
// by: seqs between lo and hi
// Take these articles, where they are still free and due.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = 0 AND a.due <= $now
SET a.expansion_state = 'claimed', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: claim_one(key, seq, worker, token, now, at, never)
// move: discovered -> claimed
// transition: claim_work
// by: seq
// Take this article, where it is still free and due; for a few rows of a large table, where a look-up by key is cheaper.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = 0 AND a.due <= $now
SET a.expansion_state = 'claimed', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: claim_loaded(seqs, lo, hi, worker, token, now, at, never)
// role: claim
// stays: loaded
// beyond: an article whose worker died between loading and link discovery goes on from there.
// by: seqs between lo and hi
// Take up these loaded articles, whose links were never discovered.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = -1 AND a.due <= $now
SET a.expansion_state = 'loaded', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, due)
// move: claimed -> discovered
// beyond: a worker that stops gives back what it holds, at no cost to the article.
// guard
// ready
// by: seqs between lo and hi
// Give these articles back untouched, not to be claimed again before `due`.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.expansion_state = 'claimed'
SET a.expansion_state = 'discovered', a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0, a.due = $due
RETURN @row;

// name: release_loaded(seqs, lo, hi, token, due)
// role: release
// stays: loaded
// beyond: a worker that stops gives back what it holds, at no cost to the article.
// guard
// ready
// by: seqs between lo and hi
// Give these loaded articles back, to be taken up from there, not before `due`.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.expansion_state = 'loaded'
SET a.expansion_state = 'loaded', a.claimed_by = NULL, a.claimed_at = NULL, a.lease = -1, a.due = $due
RETURN @row;

// == Completion ==

// name: load(seqs, lo, hi, token, at, due)
// move: claimed -> loaded
// transition: process_article
// guard
// by: seqs between lo and hi
// The articles are in the graph with their sections; their links come next, by whoever is there after `due`.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.expansion_state = 'claimed'
SET a.expansion_state = 'loaded', a.processed_at = $at, a.lease = -1, a.due = $due
RETURN a.seq AS seq;

// name: finish(seqs, lo, hi, token, at)
// role: complete
// move: claimed -> loaded -> processed
// move: loaded -> processed
// transition: process_article, discover_links
// guard
// by: seqs between lo and hi
// Loaded and linked in one transaction: the articles are done.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.expansion_state = 'processed', a.processed_at = $at, a.lease = 0
RETURN a.seq AS seq;

// name: finish_one(key, seq, token, at)
// role: complete_one
// move: claimed -> loaded -> processed
// move: loaded -> processed
// transition: process_article, discover_links
// guard
// by: seq
// The same for one article by its key.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = $token
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

// == Failure ==

// name: retry(key, seq, token, due, error)
// move: claimed -> discovered
// transition: process_article
// guard
// ready
// by: seq
// It failed in a way that may pass: back into the queue, not before `due`.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.expansion_state = 'claimed'
SET a.expansion_state = 'discovered', a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.due = $due
RETURN @row;

// name: retry_loaded(key, seq, token, due, error)
// role: retry
// stays: loaded
// beyond: link discovery that failed in a way that may pass is tried again from there.
// guard
// ready
// by: seq
// Its links could not be discovered now: back to waiting, not before `due`.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.expansion_state = 'loaded'
SET a.expansion_state = 'loaded', a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = -1, a.due = $due
RETURN @row;

// name: fail(key, seq, token, at, error)
// move: claimed -> failed
// move: loaded -> failed
// transition: process_article
// beyond loaded -> failed: link discovery can fail for good too.
// guard
// by: seq
// It failed for good: its tries are used up, or trying again can't help.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.expansion_state IN ['claimed', 'loaded']
SET a.expansion_state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.processed_at = $at,
    a.retry_count = a.retry_count + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0
RETURN a.seq AS seq;

// name: skip(key, seq, token, at, error)
// move: claimed -> skipped
// move: loaded -> skipped
// beyond: nothing is wrong and nothing can come of it: there is no such page, or it only lists others.
// guard
// by: seq
// There is no article to be made of it; the reason is kept, and no attempt is counted.
MATCH (a:Article {title: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.expansion_state IN ['claimed', 'loaded']
SET a.expansion_state = 'skipped', a.claimed_by = NULL, a.claimed_at = NULL, a.processed_at = $at,
    a.last_error = $error, a.lease = 0
RETURN a.seq AS seq;

// name: reclaim(seqs, lo, hi, cutoff, due, counted)
// move: claimed -> discovered
// transition: reclaim_stale
// guard
// ready
// by: seqs between lo and hi
// Their worker is gone: back into the queue.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state = 'claimed'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.expansion_state = 'discovered', a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted,
    a.lease = 0, a.due = $due
RETURN @row;

// name: reclaim_loaded(seqs, lo, hi, cutoff, due, counted)
// role: reclaim
// stays: loaded
// beyond: work that was lost after loading goes on from there, not from the start.
// guard
// ready
// by: seqs between lo and hi
// Their worker is gone after loading them: free, to be taken up from there.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state = 'loaded' AND a.lease > 0
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.expansion_state = 'loaded', a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted,
    a.lease = -1, a.due = $due
RETURN @row;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: claimed -> failed
// move: loaded -> failed
// beyond: an article that takes its worker down each time must not be tried for ever.
// guard
// by: seqs between lo and hi
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
// move: failed | skipped -> discovered
// beyond: the document's manual reset, as a move.
// ready
// by: seqs between lo and hi
// Failed and skipped articles go back into the queue with a clean slate.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state IN ['failed', 'skipped']
SET a.expansion_state = 'discovered', a.processed_at = NULL, a.retry_count = 0, a.lost_claims = 0,
    a.last_error = NULL, a.lease = 0, a.due = $now
RETURN @row;

// name: exclude(seqs, lo, hi, at, never)
// move: discovered | failed | skipped -> excluded
// beyond: the document's permanent exclusion, as a move.
// by: seqs between lo and hi
// Out for good: never claimed again.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs
    AND a.expansion_state IN ['discovered', 'failed', 'skipped']
SET a.expansion_state = 'excluded', a.processed_at = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// name: refresh(seqs, lo, hi, now)
// move: processed -> discovered
// beyond: a page that was revised since is expanded again.
// ready
// by: seqs between lo and hi
// These articles have a newer revision: they are worked on again.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.expansion_state = 'processed'
SET a.expansion_state = 'discovered', a.retry_count = 0, a.lost_claims = 0, a.lease = 0, a.due = $now
RETURN @row;

// name: due_again(seqs, lo, hi, now, never)
// stays: discovered
// beyond: what a cut dump could not give waits, and need not wait once there may be a better one.
// ready
// by: seqs between lo and hi
// These articles were put off: they can be claimed again now.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = 0 AND a.due < $never
    AND a.expansion_state = 'discovered'
SET a.expansion_state = 'discovered', a.due = $now
RETURN @row;

// name: resume_now(seqs, lo, hi, now)
// stays: loaded
// beyond: whoever loaded them discovers no links any more, so nobody need wait for that.
// ready
// by: seqs between lo and hi
// These loaded articles, in nobody's hands, can be taken up at once.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = -1 AND a.expansion_state = 'loaded'
SET a.expansion_state = 'loaded', a.due = $now
RETURN @row;

// name: left_loaded(now, never, limit)
// Loaded articles whose links somebody was to discover, and has not yet; not those that wait after a failure.
MATCH (a:Article)
WHERE a.lease = -1 AND a.due > $now AND a.due < $never AND a.retry_count = 0
RETURN a.seq AS seq, a.title AS key, a.claimed_by AS claimed_by
ORDER BY seq LIMIT $limit;

// == What an article holds ==
// Sections have numbers of their own: the search index follows them. What no longer holds is stamped `gone`.
// The casts are for batches in which every value is NULL: Kuzu takes those for strings.

// name: describe(rows, lo, hi)
// held: rows.claim
// by: rows between lo and hi
// table: rows
// Which revision of which kind of page an article is.
UNWIND $rows AS r
WITH r.claim AS claim, r.kind AS kind, r.revision AS revision, r.revised_at AS revised_at, r.words AS words,
    r.properties AS properties
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = claim
SET a.kind = kind, a.revision = revision, a.revised_at = CAST(revised_at AS TIMESTAMP), a.words = words,
    a.properties = CAST(properties AS STRING);

// name: link(rows)
// held: rows.claim
// table: rows
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

// name: redirect(rows)
// held: rows.claim
// table: rows
// Record that one title stands for another.
UNWIND $rows AS r
WITH r.source AS source, r.target AS target, r.fragment AS fragment
MATCH (a:Article)
WHERE a.title = source
WITH a, target, fragment
MATCH (b:Article)
WHERE b.title = target
MERGE (a)-[l:REDIRECTS_TO]->(b)
SET l.gone = 0, l.fragment = fragment;

// name: add_sections(rows, lo, hi)
// held: rows.claim
// number: rows.seq
// readies: section
// by: rows between lo and hi
// table: rows
// The sections of articles that had none: with their vectors, or to wait for them (section.cypher).
UNWIND $rows AS r
WITH r.claim AS claim, r.id AS id, r.article AS article, r.title AS title, r.path AS path, r.level AS level,
    r.position AS position, r.part AS part, r.text AS text, r.even AS even, r.odd AS odd, r.generation AS generation,
    r.state AS state, r.place AS place, r.due AS due, r.seq AS seq
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = claim
CREATE (a)-[:HAS_SECTION {gone: 0}]->(:Section {id: id, article: article, title: title, path: path, level: level,
    position: position, part: part, text: text, embedding: as_text(even, FLOAT[]), other_embedding: as_text(odd, FLOAT[]),
    generation: generation, embedding_state: state, place: place, due: due, lease: 0, retry_count: 0, lost_claims: 0,
    failure_count: 0, seq: seq, gone: 0})
RETURN seq AS seq, id AS key, place AS depth, due AS due, 0 AS lease, state AS state, 0 AS retry_count,
    0 AS lost_claims, 0 AS failure_count;

// name: replace_sections(rows)
// held: rows.claim
// number: rows.seq
// readies: section
// table: rows
// Sections that are there already, with a new text. Who embeds the old one loses the claim: its number is another.
UNWIND $rows AS r
WITH r.id AS id, r.title AS title, r.path AS path, r.level AS level, r.position AS position, r.part AS part,
    r.text AS text, r.even AS even, r.odd AS odd, r.generation AS generation, r.state AS state, r.place AS place,
    r.due AS due, r.seq AS seq
MATCH (s:Section)
WHERE s.id = id
SET s.title = title, s.path = path, s.level = level, s.position = position, s.part = part, s.text = text,
    s.embedding = as_text(even, FLOAT[]), s.other_embedding = as_text(odd, FLOAT[]), s.generation = generation,
    s.embedding_state = state, s.place = place, s.due = due, s.lease = 0, s.retry_count = 0, s.lost_claims = 0,
    s.claimed_by = NULL, s.claimed_at = NULL, s.last_error = NULL, s.seq = seq, s.gone = 0
RETURN s.seq AS seq, s.id AS key, s.place AS depth, s.due AS due, s.lease AS lease, s.embedding_state AS state,
    s.retry_count AS retry_count, s.lost_claims AS lost_claims, s.failure_count AS failure_count;

// name: retire_sections(rows, at_ms, never)
// held: rows.claim
// number: rows.seq
// table: rows
// These sections are no longer in their article; the new number tells the search index.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq
MATCH (s:Section)
WHERE s.id = id
SET s.gone = $at_ms, s.embedding_state = 'plain', s.due = $never, s.lease = 0, s.claimed_by = NULL,
    s.claimed_at = NULL, s.seq = seq;

// name: add_categories(rows)
// held: rows.claim
// table: rows
// Make the categories that are not there yet.
UNWIND $rows AS r
WITH r.category AS category
MERGE (c:Category {name: category});

// name: file(rows, lo, hi)
// held: rows.claim
// by: rows between lo and hi
// table: rows
// Put articles that were in no category into theirs.
UNWIND $rows AS r
WITH r.claim AS claim, r.category AS category
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = claim
WITH a, category
MATCH (c:Category)
WHERE c.name = category
CREATE (a)-[:IN_CATEGORY {gone: 0}]->(c);

// name: categorise(rows)
// held: rows.claim
// table: rows
// Put articles into their categories; one that is there stays one.
UNWIND $rows AS r
WITH r.article AS article, r.category AS category
MATCH (a:Article)
WHERE a.title = article
WITH a, category
MATCH (c:Category)
WHERE c.name = category
MERGE (a)-[i:IN_CATEGORY]->(c)
SET i.gone = 0;

// name: retire_edges(rows, at_ms)
// held: rows.claim
// table: rows
// Before an article is written again: its links and categories hold no longer, until they are found again.
UNWIND $rows AS r
WITH r.article AS article
MATCH (a:Article)-[l:LINKS_TO|IN_CATEGORY|REDIRECTS_TO]->()
WHERE a.title = article
SET l.gone = $at_ms;

// name: lower_depth(rows)
// table: rows
// A shorter way was found: these articles lie nearer than was known.
UNWIND $rows AS r
WITH r.key AS key, r.depth AS depth
MATCH (a:Article)
WHERE a.title = key AND a.expansion_depth > depth
SET a.expansion_depth = depth
RETURN a.seq AS seq;

// name: use_source(source, wiki, api_url, contact, embed, at)
// Articles of this graph come from here; what is worked on later, by whomever, asks the same source.
MERGE (s:ArticleSource {name: 'articles'})
SET s.source = $source, s.wiki = $wiki, s.api_url = $api_url, s.contact = $contact, s.embed = $embed, s.used_at = $at;

// name: source_in_use()
// Where the articles of this graph come from.
MATCH (s:ArticleSource)
RETURN s.source AS source, s.wiki AS wiki, s.api_url AS api_url, s.contact AS contact, s.embed AS embed;

// name: use_model(name, dimension, embedder, location, at)
// Vectors of this model go into the graph, as the first that it has.
MERGE (m:EmbeddingModel {name: $name})
ON CREATE SET m.dimension = $dimension, m.embedder = $embedder, m.location = $location, m.generation = 0,
    m.role = 'current', m.used_at = $at;

// == What the handler reads ==

// name: known(seqs, lo, hi)
// by: seqs between lo and hi
// Which of these articles have been written before.
MATCH (a:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs
RETURN a.seq AS seq, a.revision AS revision;

// name: linked(seqs, lo, hi)
// by: seqs between lo and hi
// How many articles link to each of these.
MATCH (a:Article)<-[l:LINKS_TO]-(:Article)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND l.gone = 0
RETURN a.seq AS seq, count(l) AS links;

// name: linking(seqs, lo, hi)
// by: seqs between lo and hi
// Which of these articles have links, edges that hold no longer included.
MATCH (a:Article)-[:LINKS_TO|IN_CATEGORY|HAS_SECTION]->()
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs
RETURN DISTINCT a.seq AS seq;

// name: sections_of(keys)
// The sections of these articles that hold.
UNWIND $keys AS key
MATCH (a:Article)-[h:HAS_SECTION]->(s:Section)
WHERE a.title = key
RETURN a.title AS article, s.id AS id, s.gone AS gone;

// name: revisions(after, limit)
// The revisions of processed articles, in the order of their numbers.
MATCH (a:Article)
WHERE a.seq > $after AND a.expansion_state = 'processed' AND a.revision IS NOT NULL
RETURN a.seq AS seq, a.title AS key, a.revision AS revision
ORDER BY a.seq LIMIT $limit;

// name: too_deep(limit)
// Articles that are linked from one which lies more than one step nearer.
MATCH (a:Article)-[l:LINKS_TO]->(b:Article)
WHERE l.gone = 0 AND b.expansion_depth > a.expansion_depth + 1
RETURN b.title AS key, min(a.expansion_depth) + 1 AS depth
LIMIT $limit;

// name: redirects_too_deep(limit)
// Articles that a redirect which lies nearer stands for.
MATCH (a:Article)-[l:REDIRECTS_TO]->(b:Article)
WHERE l.gone = 0 AND b.expansion_depth > a.expansion_depth
RETURN b.title AS key, min(a.expansion_depth) AS depth
LIMIT $limit;

// name: deepest()
// The greatest depth that is known.
MATCH (a:Article)
RETURN max(a.expansion_depth) AS depth;

// name: reach(depth, now, never)
// How many articles within this depth wait, and the nearest of them; and how many are being worked on. A loaded article
// whose links another is to discover does not wait for us before it is due.
MATCH (a:Article)
WHERE a.expansion_depth <= $depth
    AND (a.lease > 0 OR (a.due < $never AND (a.lease = 0 OR (a.lease < 0 AND (a.due <= $now OR a.retry_count > 0)))))
RETURN sum(CASE WHEN a.lease <= 0 THEN 1 ELSE 0 END) AS waiting, sum(CASE WHEN a.lease > 0 THEN 1 ELSE 0 END) AS claimed,
    min(CASE WHEN a.lease <= 0 THEN a.expansion_depth ELSE NULL END) AS depth;

// name: last_number()
// The highest number given so far.
MATCH (a:Article)
RETURN max(a.seq) AS seq
UNION ALL
MATCH (s:Section)
RETURN max(s.seq) AS seq;

// name: models()
// The model whose vectors search uses, if there are any.
MATCH (m:EmbeddingModel)
WHERE m.role = 'current'
RETURN m.name AS name, m.dimension AS dimension, m.generation AS generation;

// == Search ==

// name: sections_after(after, limit)
// Sections whose number is higher, for the search index to catch up.
MATCH (s:Section)
WHERE s.seq > $after
RETURN s.seq AS seq, s.id AS id, s.article AS article, s.title AS title, s.path AS path, s.text AS text,
    as_list(s.embedding, FLOAT[]) AS embedding, s.gone AS gone
ORDER BY s.seq LIMIT $limit;

// name: sections_after_odd(after, limit)
// The same with the vectors of an odd generation.
MATCH (s:Section)
WHERE s.seq > $after
RETURN s.seq AS seq, s.id AS id, s.article AS article, s.title AS title, s.path AS path, s.text AS text,
    as_list(s.other_embedding, FLOAT[]) AS embedding, s.gone AS gone
ORDER BY s.seq LIMIT $limit;

// name: searchable()
// The highest number of a section, where the search index should stand, and how many it should hold.
MATCH (s:Section)
RETURN max(s.seq) AS seq, sum(CASE WHEN s.gone = 0 THEN 1 ELSE 0 END) AS count;

// name: newest_section(after)
// The highest number beyond this one; numbers alone, so that every search can ask.
MATCH (s:Section)
WHERE s.seq > $after
RETURN max(s.seq) AS seq;

// name: sections_by_id(keys)
// What a search found, with the revision that it is from.
UNWIND $keys AS key
MATCH (a:Article)-[h:HAS_SECTION]->(s:Section)
WHERE s.id = key
RETURN s.id AS id, s.article AS article, s.path AS path, s.text AS text, a.revision AS revision,
    a.revised_at AS revised_at;

// name: section_shown(key)
// One section that a search found; the key's own index answers, as it does for its article.
MATCH (s:Section {id: $key})
RETURN s.id AS id, s.article AS article, s.path AS path, s.text AS text;

// name: revision_shown(title)
// The revision of an article that a search found.
MATCH (a:Article {title: $title})
RETURN a.revision AS revision, a.revised_at AS revised_at;

// name: section_vectors(article)
// The vectors of one article, for what is like it.
MATCH (a:Article {title: $article})-[h:HAS_SECTION]->(s:Section)
WHERE s.gone = 0
RETURN as_list(s.embedding, FLOAT[]) AS embedding;

// name: distances(title, titles)
// How many links lie between one article and these, three at most, either way.
MATCH p = (a:Article {title: $title})-[l:LINKS_TO* SHORTEST 1..3 (r, n | WHERE r.gone = 0)]-(b:Article)
WHERE b.title IN $titles
RETURN b.title AS title, length(p) AS distance;

// name: neighbours(title, limit)
// The articles one link away from this one, either way, those that lie nearest to the seeds first.
MATCH (a:Article {title: $title})-[l:LINKS_TO]-(b:Article)
WHERE l.gone = 0 AND b.title <> $title
WITH DISTINCT b.title AS title, b.expansion_depth AS depth, b.seq AS seq
RETURN title
ORDER BY depth, seq LIMIT $limit;

// name: edges(title, limit)
// The articles that a link or a redirect joins with this one, either way; a walk from a search hit goes there. So many
// edges are read, and no more: without DISTINCT or an order the engine stops there, and a hub costs no more than others.
MATCH (a:Article {title: $title})-[l:LINKS_TO|REDIRECTS_TO]-(b:Article)
WHERE l.gone = 0
WITH b LIMIT $limit
RETURN b.title AS title, b.kind AS kind;

// name: linked_nodes(after, limit)
// Articles whose number is higher: those between which links lead.
MATCH (a:Article)
WHERE a.seq > $after
RETURN a.seq AS seq, a.title AS title, a.kind AS kind, a.revision AS revision, a.revised_at AS revised_at
ORDER BY a.seq LIMIT $limit;

// name: links_between(after, upto)
// The links and redirects of the articles between two numbers, by the numbers of both ends; a search that goes on keeps
// them in memory.
MATCH (a:Article)-[l:LINKS_TO|REDIRECTS_TO]->(b:Article)
WHERE a.seq > $after AND a.seq <= $upto AND l.gone = 0
RETURN a.seq AS source, coalesce(b.seq, -1) AS target;

// name: links_of(keys)
// The links of these articles.
UNWIND $keys AS key
MATCH (x:Article)-[m:LINKS_TO]->(y:Article)
WHERE x.title = key AND m.gone = 0
RETURN x.title AS source, y.title AS target, x.expansion_depth AS source_depth, y.expansion_depth AS target_depth,
    x.expansion_state AS source_state, y.expansion_state AS target_state;

// name: links_sample(limit)
// Links of the articles that lie nearest to the seeds.
MATCH (x:Article)-[m:LINKS_TO]->(y:Article)
WHERE m.gone = 0
RETURN x.title AS source, y.title AS target, x.expansion_depth AS source_depth, y.expansion_depth AS target_depth,
    x.expansion_state AS source_state, y.expansion_state AS target_state
ORDER BY source_depth, target_depth, x.seq, y.seq LIMIT $limit;

// == Status ==
// The queries of the document, as it has them.

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

// == For people ==

// name: listed(contains, after, limit)
// Articles in the order of their numbers, by a part of the title.
MATCH (a:Article)
WHERE a.seq > $after AND ($contains = '' OR lower(a.title) CONTAINS $contains)
RETURN a.seq AS seq, a.title AS title, a.expansion_state AS state, a.expansion_depth AS depth,
    a.processed_at AS processed_at, a.last_error AS last_error
ORDER BY seq LIMIT $limit;

// name: listed_in(state, contains, after, limit)
// The same, of one state.
MATCH (a:Article)
WHERE a.seq > $after AND a.expansion_state = $state AND ($contains = '' OR lower(a.title) CONTAINS $contains)
RETURN a.seq AS seq, a.title AS title, a.expansion_state AS state, a.expansion_depth AS depth,
    a.processed_at AS processed_at, a.last_error AS last_error
ORDER BY seq LIMIT $limit;

// name: shown(key)
// One article.
MATCH (a:Article)
WHERE a.title = $key
RETURN a.title AS title, a.expansion_state AS state, a.expansion_depth AS depth, a.seq AS seq,
    a.claimed_by AS claimed_by, a.processed_at AS processed_at, a.retry_count AS retry_count, a.last_error AS last_error;

// name: links_shown(key, limit)
// What an article links to.
MATCH (a:Article)-[l:LINKS_TO]->(b:Article)
WHERE a.title = $key AND l.gone = 0
RETURN DISTINCT b.title AS title, b.expansion_state AS state
LIMIT $limit;

// name: sections_shown(key, limit)
// The sections of an article, from top to bottom.
MATCH (a:Article)-[h:HAS_SECTION]->(s:Section)
WHERE a.title = $key AND h.gone = 0
RETURN s.path AS path, s.level AS level, s.position AS position, s.part AS part, s.text AS text
ORDER BY position, part LIMIT $limit;

// name: categories_shown(key)
// The categories of an article.
MATCH (a:Article)-[i:IN_CATEGORY]->(c:Category)
WHERE a.title = $key AND i.gone = 0
RETURN DISTINCT c.name AS name
ORDER BY name;
