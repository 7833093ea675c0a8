// entity: news_processor
// after: news_article
// What the processor alone writes: NewsQueued is the document's PENDING_QUEUE, an entry each, in the order of `priority`
// and `place`. NewsCheckpoint holds the ADDITIONS_CHECKPOINT, and one for each phase: the last article that passed it.

// version: 1
CREATE NODE TABLE NewsQueued(id STRING PRIMARY KEY, topic STRING, priority INT64, place INT64, at TIMESTAMP);
CREATE NODE TABLE NewsCheckpoint(
    name STRING PRIMARY KEY,
    topic STRING,
    article STRING DEFAULT '',
    passed INT64 DEFAULT 0,
    at TIMESTAMP,
    seq INT64
);
CREATE NODE TABLE NewsProcessorRun(
    id STRING PRIMARY KEY,
    topic STRING,
    at TIMESTAMP,
    seconds DOUBLE,
    loaded INT64,
    processed INT64,
    removed INT64,
    moved_to_end INT64,
    remaining INT64
);
