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

// name: search(asked, most)
// Rows by words, by their keys or all, that pass what else is asked; `most` are put in order and counted. An empty text or
// list asks for nothing. All of it is one map: the server would make a plan for each choice of filters.
CALL () {
    WITH $asked.way AS way WHERE way = 'words'
    CALL db.index.fulltext.queryNodes('news_article_text', $asked.words) YIELD node AS a, score AS rank
    RETURN a, rank
    UNION ALL
    WITH $asked.way AS way WHERE way = 'ids'
    MATCH (a:NewsArticle) WHERE a.id IN $asked.ids
    RETURN a, 0.0 AS rank
    UNION ALL
    WITH $asked.way AS way WHERE NOT way IN ['words', 'ids']
    MATCH (a:NewsArticle)
    RETURN a, 0.0 AS rank
}
WITH a, rank, coalesce(coalesce(a.date, a.addedAt).epochSeconds, 0) AS time
WHERE a.state <> 'excluded' AND ($asked.author = '' OR a.author = $asked.author)
    AND ($asked.not_author = '' OR a.author IS NULL OR a.author <> $asked.not_author)
    AND ($asked.source = '' OR a.source = $asked.source) AND ($asked.topic = '' OR a.topic = $asked.topic)
    AND ($asked.site = '' OR a.link =~ $asked.site)
    AND time >= $asked.time_from AND time <= $asked.time_to AND (size($asked.ids) = 0 OR a.id IN $asked.ids)
WITH a, time, CASE $asked.order WHEN 'time' THEN time ELSE rank END AS place
ORDER BY place DESC, a.seq DESC LIMIT $most
WITH collect([a.id, a.seq, place]) AS found, CASE size($asked.facets) WHEN 0 THEN [] ELSE collect([
    name IN $asked.facets | CASE name
        WHEN 'author' THEN a.author WHEN 'source' THEN a.source WHEN 'topic' THEN a.topic
        WHEN 'year' THEN datetime({epochSeconds: time}).year
    END
]) END AS facets
RETURN found[$asked.skip..$asked.skip + $asked.limit] AS page, size(found) AS total, facets;
