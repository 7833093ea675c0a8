// The life of an article of the news: found by the updater, then taken by the processor through its three phases.
// document: news-article-flow.md
// machine: NewsArticle.state
// pipeline: news_article
// key: id
// order: priority
// failed_at: endedAt
// searched: title, link
// defaults: link = a.id, topic = '', title = '', priority = 1, contentTimeout = 0, summaryAttempts = 0
// defaults: sentimentAttempts = 0, needsSummary = a.summary IS NULL, needsSentiment = a.sentiment IS NULL
// states: pending* processing processed! failed! excluded!
// beyond pending: the document has flags and a queue; that an article is to be worked on needs a word people can ask for.
// beyond processing: several processors at once are safe only if each article is in the hands of one.
// beyond processed: an article that left the queue with all flags cleared is told apart from one that never was in it.
// beyond failed: a page that never loads must not circle in the queue for ever.
// beyond excluded: somebody may take an article out for good; that needs a place of its own.
//
// claimable.cypher explains the guard columns and holds what every pipeline has besides its moves; the order of
// claims there is for workers that know no queue. Where a pending article stands in the queue is told by NewsQueued
// (news_processor.cypher), whether it is still in the log of additions by NewsAddition (news_updater.cypher).
// The flags are the document's: a phase is over when `content` is there, needsSummary and needsSentiment are cleared.

// == Arrival ==

// name: store(rows, topic, run, now, at)
// move: -> pending
// transition: store_new_articles
// number: rows.seq
// table: rows
// Store these articles, where they are not there yet, marked as needing summary and sentiment.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq, r.title AS title, r.link AS link, r.date AS date, r.description AS description,
    r.author AS author, r.language AS language, r.keywords AS keywords, r.source AS source, r.provider AS provider,
    r.providerId AS providerId, r.priority AS priority, r.needsSentiment AS needsSentiment, r.sentiment AS sentiment,
    r.score AS score, r.sentimentBy AS sentimentBy
MERGE (a:NewsArticle {id: id})
ON CREATE SET a.seq = seq, a.stamp = seq, a.topic = $topic, a.addedBy = $run, a.addedAt = $at, a.state = 'pending', a.title = title,
    a.link = link, a.date = date, a.description = description, a.author = author, a.language = language,
    a.keywords = keywords, a.source = source, a.provider = provider, a.providerId = providerId, a.priority = priority,
    a.needsSummary = true, a.needsSentiment = needsSentiment, a.sentiment = sentiment, a.sentimentScore = score,
    a.sentimentBy = sentimentBy, a.contentTimeout = 0, a.summaryAttempts = 0, a.sentimentAttempts = 0,
    a.retry_count = 0, a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.id AS key;

// name: seed(rows, now)
// move: -> pending
// transition: store_new_articles
// number: rows.seq
// table: rows
// Put these addresses in by hand, where they are not there yet; the next run of a processor queues them.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq
MERGE (a:NewsArticle {id: id})
ON CREATE SET a.seq = seq, a.stamp = seq, a.link = id, a.topic = '', a.state = 'pending', a.title = '', a.priority = 1,
    a.needsSummary = true, a.needsSentiment = true, a.contentTimeout = 0, a.summaryAttempts = 0,
    a.sentimentAttempts = 0, a.retry_count = 0, a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.id AS key;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: pending -> processing
// transition: load_articles
// by: seqs between lo and hi
// Take these articles, where they are still free and due.
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = 0 AND a.due <= $now
SET a.state = 'processing', a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, due)
// move: processing -> pending
// beyond: a processor that stops gives back what it holds, at no cost to the article; what is saved stays saved.
// guard
// ready
// by: seqs between lo and hi
// Give these articles back, not to be taken again before `due`.
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'processing'
SET a.state = 'pending', a.claimed_by = NULL, a.claimed_at = NULL, a.lease = 0, a.due = $due
RETURN @row;

