// entity: section
// after: article
// What a section needs to wait for its vector, and to have a second one while the graph moves to another model. Sections
// that were there before have what they will get: they rest, and `due` is as for every row at rest.

// version: 1
ALTER TABLE Section ADD embedding_state STRING DEFAULT 'embedded';
ALTER TABLE Section ADD place INT64 DEFAULT 0;
ALTER TABLE Section ADD claimed_by STRING;
ALTER TABLE Section ADD claimed_at TIMESTAMP;
ALTER TABLE Section ADD settled_at TIMESTAMP;
ALTER TABLE Section ADD retry_count INT64 DEFAULT 0;
ALTER TABLE Section ADD last_error STRING;
ALTER TABLE Section ADD due INT64 DEFAULT 4503599627370496;
ALTER TABLE Section ADD lease INT64 DEFAULT 0;
ALTER TABLE Section ADD lost_claims INT64 DEFAULT 0;
ALTER TABLE Section ADD failure_count INT64 DEFAULT 0;
ALTER TABLE Section ADD generation INT64 DEFAULT 0;
ALTER TABLE Section ADD other_embedding STRING;
ALTER TABLE Section ADD old_other_embedding FLOAT[];
ALTER TABLE EmbeddingModel ADD generation INT64 DEFAULT 0;
ALTER TABLE EmbeddingModel ADD role STRING DEFAULT 'current';
ALTER TABLE EmbeddingModel ADD embedder STRING;
ALTER TABLE EmbeddingModel ADD location STRING;
CREATE REL TABLE SECTION_FAILURE(FROM Section TO Failure);
