// entity: section
// after: article
// The queue in claim order. Sections that were there before rest, and the model that made their vectors is in use.

// version: 1
MATCH (s:Section)
WHERE s.embedding_state IS NULL
SET s.embedding_state = 'embedded', s.place = 0, s.due = 4503599627370496, s.lease = 0, s.retry_count = 0,
    s.lost_claims = 0, s.failure_count = 0, s.generation = 0;
MATCH (m:EmbeddingModel)
WHERE m.role IS NULL
SET m.role = 'current', m.generation = 0;
CREATE INDEX section_queue IF NOT EXISTS FOR (s:Section) ON (s.embedding_state, s.place, s.seq);
CREATE INDEX section_state IF NOT EXISTS FOR (s:Section) ON (s.embedding_state);
CREATE VECTOR INDEX section_other_embedding IF NOT EXISTS FOR (s:Section) ON (s.other_embedding)
    OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
