// Articles on Neo4j: the blocks whose text differs from queries/article.cypher, each with its reason.

// == What is compared before it is set ==

// name: lower_depth(rows)
// A shorter way was found: these articles lie nearer than was known. Differs: locks before it compares.
UNWIND $rows AS r
WITH r.key AS key, r.depth AS depth
MATCH (a:Article)
WHERE a.title = key
SET a.lock = 0
WITH a, depth
WHERE a.expansion_depth > depth
SET a.expansion_depth = depth
RETURN a.seq AS seq;

// name: distances(title, titles)
// How many links lie between one article and these, three at most. Differs: the shortest path has another syntax.
MATCH (a:Article {title: $title})
MATCH (b:Article)
WHERE b.title IN $titles AND b.title <> $title
MATCH p = shortestPath((a)-[:LINKS_TO*1..3]-(b))
WHERE all(l IN relationships(p) WHERE l.gone = 0)
RETURN b.title AS title, length(p) AS distance;

// == Search ==
// The server's own indexes; beside the embedded engines stands one of ours.

// name: search_words(words, candidates, limit)
// Sections with these words, the best first. What is gone is still in the index, so more is asked for.
CALL db.index.fulltext.queryNodes('section_words', $words, {limit: $candidates}) YIELD node, score
WHERE node.gone = 0
RETURN node.id AS id, node.seq AS seq, score AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector(odd, vector, candidates, limit)
// Sections whose vectors are nearest to this one, the nearest first. The index rounds numbers to eight bits: what it names
// is compared by the vectors themselves.
CALL db.index.vector.queryNodes(
    CASE WHEN $odd THEN 'section_other_embedding' ELSE 'section_embedding' END, $candidates, $vector
) YIELD node
WHERE node.gone = 0
WITH node, CASE WHEN $odd THEN node.other_embedding ELSE node.embedding END AS embedding
RETURN node.id AS id, node.seq AS seq, 2 * vector.similarity.cosine(embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;

// name: search_words_of_article(keys, words, limit)
// Sections of these articles with these words, the best first.
CALL db.index.fulltext.queryNodes('section_words', $words) YIELD node, score
WHERE node.gone = 0 AND node.article IN $keys
RETURN node.id AS id, node.seq AS seq, score AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector_of_article(keys, odd, vector, limit)
// Sections of these articles, those whose vectors are nearest to this one first.
UNWIND $keys AS key
MATCH (a:Article {title: key})-[h:HAS_SECTION]->(s:Section)
WITH s, CASE WHEN $odd THEN s.other_embedding ELSE s.embedding END AS embedding
WHERE s.gone = 0 AND embedding IS NOT NULL
RETURN s.id AS id, s.seq AS seq, 2 * vector.similarity.cosine(embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector_of_id(keys, odd, vector, limit)
// These sections, those whose vectors are nearest to this one first.
UNWIND $keys AS key
MATCH (s:Section {id: key})
WITH s, CASE WHEN $odd THEN s.other_embedding ELSE s.embedding END AS embedding
WHERE s.gone = 0 AND embedding IS NOT NULL
RETURN s.id AS id, s.seq AS seq, 2 * vector.similarity.cosine(embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;
