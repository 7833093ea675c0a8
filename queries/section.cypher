// The life of a section's vector: it waits for one, a worker embeds it, and the search index follows by its new number.
// machine: Section.embedding_state
// pipeline: section
// key: id
// order: place
// failed_at: settled_at
// searched: article, path
// defaults: place = 0, generation = 0, gone = 0
// states: waiting* claimed embedded! plain! failed! excluded!
// done: embedded, plain
//
// What the guard columns mean is said in claimable.cypher, with what every pipeline has besides its moves. Sections are
// written with their article (article.cypher): with a vector, without one for good (`plain`: references and the like, or
// `--embed never`), or to wait for one. A section whose article is written again gets a new number, so that a claim on
// its old text finds nothing. `place` puts sections near a seed first, and of these the sections of much linked articles.
//
// There are two generations of vectors while a graph moves to another model: an even one in `embedding`, an odd one in
// `other_embedding`. `generation` is the newest that a section has a vector of; EmbeddingModel says which one is in use.

// == Arrival ==

// name: seed(rows, now)
// move: -> waiting
// number: rows.seq
// ready
// table: rows
// Sections by their ids, made by hand; they have no text until somebody sets it.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq
MERGE (a:Section {id: id})
ON CREATE SET a.seq = seq, a.article = '', a.title = '', a.path = '', a.level = 1, a.position = 0, a.part = 0,
    a.text = '', a.gone = 0, a.embedding_state = 'waiting', a.place = 0, a.generation = 0, a.retry_count = 0,
    a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.id AS key, a.place AS depth, a.due AS due, a.lease AS lease,
    a.embedding_state AS state;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: waiting -> claimed
// by: seqs between lo and hi
// Take these sections, where they are still free and due.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = 0 AND a.due <= $now
SET a.embedding_state = 'claimed', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, due)
// move: claimed -> waiting
// guard
// ready
// by: seqs between lo and hi
// Give these sections back untouched, not to be claimed again before `due`.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.embedding_state = 'claimed'
SET a.embedding_state = 'waiting', a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0, a.due = $due
RETURN @row;

// == Completion ==

// name: complete(seqs, lo, hi, token, at)
// move: claimed -> embedded
// guard
// by: seqs between lo and hi
// These sections have their vectors, which follow in the same unit.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.embedding_state = 'embedded', a.settled_at = $at, a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0,
    a.lost_claims = 0, a.retry_count = 0, a.last_error = NULL
RETURN a.seq AS seq;

// name: leave_plain(seqs, lo, hi, token, at)
// move: claimed -> plain
// guard
// by: seqs between lo and hi
// These sections get no vector: they are references or the like, or no longer in their article.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.embedding_state = 'plain', a.settled_at = $at, a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0
RETURN a.seq AS seq;

// name: embed_even(rows, lo, hi, generation)
// held: rows.claim
// number: rows.seq
// by: rows between lo and hi
// table: rows
// Vectors of an even generation; the new number brings them into the search index.
UNWIND $rows AS r
WITH r.claim AS claim, r.embedding AS embedding, r.seq AS seq
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = claim
SET a.embedding = as_text(embedding, FLOAT[]), a.generation = $generation, a.seq = seq;

// name: embed_odd(rows, lo, hi, generation)
// held: rows.claim
// number: rows.seq
// by: rows between lo and hi
// table: rows
// Vectors of an odd generation; the new number brings them into the search index.
UNWIND $rows AS r
WITH r.claim AS claim, r.embedding AS embedding, r.seq AS seq
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = claim
SET a.other_embedding = as_text(embedding, FLOAT[]), a.generation = $generation, a.seq = seq;

// == Failure ==

