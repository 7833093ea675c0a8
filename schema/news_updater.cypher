// entity: news_updater
// after: news_article
// What the updater alone writes: NewsIndexed is the document's ID_INDEX, NewsAddition its PENDING_ADDITIONS, an entry
// each, in the order of `seq`. NewsProvider says how the last look at each provider ended.

// version: 1
CREATE NODE TABLE NewsIndexed(key STRING PRIMARY KEY, topic STRING, article STRING, seq INT64, at_ms INT64);
CREATE NODE TABLE NewsAddition(id STRING PRIMARY KEY, topic STRING, seq INT64, at TIMESTAMP);
CREATE NODE TABLE NewsProvider(
    key STRING PRIMARY KEY,
    topic STRING,
    name STRING,
    whole BOOLEAN DEFAULT true,
    credits INT64 DEFAULT 0,
    found INT64 DEFAULT 0,
    not_before INT64 DEFAULT 0,
    last_error STRING,
    asked_at TIMESTAMP
);
CREATE NODE TABLE NewsUpdaterRun(
    id STRING PRIMARY KEY,
    topic STRING,
    at TIMESTAMP,
    found INT64,
    trimmed INT64,
    credits INT64,
    total INT64
);
