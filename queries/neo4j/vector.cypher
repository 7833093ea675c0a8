// Vectors of items, news and pages on Neo4j: its own index answers searches.

// name: search_vector(kind, vector, candidates, limit)
// Rows of a kind whose vectors are nearest to this one, the nearest first. The index holds all kinds, so more is asked for.
CALL db.index.vector.queryNodes('text_vector_embedding', $candidates, $vector) YIELD node, score
WHERE node.kind = $kind
RETURN node.row AS id, node.seq AS seq, 2 * score - 1 AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector_of_id(keys, vector, limit)
// These rows, those whose vectors are nearest to this one first.
UNWIND $keys AS key
MATCH (a:TextVector {id: key})
WHERE a.embedding IS NOT NULL
RETURN a.row AS id, a.seq AS seq, 2 * vector.similarity.cosine(a.embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;
