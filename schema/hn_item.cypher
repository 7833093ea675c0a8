// entity: hn_item
// after: graph
// An item of Hacker News and where it stands, with the document's names. `seq`, `due` and `lease` guard every move.
// `story` is the item at the top of the thread, 0 while the way up is not known. `stamp` is what the search index
// follows. `kids` and `parts` are kept for their order: who belongs to whom is told by the relationships.

// version: 1
CREATE NODE TABLE HNItem(
    hnId INT64 PRIMARY KEY,
    state STRING DEFAULT 'initial_state',
    type STRING,
    by STRING,
    time INT64,
    title STRING,
    text STRING,
    plain STRING,
    url STRING,
    score INT64,
    descendants INT64,
    parent INT64,
    poll INT64,
    kids INT64[],
    parts INT64[],
    deleted BOOLEAN,
    dead BOOLEAN,
    extra STRING,
    raw STRING,
    sourceType STRING,
    ingestedAt TIMESTAMP,
    lastUpdated TIMESTAMP,
    fetchedAt INT64,
    hash INT64,
    story INT64,
    wants INT64,
    failedIn STRING,
    retryCount INT64 DEFAULT 0,
    lastFailureAt TIMESTAMP,
    retryAttemptAt TIMESTAMP,
    retryDue INT64,
    last_error STRING,
    claimed_by STRING,
    claimed_at TIMESTAMP,
    seq INT64,
    due INT64 DEFAULT 0,
    lease INT64 DEFAULT 0,
    lost_claims INT64 DEFAULT 0,
    failure_count INT64 DEFAULT 0,
    stamp INT64
);
CREATE NODE TABLE HNWalk(name STRING PRIMARY KEY, first INT64, last INT64, next INT64, changed_at TIMESTAMP);
CREATE REL TABLE PARENT_OF(FROM HNItem TO HNItem, gone INT64 DEFAULT 0);
CREATE REL TABLE OPTION_OF(FROM HNItem TO HNItem, gone INT64 DEFAULT 0);
CREATE REL TABLE HN_ITEM_FAILURE(FROM HNItem TO Failure);

// version: 2
// Lists of numbers are kept as text, which a checkpoint does not mix up (docs/kill-safety.md).
ALTER TABLE HNItem RENAME kids TO old_kids;
ALTER TABLE HNItem ADD kids STRING;
ALTER TABLE HNItem RENAME parts TO old_parts;
ALTER TABLE HNItem ADD parts STRING;

// version: 3
// Titles are plain text; before they were kept with their signs escaped.
MATCH (a:HNItem)
WHERE a.title CONTAINS '&'
SET a.title = regexp_replace(regexp_replace(regexp_replace(a.title, '&lt;', '<', 'g'), '&gt;', '>', 'g'), '&amp;', '&', 'g');

// version: 4
// Ids that answered null when they were pulled: asked for again for a time.
CREATE NODE TABLE HNMissing(hnId INT64 PRIMARY KEY, since INT64, asked INT64, due INT64);
