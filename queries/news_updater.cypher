// What the updater does besides storing articles (news_article.store): the index of known ids and the log of additions.
// document: news-article-flow.md
//
// No block of this file writes the queue or a checkpoint: those are the processor's. A test reads it from the texts.

// == The index of ids ==
// The newest first, so many at most, each for so long: what is in it is known, and ends the search through old pages.

// name: known(topic, since_ms)
// The ids that are known, the newest first.
MATCH (x:NewsIndexed)
WHERE x.topic = $topic AND x.at_ms >= $since_ms
RETURN x.article AS id
ORDER BY x.seq DESC;

// name: index(rows, topic, now)
// number: rows.seq
// table: rows
// Note these ids as known, as the newest; the last of the rows is the newest of all.
UNWIND $rows AS r
WITH r.key AS key, r.id AS id, r.seq AS seq
MERGE (x:NewsIndexed {key: key})
SET x.topic = $topic, x.article = id, x.seq = seq, x.at_ms = $now;

// name: trim_index(topic, most)
// unlocked: what two forget at once is one that neither needs.
// Forget the ids beyond so many, the oldest; their articles stay.
MATCH (x:NewsIndexed)
WHERE x.topic = $topic
WITH x ORDER BY x.seq DESC SKIP $most
DELETE x
RETURN x.article AS id;

// name: expire_index(topic, since_ms)
// unlocked: who notes an id again meanwhile finds its article stored: nothing comes twice by it.
// Forget the ids that were not seen for too long; their articles stay.
MATCH (x:NewsIndexed)
WHERE x.topic = $topic AND x.at_ms < $since_ms
DELETE x
RETURN x.article AS id;

// == The log of additions ==
// Only appended to and trimmed at its beginning, up to the processor's checkpoint.

// name: append(rows, topic, run, at)
// number: rows.seq
// table: rows
// unlocked: articles of a run are looked for by that run alone.
// Append these articles, where this run of the updater stored them: who comes second appends nothing.
UNWIND $rows AS r
WITH r.id AS id, r.seq AS seq
MATCH (a:NewsArticle)
WHERE a.id = id AND a.addedBy = $run
MERGE (n:NewsAddition {id: id})
ON CREATE SET n.topic = $topic, n.seq = seq, n.at = $at
RETURN n.seq AS seq, n.id AS id, n.seq = seq AS created;

// name: trim(topic, checkpoint)
// Take away what the processor has merged: everything up to and with the article that its checkpoint names.
MATCH (c:NewsCheckpoint {name: $checkpoint})
WITH c.article AS last
MATCH (k:NewsAddition)
WHERE k.id = last AND k.topic = $topic
WITH k.seq AS up_to
MATCH (n:NewsAddition)
WHERE n.topic = $topic AND n.seq <= up_to
DELETE n
RETURN n.id AS id;

// name: additions(topic)
// How many articles the log holds.
MATCH (n:NewsAddition)
WHERE n.topic = $topic
RETURN count(*) AS total;

// name: last_number()
// The highest number given so far.
MATCH (n:NewsAddition)
RETURN max(n.seq) AS seq
UNION ALL
MATCH (x:NewsIndexed)
RETURN max(x.seq) AS seq;

// == Providers, and runs ==

// name: providers(topic)
// How the last look at each provider ended.
MATCH (p:NewsProvider)
WHERE p.topic = $topic
RETURN p.key AS key, p.name AS name, p.whole AS whole, p.credits AS credits, p.found AS found,
    p.not_before AS not_before, p.last_error AS last_error, p.asked_at AS asked_at
ORDER BY p.name;

// name: note_provider(key, topic, name, whole, credits, found, not_before, error, at)
// Note how a look at a provider ended: to its end or not, what it cost, how many it found, and when it may be asked next.
MERGE (p:NewsProvider {key: $key})
ON CREATE SET p.credits = 0, p.found = 0
SET p.topic = $topic, p.name = $name, p.whole = $whole, p.credits = p.credits + $credits, p.found = p.found + $found,
    p.not_before = $not_before, p.last_error = $error, p.asked_at = $at;

// name: note_run(id, topic, at, found, trimmed, credits, total)
// Keep the metrics of a run; the id has some hundred values a topic, so that the newest replaces the oldest.
MERGE (r:NewsUpdaterRun {id: $id})
SET r.topic = $topic, r.at = $at, r.found = $found, r.trimmed = $trimmed, r.credits = $credits, r.total = $total;

// name: runs(topic, limit)
// The metrics of the last runs, the newest first.
MATCH (r:NewsUpdaterRun)
WHERE r.topic = $topic
RETURN r.id AS id, r.at AS at, r.found AS found, r.trimmed AS trimmed, r.credits AS credits, r.total AS total
ORDER BY r.at DESC LIMIT $limit;
