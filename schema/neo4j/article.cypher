// entity: article
// after: graph
// Keys and numbers are unique. article_queue gives the queue in claim order; article_state finds the rows of a state.
// The full-text and the vector index are what search asks here.

// version: 1
CREATE CONSTRAINT article_title IF NOT EXISTS FOR (a:Article) REQUIRE a.title IS UNIQUE;
CREATE CONSTRAINT article_seq IF NOT EXISTS FOR (a:Article) REQUIRE a.seq IS UNIQUE;
CREATE INDEX article_queue IF NOT EXISTS FOR (a:Article) ON (a.expansion_state, a.expansion_depth, a.seq);
CREATE INDEX article_state IF NOT EXISTS FOR (a:Article) ON (a.expansion_state);
CREATE CONSTRAINT section_id IF NOT EXISTS FOR (s:Section) REQUIRE s.id IS UNIQUE;
CREATE INDEX section_seq IF NOT EXISTS FOR (s:Section) ON (s.seq);
CREATE CONSTRAINT category_name IF NOT EXISTS FOR (c:Category) REQUIRE c.name IS UNIQUE;
CREATE CONSTRAINT embedding_model_name IF NOT EXISTS FOR (m:EmbeddingModel) REQUIRE m.name IS UNIQUE;
CREATE FULLTEXT INDEX section_text IF NOT EXISTS FOR (s:Section) ON EACH [s.title, s.text];
CREATE VECTOR INDEX section_embedding IF NOT EXISTS FOR (s:Section) ON (s.embedding)
    OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};

// version: 2
CREATE CONSTRAINT article_source_name IF NOT EXISTS FOR (s:ArticleSource) REQUIRE s.name IS UNIQUE;

// version: 3
// Words are found in titles too, and by their stems, as beside the embedded engines.
CREATE FULLTEXT INDEX section_words IF NOT EXISTS FOR (s:Section) ON EACH [s.article, s.path, s.text]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
DROP INDEX section_text IF EXISTS;
