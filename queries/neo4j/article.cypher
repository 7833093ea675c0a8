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
// Sections with some of these words, the best first. What is gone is still in the index, so more is asked for.
CALL db.index.fulltext.queryNodes('section_text', $words, {limit: $candidates}) YIELD node, score
WHERE node.gone = 0
RETURN node.id AS id, node.seq AS seq, score AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector(vector, candidates, limit)
// Sections whose vectors are nearest to this one, the nearest first.
CALL db.index.vector.queryNodes('section_embedding', $candidates, $vector) YIELD node, score
WHERE node.gone = 0
RETURN node.id AS id, node.seq AS seq, 2 * score - 1 AS score
ORDER BY score DESC LIMIT $limit;

// name: search_words_of_article(keys, words, limit)
// Sections of these articles with some of these words, the best first.
CALL db.index.fulltext.queryNodes('section_text', $words) YIELD node, score
WHERE node.gone = 0 AND node.article IN $keys
RETURN node.id AS id, node.seq AS seq, score AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector_of_article(keys, vector, limit)
// Sections of these articles, those whose vectors are nearest to this one first.
UNWIND $keys AS key
MATCH (a:Article {title: key})-[h:HAS_SECTION]->(s:Section)
WHERE s.gone = 0 AND s.embedding IS NOT NULL
RETURN s.id AS id, s.seq AS seq, 2 * vector.similarity.cosine(s.embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector_of_id(keys, vector, limit)
// These sections, those whose vectors are nearest to this one first.
UNWIND $keys AS key
MATCH (s:Section {id: key})
WHERE s.gone = 0 AND s.embedding IS NOT NULL
RETURN s.id AS id, s.seq AS seq, 2 * vector.similarity.cosine(s.embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;
