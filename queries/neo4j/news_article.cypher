// Articles of the news on Neo4j: the blocks whose text differs from queries/news_article.cypher, each with its reason.

// == What is compared before it is set ==

// name: adopt(keys, topic)
// Articles that were put in by hand belong to the topic whose processor comes first. Differs: locks before it compares.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key
SET a.lock = 0
WITH a
WHERE a.topic = ''
SET a.topic = $topic;

// name: hasten(keys, now)
// Articles that back off may be taken at once. Differs: locks before it compares, or it would make one that is being
// worked on due, and have it done again once it is done.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key
SET a.lock = 0
WITH a
WHERE a.state = 'pending' AND a.lease = 0
SET a.due = $now
RETURN a.id AS id;

// == Reads ==

// name: stories(topic, model, limit)
// The newest articles of which it is known what they mean, to compare others with. Differs: the order comes from the index.
MATCH (a:NewsArticle)
WHERE a.topic = $topic AND a.embeddingModel = $model AND a.seq IS NOT NULL
RETURN a.seq AS seq, a.id AS id
ORDER BY a.topic DESC, a.embeddingModel DESC, a.seq DESC LIMIT $limit;

// == Search ==
// The server's own index; beside the embedded engines stands one of ours.

// name: search_words(words, candidates, limit)
// Rows with some of these words, the best first.
CALL db.index.fulltext.queryNodes('news_article_text', $words, {limit: $candidates}) YIELD node, score
RETURN node.id AS id, node.seq AS seq, score AS score
ORDER BY score DESC LIMIT $limit;

// name: search_words_of_id(keys, words, limit)
// These rows, where they have some of these words, the best first.
CALL db.index.fulltext.queryNodes('news_article_text', $words) YIELD node, score
WHERE node.id IN $keys
RETURN node.id AS id, node.seq AS seq, score AS score
ORDER BY score DESC LIMIT $limit;