// == The phases ==

// name: save_content(rows, tokens, lo, hi, at)
// role: save
// stays: processing
// transition: fetch_content
// guard
// number: rows.stamp
// by: rows between lo and hi
// table: rows
// The first phase is over: these pages were fetched, and their text is kept.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.content AS content, r.words AS words, r.title AS title,
    r.stamp AS stamp
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.lease IN $tokens AND a.lease = token
    AND a.state = 'processing'
SET a.content = content, a.words = words, a.contentAt = $at, a.contentTimeout = 0, a.stamp = stamp,
    a.title = CASE WHEN a.title = '' THEN title ELSE a.title END
RETURN a.seq AS seq;

// name: save_summary(rows, tokens, lo, hi, at)
// role: save_summary
// stays: processing
// transition: generate_summary
// guard
// number: rows.stamp
// by: rows between lo and hi
// table: rows
// The second phase is over: the summaries are written, and by whom; an error of the model is kept beside them.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.summary AS summary, r.summarizer AS summarizer, r.summaryError AS summaryError,
    r.stamp AS stamp
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.lease IN $tokens AND a.lease = token
    AND a.state = 'processing'
SET a.summary = summary, a.summarizer = summarizer, a.summaryAt = $at, a.needsSummary = false,
    a.summaryError = summaryError, a.stamp = stamp
RETURN a.seq AS seq;

// name: save_sentiment(rows, tokens, lo, hi, at)
// role: save_sentiment
// stays: processing
// transition: analyze_sentiment
// guard
// by: rows between lo and hi
// table: rows
// The third phase is over: the sentiment is told, and by whom; an error of the model is kept beside it.
UNWIND $rows AS r
WITH r.seq AS seq, r.token AS token, r.sentiment AS sentiment, r.sentimentScore AS sentimentScore,
    r.sentimentBy AS sentimentBy, r.sentimentError AS sentimentError
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.lease IN $tokens AND a.lease = token
    AND a.state = 'processing'
SET a.sentiment = sentiment, a.sentimentScore = sentimentScore, a.sentimentBy = sentimentBy, a.sentimentAt = $at,
    a.needsSentiment = false, a.sentimentError = sentimentError
RETURN a.seq AS seq;

