// entity: vector
// after: article, hn_item, news_article, scrape_item
// Vectors of items, news articles and pages, and where each stands in the queue. `kind` and `row` name what it is the
// vector of, `hash` the text.

// version: 1
CREATE NODE TABLE TextVector(
    id STRING PRIMARY KEY,
    kind STRING DEFAULT '',
    row STRING DEFAULT '',
    hash INT64 DEFAULT 0,
    state STRING DEFAULT 'waiting',
    embedding STRING,
    old_embedding FLOAT[],
    other_embedding STRING,
    old_other_embedding FLOAT[],
    generation INT64 DEFAULT -1,
    claimed_by STRING,
    claimed_at TIMESTAMP,
    settled_at TIMESTAMP,
    retry_count INT64 DEFAULT 0,
    last_error STRING,
    seq INT64,
    due INT64 DEFAULT 0,
    lease INT64 DEFAULT 0,
    lost_claims INT64 DEFAULT 0,
    failure_count INT64 DEFAULT 0
);
CREATE REL TABLE VECTOR_FAILURE(FROM TextVector TO Failure);