// name: retry(key, seq, token, due, error)
// move: claimed -> waiting
// guard
// ready
// by: seq
// It failed in a way that may pass: back into the queue, not before `due`.
MATCH (a:Section {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.embedding_state = 'claimed'
SET a.embedding_state = 'waiting', a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.due = $due
RETURN @row;

// name: fail(key, seq, token, at, error)
// move: claimed -> failed
// guard
// by: seq
// It failed for good: its tries are used up, or trying again can't help. It is still found by its words.
MATCH (a:Section {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.embedding_state = 'claimed'
SET a.embedding_state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.settled_at = $at,
    a.retry_count = a.retry_count + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0
RETURN a.seq AS seq;

// name: reclaim(seqs, lo, hi, cutoff, due, counted)
// move: claimed -> waiting
// guard
// ready
// by: seqs between lo and hi
// Their worker is gone: back into the queue.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.embedding_state = 'claimed'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.embedding_state = 'waiting', a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted,
    a.lease = 0, a.due = $due
RETURN @row;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: claimed -> failed
// guard
// by: seqs between lo and hi
// Their workers were lost too often: they fail.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.embedding_state = 'claimed'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 >= $max_lost
SET a.embedding_state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.settled_at = $at,
    a.lost_claims = a.lost_claims + 1, a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0,
    a.due = $never
RETURN a.seq AS seq;

// == Queue administration ==

// name: requeue(seqs, lo, hi, now)
// move: failed -> waiting
// ready
// by: seqs between lo and hi
// Failed sections go back into the queue with a clean slate.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.embedding_state = 'failed'
SET a.embedding_state = 'waiting', a.settled_at = NULL, a.retry_count = 0, a.lost_claims = 0, a.last_error = NULL,
    a.lease = 0, a.due = $now
RETURN @row;

// name: exclude(seqs, lo, hi, at, never)
// move: waiting | failed -> excluded
// by: seqs between lo and hi
// These get no vector, whatever the model; they are still found by their words.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.embedding_state IN ['waiting', 'failed']
SET a.embedding_state = 'excluded', a.embedding = as_text(NULL, FLOAT[]),
    a.other_embedding = as_text(NULL, FLOAT[]), a.settled_at = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// == Another model ==

// name: renew_even(seqs, lo, hi, now)
// move: embedded | plain | failed -> waiting
// ready
// by: seqs between lo and hi
// These sections get a vector of another model, of an even generation; search goes on with the one of the model in use.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.embedding_state IN ['embedded', 'plain', 'failed']
SET a.embedding_state = 'waiting', a.embedding = as_text(NULL, FLOAT[]), a.retry_count = 0, a.lost_claims = 0,
    a.last_error = NULL, a.lease = 0, a.due = $now
RETURN @row;

// name: renew_odd(seqs, lo, hi, now)
// move: embedded | plain | failed -> waiting
// ready
// by: seqs between lo and hi
// These sections get a vector of another model, of an odd generation; search goes on with the one of the model in use.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.embedding_state IN ['embedded', 'plain', 'failed']
SET a.embedding_state = 'waiting', a.other_embedding = as_text(NULL, FLOAT[]), a.retry_count = 0, a.lost_claims = 0,
    a.last_error = NULL, a.lease = 0, a.due = $now
RETURN @row;

// name: without_vector(after, generation, limit)
// Sections that have no vector of this generation and are in nobody's queue, in the order of their numbers.
MATCH (a:Section)
WHERE a.seq > $after AND a.gone = 0 AND a.generation < $generation AND a.lease = 0
    AND a.embedding_state IN ['embedded', 'plain', 'failed']
RETURN a.seq AS seq, a.path AS path, a.embedding_state AS state
ORDER BY a.seq LIMIT $limit;

// name: plan_model(name, dimension, embedder, location, generation, at)
// Vectors of this model come into the graph, as a generation of their own; search goes on with the one in use.
MERGE (m:EmbeddingModel {name: $name})
SET m.dimension = $dimension, m.embedder = $embedder, m.location = $location, m.generation = $generation,
    m.role = 'next', m.used_at = $at;

// name: abandon_model()
// unlocked: it does the same whenever it comes.
// The switch is called off: the model in use stays.
MATCH (m:EmbeddingModel)
WHERE m.role = 'next'
SET m.role = 'former';

// name: switch_model(generation)
// unlocked: one statement decides for all models, and does the same whenever it comes.
// From now on this generation is the one in use.
MATCH (m:EmbeddingModel)
WHERE m.role IN ['current', 'next']
SET m.role = CASE WHEN m.generation = $generation THEN 'current' ELSE 'former' END;

// == What the handler reads ==

// name: texts(seqs, lo, hi)
// by: seqs between lo and hi
// What there is to embed of these sections.
MATCH (a:Section)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs
RETURN a.seq AS seq, a.article AS article, a.path AS path, a.text AS text, a.gone AS gone;

// name: unembedded(generation, never)
// How many sections have yet to get their vector of this generation.
MATCH (a:Section)
WHERE a.gone = 0 AND (a.due < $never OR a.lease > 0
    OR (a.generation < $generation AND a.embedding_state = 'embedded'))
RETURN count(*) AS count;

// name: models()
// The models whose vectors are in this graph, or are to come into it.
MATCH (m:EmbeddingModel)
RETURN m.name AS name, m.dimension AS dimension, m.embedder AS embedder, m.location AS location,
    m.generation AS generation, m.role AS role
ORDER BY generation;

// name: last_number()
// The highest number given so far; sections have their numbers from the same count as articles.
MATCH (a:Article)
RETURN max(a.seq) AS seq
UNION ALL
MATCH (s:Section)
RETURN max(s.seq) AS seq;
