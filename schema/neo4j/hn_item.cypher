// entity: hn_item
// after: graph
// Keys and numbers are unique. hn_item_queue gives the queue in claim order, and finds what is claimed; the others find
// the rows of a state, what waits for something above it, and what a search asks for.

// version: 1
CREATE CONSTRAINT hn_item_id IF NOT EXISTS FOR (a:HNItem) REQUIRE a.hnId IS UNIQUE;
CREATE CONSTRAINT hn_item_seq IF NOT EXISTS FOR (a:HNItem) REQUIRE a.seq IS UNIQUE;
CREATE INDEX hn_item_queue IF NOT EXISTS FOR (a:HNItem) ON (a.lease, a.due, a.seq);
CREATE INDEX hn_item_state IF NOT EXISTS FOR (a:HNItem) ON (a.state);
CREATE INDEX hn_item_retry IF NOT EXISTS FOR (a:HNItem) ON (a.retryDue);
CREATE INDEX hn_item_story IF NOT EXISTS FOR (a:HNItem) ON (a.story);
CREATE INDEX hn_item_parent IF NOT EXISTS FOR (a:HNItem) ON (a.parent);
CREATE INDEX hn_item_poll IF NOT EXISTS FOR (a:HNItem) ON (a.poll);
CREATE INDEX hn_item_wants IF NOT EXISTS FOR (a:HNItem) ON (a.wants);
CREATE INDEX hn_item_by IF NOT EXISTS FOR (a:HNItem) ON (a.by);
CREATE CONSTRAINT hn_walk_name IF NOT EXISTS FOR (w:HNWalk) REQUIRE w.name IS UNIQUE;
CREATE FULLTEXT INDEX hn_item_text IF NOT EXISTS FOR (a:HNItem) ON EACH [a.title, a.text, a.plain]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};

// version: 2
// Titles are plain text; before they were kept with their signs escaped.
MATCH (a:HNItem)
WHERE a.title CONTAINS '&' AND a.titleUnescaped IS NULL
SET a.title = replace(replace(replace(a.title, '&lt;', '<'), '&gt;', '>'), '&amp;', '&'), a.titleUnescaped = true;

// version: 3
// Ids that answered null when they were pulled: asked for again for a time.
CREATE CONSTRAINT hn_missing_id IF NOT EXISTS FOR (m:HNMissing) REQUIRE m.hnId IS UNIQUE;
