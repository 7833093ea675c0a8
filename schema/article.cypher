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
    failure_count INT64 DEFAULT 0,
    kind STRING,
    revision INT64,
    revised_at TIMESTAMP,
    words INT64
);
CREATE NODE TABLE Section(
    id STRING PRIMARY KEY,
    article STRING,
    title STRING,
    path STRING,
    level INT64,
    position INT64,
    part INT64,
    text STRING,
    embedding FLOAT[],
    seq INT64,
    gone INT64 DEFAULT 0
);
CREATE NODE TABLE Category(name STRING PRIMARY KEY);
CREATE NODE TABLE EmbeddingModel(name STRING PRIMARY KEY, dimension INT64, used_at TIMESTAMP);
CREATE REL TABLE HAS_SECTION(FROM Article TO Section, gone INT64 DEFAULT 0);
CREATE REL TABLE IN_CATEGORY(FROM Article TO Category, gone INT64 DEFAULT 0);
CREATE REL TABLE LINKS_TO(FROM Article TO Article, gone INT64 DEFAULT 0);
CREATE REL TABLE REDIRECTS_TO(FROM Article TO Article, fragment STRING, gone INT64 DEFAULT 0);
CREATE REL TABLE ARTICLE_FAILURE(FROM Article TO Failure);

// version: 2
// Lists of numbers are kept as text, which a checkpoint does not mix up (docs/kill-safety.md).
ALTER TABLE Section RENAME embedding TO old_embedding;
ALTER TABLE Section ADD embedding STRING;

// version: 3
ALTER TABLE Article ADD properties STRING;
CREATE NODE TABLE ArticleSource(
    name STRING PRIMARY KEY,
    source STRING,
    wiki STRING,
    api_url STRING,
    contact STRING,
    embed STRING,
    used_at TIMESTAMP
);
