// entity: vector
// after: article, hn_item, news_article, scrape_item
// Keys and numbers are unique; text_vector_queue gives the queue in claim order. The vector index is what search asks.

// version: 1
CREATE CONSTRAINT text_vector_id IF NOT EXISTS FOR (a:TextVector) REQUIRE a.id IS UNIQUE;
CREATE CONSTRAINT text_vector_seq IF NOT EXISTS FOR (a:TextVector) REQUIRE a.seq IS UNIQUE;
CREATE INDEX text_vector_queue IF NOT EXISTS FOR (a:TextVector) ON (a.state, a.seq);
CREATE INDEX text_vector_state IF NOT EXISTS FOR (a:TextVector) ON (a.state);
CREATE VECTOR INDEX text_vector_embedding IF NOT EXISTS FOR (a:TextVector) ON (a.embedding)
    OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX text_vector_other_embedding IF NOT EXISTS FOR (a:TextVector) ON (a.other_embedding)
    OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};

// version: 2
CREATE INDEX text_vector_kind IF NOT EXISTS FOR (a:TextVector) ON (a.kind);
