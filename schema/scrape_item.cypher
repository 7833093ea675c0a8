// entity: scrape_item
// after: graph
// A page to scrape and to summarize, and where it stands; and the batch that it came with. `seq`, `due` and `lease`
// guard every move. `slot` is the place among the scrapes at work, 0 for none; `batch_seq` the number of its batch.
// `scraped` is the page as JSON, `summary` grows while it is being written.

// version: 1
CREATE NODE TABLE ScrapeItem(
    id STRING PRIMARY KEY,
    url STRING,
    batch STRING,
    batch_seq INT64 DEFAULT 0,
    state STRING DEFAULT 'idle',
    slot INT64 DEFAULT 0,
    claimed_by STRING,
    claimed_at TIMESTAMP,
    retry_count INT64 DEFAULT 0,
    last_error STRING,
    seq INT64,
    due INT64 DEFAULT 0,
    lease INT64 DEFAULT 0,
    lost_claims INT64 DEFAULT 0,
    failure_count INT64 DEFAULT 0,
    scraped_at TIMESTAMP,
    ended_at TIMESTAMP,
    title STRING,
    words INT64,
    scraped STRING,
    summary STRING,
    summarizer STRING
);
CREATE NODE TABLE ScrapeBatch(
    name STRING PRIMARY KEY,
    seq INT64,
    status STRING,
    round INT64 DEFAULT 1,
    created_at TIMESTAMP,
    finished_at TIMESTAMP,
    manager STRING,
    lease INT64 DEFAULT 0,
    until INT64 DEFAULT 0,
    hook STRING,
    hook_key STRING,
    hook_tries INT64 DEFAULT 0,
    hook_error STRING,
    hook_at TIMESTAMP
);
CREATE REL TABLE SCRAPES(FROM ScrapeBatch TO ScrapeItem, gone INT64 DEFAULT 0);
CREATE REL TABLE SCRAPE_ITEM_FAILURE(FROM ScrapeItem TO Failure);

// version: 2
ALTER TABLE ScrapeItem ADD stamp INT64;
