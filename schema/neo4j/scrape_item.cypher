// entity: scrape_item
// after: graph
// Keys and numbers are unique. scrape_item_queue gives what waits in claim order, scrape_item_batch_queue the same of one
// batch, scrape_item_results its pages in the order of arrival; scrape_item_slot finds the scrapes at work.

// version: 1
CREATE CONSTRAINT scrape_item_id IF NOT EXISTS FOR (a:ScrapeItem) REQUIRE a.id IS UNIQUE;
CREATE CONSTRAINT scrape_item_seq IF NOT EXISTS FOR (a:ScrapeItem) REQUIRE a.seq IS UNIQUE;
CREATE INDEX scrape_item_queue IF NOT EXISTS FOR (a:ScrapeItem) ON (a.state, a.seq);
CREATE INDEX scrape_item_state IF NOT EXISTS FOR (a:ScrapeItem) ON (a.state);
CREATE INDEX scrape_item_batch_queue IF NOT EXISTS FOR (a:ScrapeItem) ON (a.batch_seq, a.state, a.seq);
CREATE INDEX scrape_item_results IF NOT EXISTS FOR (a:ScrapeItem) ON (a.batch_seq, a.seq);
CREATE INDEX scrape_item_batch IF NOT EXISTS FOR (a:ScrapeItem) ON (a.batch_seq);
CREATE INDEX scrape_item_slot IF NOT EXISTS FOR (a:ScrapeItem) ON (a.slot);
CREATE CONSTRAINT scrape_batch_name IF NOT EXISTS FOR (b:ScrapeBatch) REQUIRE b.name IS UNIQUE;
CREATE CONSTRAINT scrape_batch_seq IF NOT EXISTS FOR (b:ScrapeBatch) REQUIRE b.seq IS UNIQUE;

// version: 2
CREATE FULLTEXT INDEX scrape_item_text IF NOT EXISTS FOR (a:ScrapeItem) ON EACH [a.title, a.scraped]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
