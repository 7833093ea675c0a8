// entity: article
// after: graph
// An article and where it stands. `seq`, `due` and `lease` guard every move; the words beside them are for people.

// version: 1
CREATE NODE TABLE Article(
    title STRING PRIMARY KEY,
    expansion_state STRING DEFAULT 'discovered',
    expansion_depth INT64 DEFAULT 0,
    claimed_by STRING,
    claimed_at TIMESTAMP,
    processed_at TIMESTAMP,
    retry_count INT64 DEFAULT 0,
    last_error STRING,
    seq INT64,
    due INT64 DEFAULT 0,
    lease INT64 DEFAULT 0,
    lost_claims INT64 DEFAULT 0,
    failure_count INT64 DEFAULT 0
);
CREATE REL TABLE LINKS_TO(FROM Article TO Article, gone INT64 DEFAULT 0);
CREATE REL TABLE ARTICLE_FAILURE(FROM Article TO Failure);