// name: count_timeout(key, seq, token, timeouts)
// stays: processing
// transition: content_timeout
// guard
// by: seq
// Its page could not be had, so many times by now.
MATCH (a:NewsArticle {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'processing'
SET a.contentTimeout = $timeouts
RETURN a.seq AS seq;

// name: count_summary(key, seq, token, attempts, error)
// stays: processing
// transition: summary_error
// guard
// by: seq
// The model could not summarize it, so many times by now.
MATCH (a:NewsArticle {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'processing'
SET a.summaryAttempts = $attempts, a.summaryError = $error
RETURN a.seq AS seq;

// name: count_sentiment(key, seq, token, attempts, error)
// stays: processing
// beyond: the document says nothing of a sentiment that fails; it is counted as a summary is.
// guard
// by: seq
// The model could not tell its sentiment, so many times by now.
MATCH (a:NewsArticle {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'processing'
SET a.sentimentAttempts = $attempts, a.sentimentError = $error
RETURN a.seq AS seq;

// == Completion ==

// name: complete(seqs, lo, hi, token, at)
// move: processing -> processed
// transition: fully_processed
// guard
// by: seqs between lo and hi
// All flags are cleared: these articles are done, and leave the queue in the same unit.
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'processing'
SET a.state = 'processed', a.claimed_by = NULL, a.claimed_at = NULL, a.endedAt = $at, a.retry_count = 0,
    a.last_error = NULL, a.lease = 0
RETURN a.seq AS seq;

// == Failure ==

// name: retry(key, seq, token, due, error)
// move: processing -> pending
// transition: timeout_or_error
// guard
// ready
// by: seq
// A phase failed in a way that may pass: it is tried again, not before `due`, from that phase on.
MATCH (a:NewsArticle {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'processing'
SET a.state = 'pending', a.claimed_by = NULL, a.claimed_at = NULL, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.due = $due
RETURN @row;

// name: fail(key, seq, token, at, error)
// move: processing -> failed
// beyond: a page that can't be had ends here, with its reason, rather than circling for ever.
// guard
// by: seq
// It failed for good: its tries are used up, or trying again can't help.
MATCH (a:NewsArticle {id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'processing'
SET a.state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.endedAt = $at, a.retry_count = a.retry_count + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0
RETURN a.seq AS seq;

// name: reclaim(seqs, lo, hi, cutoff, due, counted)
// move: processing -> pending
// beyond: what was in work when its processor died goes on from the phase that it had reached, in its place in the queue.
// guard
// ready
// by: seqs between lo and hi
// Their processor is gone: they wait again.
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'processing'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.state = 'pending', a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted, a.lease = 0,
    a.due = $due
RETURN @row;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: processing -> failed
// beyond: an article that takes its processor down each time must not be tried for ever.
// guard
// by: seqs between lo and hi
// Their processors were lost too often: they fail; the next run takes them out of the queue.
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'processing'
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 >= $max_lost
SET a.state = 'failed', a.claimed_by = NULL, a.claimed_at = NULL, a.endedAt = $at, a.lost_claims = a.lost_claims + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// == By hand ==

// name: requeue(seqs, lo, hi, now)
// move: failed -> pending
// beyond: somebody has another try made.
// ready
// by: seqs between lo and hi
// Failed articles wait again with a clean slate; what is saved of them stays.
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed'
SET a.state = 'pending', a.endedAt = NULL, a.retry_count = 0, a.lost_claims = 0, a.last_error = NULL,
    a.contentTimeout = 0, a.summaryAttempts = 0, a.sentimentAttempts = 0, a.lease = 0, a.due = $now
RETURN @row;

// name: exclude(seqs, lo, hi, at, never)
// move: pending | failed -> excluded
// beyond: somebody takes articles out.
// by: seqs between lo and hi
// Out for good: never taken again; the next run takes them out of the queue.
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state IN ['pending', 'failed']
SET a.state = 'excluded', a.endedAt = $at, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// name: stamp_excluded(rows, lo, hi)
// number: rows.stamp
// by: rows between lo and hi
// table: rows
// unlocked: beside the block that excludes them, and who comes second writes a later stamp.
// The search index is told of articles that were excluded: they leave it.
UNWIND $rows AS r
WITH r.seq AS seq, r.stamp AS stamp
MATCH (a:NewsArticle)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq = seq AND a.state = 'excluded'
SET a.stamp = stamp;

// == What an article holds ==

// name: adopt(keys, topic)
// Articles that were put in by hand belong to the topic whose processor comes first.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key AND a.topic = ''
SET a.topic = $topic;

// name: hasten(keys, now)
// Articles that back off may be taken at once.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key AND a.state = 'pending' AND a.lease = 0
SET a.due = $now
RETURN a.id AS id;

// name: open_sources(rows, at)
// table: rows
// Make these publishers, where they are not there yet.
UNWIND $rows AS r
WITH r.name AS name, r.title AS title, r.url AS url
MERGE (s:NewsSource {name: name})
ON CREATE SET s.title = title, s.url = url, s.addedAt = $at;

// name: publish(rows)
// table: rows
// Draw the line from each article to who published it, where there is none yet.
UNWIND $rows AS r
WITH r.id AS id, r.source AS name
MATCH (a:NewsArticle)
WHERE a.id = id
WITH a, name
MATCH (s:NewsSource)
WHERE s.name = name
MERGE (a)-[p:PUBLISHED_BY]->(s)
ON CREATE SET p.gone = 0;

// name: save_vectors(rows)
// held: rows.claim
// table: rows
// Keep what their texts mean, to tell the same story from several sources.
UNWIND $rows AS r
WITH r.id AS id, r.embedding AS embedding, r.model AS model
MATCH (a:NewsArticle)
WHERE a.id = id
SET a.embedding = as_text(embedding, FLOAT[]), a.embeddingModel = model;

// name: same_story(rows)
// held: rows.claim
// table: rows
// These tell the same story; the line leads from the younger article to the older.
UNWIND $rows AS r
WITH r.younger AS younger, r.older AS older, r.similarity AS similarity
MATCH (a:NewsArticle)
WHERE a.id = younger
WITH a, older, similarity
MATCH (b:NewsArticle)
WHERE b.id = older
MERGE (a)-[s:SAME_STORY]->(b)
ON CREATE SET s.similarity = similarity, s.gone = 0;

// name: mention(rows)
// held: rows.claim
// table: rows
// These articles of the news speak of these Wikipedia articles.
UNWIND $rows AS r
WITH r.id AS id, r.title AS title
MATCH (a:NewsArticle)
WHERE a.id = id
WITH a, title
MATCH (w:Article)
WHERE w.title = title
MERGE (a)-[m:MENTIONS]->(w)
ON CREATE SET m.gone = 0;

// == Search ==
// `stamp` is what the search index follows: a number that is new whenever a text is. Rows of 0.1.0 have none.

// name: last_number()
// The highest number given so far.
MATCH (a:NewsArticle)
RETURN max(a.seq) AS seq
UNION ALL
MATCH (a:NewsArticle)
RETURN max(a.stamp) AS seq;

// name: changed_after(after, limit)
// Articles whose text is newer, for the search index to catch up.
MATCH (a:NewsArticle)
WITH a, coalesce(a.stamp, a.seq) AS seq
WHERE seq > $after
RETURN seq, a.id AS id, a.state AS state, a.title AS title, a.description AS description, a.content AS content,
    a.summary AS summary, a.link AS link, a.date AS date, a.addedAt AS addedAt, a.author AS author,
    a.source AS source, a.topic AS topic, as_list(a.embedding, FLOAT[]) AS embedding,
    a.embeddingModel AS embeddingModel
ORDER BY seq LIMIT $limit;

// name: newest_change(after)
// The highest stamp beyond this one; numbers alone, so that every search can ask.
MATCH (a:NewsArticle)
WITH coalesce(a.stamp, a.seq) AS seq
WHERE seq > $after
RETURN max(seq) AS seq;

// name: embedded(model)
// Whether there are vectors of this model.
MATCH (a:NewsArticle)
WHERE a.embeddingModel = $model
RETURN a.id AS id LIMIT 1;

// name: cited(key)
// What a search shows and cites of an article.
MATCH (a:NewsArticle {id: $key})
RETURN a.title AS title, a.link AS link, a.description AS description, a.content AS content, a.contentAt AS contentAt,
    a.addedAt AS addedAt;

// name: around(key, limit)
// The articles that tell the same story as this one, so many at most; a walk from a search hit goes there.
MATCH (a:NewsArticle {id: $key})-[s:SAME_STORY]-(b:NewsArticle)
WHERE s.gone = 0
WITH b LIMIT $limit
RETURN b.id AS id;

// == Reads ==

// name: loaded(keys)
// What the phases need of these articles.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key
RETURN a.id AS id, a.seq AS seq, a.lease AS lease, a.title AS title, a.link AS link, a.keywords AS keywords,
    a.language AS language, a.needsSummary AS needsSummary, a.needsSentiment AS needsSentiment,
    a.contentTimeout AS contentTimeout, a.content AS content, a.summary AS summary,
    a.summaryAttempts AS summaryAttempts, a.sentimentAttempts AS sentimentAttempts,
    as_list(a.embedding, FLOAT[]) AS embedding;

// name: stories(topic, model, limit)
// The newest articles of which it is known what they mean, to compare others with.
MATCH (a:NewsArticle)
WHERE a.topic = $topic AND a.embeddingModel = $model
RETURN a.seq AS seq, a.id AS id
ORDER BY a.seq DESC LIMIT $limit;

// name: vectors(keys)
// What these articles mean.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key
RETURN a.id AS id, as_list(a.embedding, FLOAT[]) AS embedding;

// name: titled(keys)
// Which of these are titles of Wikipedia articles in this graph.
UNWIND $keys AS key
MATCH (w:Article)
WHERE w.title = key
RETURN w.title AS title;

// name: listed(topic, state, source, sentiment, contains, date, seq, limit)
// The articles of a topic, the newest first, by state, publisher, sentiment, or a part of the title; those behind the one
// of this date and number. One whose provider gave no date has the moment at which it was found.
MATCH (a:NewsArticle)
WHERE ($topic = '' OR a.topic = $topic) AND ($state = '' OR a.state = $state) AND ($source = '' OR a.source = $source)
    AND ($sentiment = '' OR a.sentiment = $sentiment) AND ($contains = '' OR lower(a.title) CONTAINS $contains)
    AND (a.date < $date OR (a.date = $date AND a.seq < $seq))
RETURN a.id AS id, a.topic AS topic, a.state AS state, a.title AS title, a.link AS link, a.date AS date,
    a.date = a.addedAt AS undated, a.source AS source, a.provider AS provider, a.sentiment AS sentiment,
    a.sentimentScore AS sentimentScore, a.summary AS summary, a.seq AS seq
ORDER BY date DESC, seq DESC LIMIT $limit;

// name: sentiments(topic, since, limit)
// When articles of a topic were published, and their sentiment; the newest first.
MATCH (a:NewsArticle)
WHERE ($topic = '' OR a.topic = $topic) AND a.date >= $since AND a.sentiment IS NOT NULL AND a.sentiment <> ''
RETURN a.date AS date, a.sentiment AS sentiment, a.sentimentScore AS score
ORDER BY date DESC LIMIT $limit;

// name: shown(key)
// Everything about one article, by its id or its address.
MATCH (a:NewsArticle)
WHERE a.id = $key OR a.link = $key
RETURN a.id AS id, a.topic AS topic, a.state AS state, a.priority AS priority, a.title AS title, a.link AS link,
    a.date AS date, a.date = a.addedAt AS undated, a.description AS description, a.author AS author, a.language AS language, a.keywords AS keywords,
    a.source AS source, a.provider AS provider, a.providerId AS providerId, a.addedAt AS addedAt,
    a.needsSummary AS needsSummary, a.needsSentiment AS needsSentiment, a.contentTimeout AS contentTimeout,
    a.content AS content, a.words AS words, a.contentAt AS contentAt, a.summary AS summary, a.summarizer AS summarizer,
    a.summaryAt AS summaryAt, a.summaryError AS summaryError, a.summaryAttempts AS summaryAttempts,
    a.sentiment AS sentiment, a.sentimentScore AS sentimentScore, a.sentimentBy AS sentimentBy,
    a.sentimentAt AS sentimentAt, a.sentimentError AS sentimentError, a.endedAt AS endedAt, a.last_error AS last_error,
    a.retry_count AS retry_count
LIMIT 1;

// name: same_stories(key)
// The articles that tell the same story as this one.
MATCH (a:NewsArticle {id: $key})-[s:SAME_STORY]-(b:NewsArticle)
WHERE s.gone = 0
RETURN b.id AS id, b.title AS title, b.source AS source, b.link AS link, s.similarity AS similarity
ORDER BY similarity DESC;

// name: mentioned(key)
// The Wikipedia articles that this one speaks of.
MATCH (a:NewsArticle {id: $key})-[m:MENTIONS]->(w:Article)
WHERE m.gone = 0
RETURN w.title AS title
ORDER BY title;
