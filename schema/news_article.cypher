// entity: news_article
// after: article
// An article of the news and where it stands, with the document's names for its fields and flags. `seq`, `due` and
// `lease` guard every move. `addedBy` is the run of the updater that found it. `source` is who published it.

// version: 1
CREATE NODE TABLE NewsArticle(
    id STRING PRIMARY KEY,
    topic STRING DEFAULT '',
    state STRING DEFAULT 'pending',
    priority INT64 DEFAULT 1,
    title STRING DEFAULT '',
    link STRING,
    date TIMESTAMP,
    description STRING DEFAULT '',
    author STRING DEFAULT '',
    language STRING DEFAULT '',
    keywords STRING DEFAULT '',
    source STRING DEFAULT '',
    provider STRING DEFAULT '',
    providerId STRING DEFAULT '',
    addedAt TIMESTAMP,
    addedBy STRING DEFAULT '',
    needsSummary BOOLEAN DEFAULT true,
    needsSentiment BOOLEAN DEFAULT true,
    contentTimeout INT64 DEFAULT 0,
    content STRING,
    contentAt TIMESTAMP,
    words INT64,
    summary STRING,
    summarizer STRING,
    summaryAt TIMESTAMP,
    summaryError STRING,
    summaryAttempts INT64 DEFAULT 0,
    sentiment STRING,
    sentimentScore DOUBLE,
    sentimentBy STRING,
    sentimentAt TIMESTAMP,
    sentimentError STRING,
    sentimentAttempts INT64 DEFAULT 0,
    embedding FLOAT[],
    embeddingModel STRING,
    endedAt TIMESTAMP,
    claimed_by STRING,
    claimed_at TIMESTAMP,
    retry_count INT64 DEFAULT 0,
    last_error STRING,
    seq INT64,
    due INT64 DEFAULT 0,
    lease INT64 DEFAULT 0,
    lost_claims INT64 DEFAULT 0,
    failure_count INT64 DEFAULT 0
);
CREATE NODE TABLE NewsSource(name STRING PRIMARY KEY, title STRING, url STRING, addedAt TIMESTAMP);
CREATE REL TABLE PUBLISHED_BY(FROM NewsArticle TO NewsSource, gone INT64 DEFAULT 0);
CREATE REL TABLE SAME_STORY(FROM NewsArticle TO NewsArticle, similarity DOUBLE, gone INT64 DEFAULT 0);
CREATE REL TABLE MENTIONS(FROM NewsArticle TO Article, gone INT64 DEFAULT 0);
CREATE REL TABLE NEWS_ARTICLE_FAILURE(FROM NewsArticle TO Failure);

// version: 2
// Lists of numbers are kept as text, which a checkpoint does not mix up (docs/kill-safety.md).
ALTER TABLE NewsArticle RENAME embedding TO old_embedding;
ALTER TABLE NewsArticle ADD embedding STRING;

// version: 3
ALTER TABLE NewsArticle ADD stamp INT64;
