// entity: scrape_item
// after: graph
// Keys and numbers are unique. scrape_item_queue gives the pages of a batch in the order of arrival; the others find
// pages by state, by slot and by what is free.

// version: 1
CREATE CONSTRAINT scrape_item_id IF NOT EXISTS FOR (a:ScrapeItem) REQUIRE a.id IS UNIQUE;
CREATE CONSTRAINT scrape_item_seq IF NOT EXISTS FOR (a:ScrapeItem) REQUIRE a.seq IS UNIQUE;
CREATE INDEX scrape_item_queue IF NOT EXISTS FOR (a:ScrapeItem) ON (a.batch_seq, a.lease, a.due);
CREATE INDEX scrape_item_free IF NOT EXISTS FOR (a:ScrapeItem) ON (a.lease, a.due);
CREATE INDEX scrape_item_state IF NOT EXISTS FOR (a:ScrapeItem) ON (a.state);
CREATE INDEX scrape_item_slot IF NOT EXISTS FOR (a:ScrapeItem) ON (a.slot);
CREATE CONSTRAINT scrape_batch_name IF NOT EXISTS FOR (b:ScrapeBatch) REQUIRE b.name IS UNIQUE;
