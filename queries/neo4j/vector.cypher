// Vectors of items, news and pages on Neo4j: its own index answers searches.

// name: search_vector(kind, odd, vector, candidates, limit)
// Rows of a kind whose vectors are nearest to this one, the nearest first. The index holds all kinds, so more is asked for;
// it rounds numbers to eight bits, so what it names is compared by the vectors themselves.
CALL db.index.vector.queryNodes(
    CASE WHEN $odd THEN 'text_vector_other_embedding' ELSE 'text_vector_embedding' END, $candidates, $vector
) YIELD node
WHERE node.kind = $kind
WITH node, CASE WHEN $odd THEN node.other_embedding ELSE node.embedding END AS embedding
RETURN node.row AS id, node.seq AS seq, 2 * vector.similarity.cosine(embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector_of_kind(kind, odd, vector, limit)
// The same by a look at every row of the kind, where it is too rare among the nearest of all.
MATCH (a:TextVector)
WHERE a.kind = $kind
WITH a, CASE WHEN $odd THEN a.other_embedding ELSE a.embedding END AS embedding
WHERE embedding IS NOT NULL
RETURN a.row AS id, a.seq AS seq, 2 * vector.similarity.cosine(embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;

// name: search_vector_of_id(keys, odd, vector, limit)
// These rows, those whose vectors are nearest to this one first.
UNWIND $keys AS key
MATCH (a:TextVector {id: key})
WITH a, CASE WHEN $odd THEN a.other_embedding ELSE a.embedding END AS embedding
WHERE embedding IS NOT NULL
RETURN a.row AS id, a.seq AS seq, 2 * vector.similarity.cosine(embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $limit;
