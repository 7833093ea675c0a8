// Edges between the kinds: rows with the same address, and rows whose text names an article. Each job follows its rows by
// number; what a batch makes and how far the job has come are written in one unit.

// == How far the jobs have come ==

// name: jobs()
// Every job, and up to where it has looked.
MATCH (j:EdgeJob)
RETURN j.name AS name, j.rows AS rows, j.titles AS titles, j.upto AS upto, j.cursor AS cursor, j.changed_at AS changed_at
ORDER BY name;

// name: advance(name, rows, titles, upto, cursor, at)
// A job has come this far.
MERGE (j:EdgeJob {name: $name})
SET j.rows = $rows, j.titles = $titles, j.upto = $upto, j.cursor = $cursor, j.changed_at = $at;

// == What the jobs follow ==

// name: titles_after(after, limit)
// Articles whose number is higher, with what they redirect to.
MATCH (a:Article)
WHERE a.seq > $after AND a.seq IS NOT NULL
WITH a ORDER BY a.seq LIMIT $limit
OPTIONAL MATCH (a)-[r:REDIRECTS_TO]->(b:Article)
WHERE r.gone = 0
RETURN a.seq AS seq, a.title AS title, a.kind AS kind, min(b.title) AS target
ORDER BY seq;

// name: newest_title()
// The highest number of an article.
MATCH (a:Article)
RETURN max(a.seq) AS seq;

// name: hn_rows(after, upto, limit)
// Items between two stamps.
MATCH (a:HNItem)
WHERE a.stamp > $after AND a.stamp <= $upto AND a.state = 'completed'
RETURN a.stamp AS seq, a.hnId AS id, a.title AS title, coalesce(a.plain, a.text) AS text, a.url AS url
ORDER BY seq LIMIT $limit;

// name: newest_hn()
// The highest stamp of an item.
MATCH (a:HNItem)
RETURN max(a.stamp) AS seq;

// name: news_rows(after, upto, limit)
// News articles between two stamps.
MATCH (a:NewsArticle)
WITH a, coalesce(a.stamp, a.seq) AS seq
WHERE seq > $after AND seq <= $upto
RETURN seq, a.id AS id, a.title AS title, coalesce(a.content, a.description) AS text, a.link AS url
ORDER BY seq LIMIT $limit;

// name: newest_news()
// The highest stamp of a news article.
MATCH (a:NewsArticle)
RETURN max(coalesce(a.stamp, a.seq)) AS seq;

// name: page_rows(after, upto, limit)
// Scraped pages between two stamps.
MATCH (a:ScrapeItem)
WITH a, coalesce(a.stamp, a.seq) AS seq
WHERE seq > $after AND seq <= $upto
RETURN seq, a.id AS id, a.title AS title, a.scraped AS scraped, a.url AS url
ORDER BY seq LIMIT $limit;

// name: newest_page()
// The highest stamp of a page.
MATCH (a:ScrapeItem)
RETURN max(coalesce(a.stamp, a.seq)) AS seq;

// == The same page ==

// name: addresses(rows)
// table: rows
// Make the addresses that are not there yet.
UNWIND $rows AS r
WITH r.address AS address
MERGE (d:Address {address: address});

// name: hn_at(rows)
// table: rows
// These rows lead to these addresses.
UNWIND $rows AS r
WITH r.id AS id, r.address AS address
MATCH (a:HNItem)
WHERE a.hnId = id
WITH a, address
MATCH (d:Address)
WHERE d.address = address
MERGE (a)-[s:HN_SAME_PAGE]->(d)
SET s.gone = 0;

// name: news_at(rows)
// table: rows
// These rows lead to these addresses.
UNWIND $rows AS r
WITH r.id AS id, r.address AS address
MATCH (a:NewsArticle)
WHERE a.id = id
WITH a, address
MATCH (d:Address)
WHERE d.address = address
MERGE (a)-[s:NEWS_SAME_PAGE]->(d)
SET s.gone = 0;

// name: page_at(rows)
// table: rows
// These rows lead to these addresses.
UNWIND $rows AS r
WITH r.id AS id, r.address AS address
MATCH (a:ScrapeItem)
WHERE a.id = id
WITH a, address
MATCH (d:Address)
WHERE d.address = address
MERGE (a)-[s:PAGE_SAME_PAGE]->(d)
SET s.gone = 0;

// == Mentions ==
// Of what a row named before, only what it still names holds; news articles also have what their processor found.

// name: retire_hn_mentions(rows, at_ms)
// table: rows
// unlocked: a job that runs twice at once finds the same mentions again, and both write what holds.
// What these rows named holds no longer, until it is found again.
UNWIND $rows AS r
WITH r.id AS id
MATCH (a:HNItem)-[m:HN_MENTIONS]->(:Article)
WHERE a.hnId = id AND m.gone = 0
SET m.gone = $at_ms;

// name: hn_mentions(rows)
// table: rows
// These rows name these articles.
UNWIND $rows AS r
WITH r.id AS id, r.title AS title
MATCH (a:HNItem)
WHERE a.hnId = id
WITH a, title
MATCH (w:Article)
WHERE w.title = title
MERGE (a)-[m:HN_MENTIONS]->(w)
SET m.gone = 0;

// name: news_mentions(rows)
// table: rows
// These rows name these articles.
UNWIND $rows AS r
WITH r.id AS id, r.title AS title
MATCH (a:NewsArticle)
WHERE a.id = id
WITH a, title
MATCH (w:Article)
WHERE w.title = title
MERGE (a)-[m:MENTIONS]->(w)
SET m.gone = 0;

// name: retire_page_mentions(rows, at_ms)
// table: rows
// unlocked: a job that runs twice at once finds the same mentions again, and both write what holds.
// What these rows named holds no longer, until it is found again.
UNWIND $rows AS r
WITH r.id AS id
MATCH (a:ScrapeItem)-[m:PAGE_MENTIONS]->(:Article)
WHERE a.id = id AND m.gone = 0
SET m.gone = $at_ms;

// name: page_mentions(rows)
// table: rows
// These rows name these articles.
UNWIND $rows AS r
WITH r.id AS id, r.title AS title
MATCH (a:ScrapeItem)
WHERE a.id = id
WITH a, title
MATCH (w:Article)
WHERE w.title = title
MERGE (a)-[m:PAGE_MENTIONS]->(w)
SET m.gone = 0;

// == Reads of a walk ==

// name: around_hn(key, limit)
// literal: key
// What has the same address as this row, and the articles that it names; so many of each at most.
MATCH (a:HNItem {hnId: $key})-[m:HN_MENTIONS]->(w:Article)
WHERE m.gone = 0
WITH w LIMIT $limit
RETURN 'article' AS kind, w.title AS key
UNION ALL
MATCH (a:HNItem {hnId: $key})-[s:HN_SAME_PAGE]->(d:Address)
WHERE s.gone = 0
RETURN 'address' AS kind, d.address AS key;

// name: around_news(key, limit)
// What has the same address as this row, and the articles that it names; so many of each at most.
MATCH (a:NewsArticle {id: $key})-[m:MENTIONS]->(w:Article)
WHERE m.gone = 0
WITH w LIMIT $limit
RETURN 'article' AS kind, w.title AS key
UNION ALL
MATCH (a:NewsArticle {id: $key})-[s:NEWS_SAME_PAGE]->(d:Address)
WHERE s.gone = 0
RETURN 'address' AS kind, d.address AS key;

// name: around_page(key, limit)
// What has the same address as this row, and the articles that it names; so many of each at most.
MATCH (a:ScrapeItem {id: $key})-[m:PAGE_MENTIONS]->(w:Article)
WHERE m.gone = 0
WITH w LIMIT $limit
RETURN 'article' AS kind, w.title AS key
UNION ALL
MATCH (a:ScrapeItem {id: $key})-[s:PAGE_SAME_PAGE]->(d:Address)
WHERE s.gone = 0
RETURN 'address' AS kind, d.address AS key;

// name: at_address(address, limit)
// The rows of this address; so many of each kind at most.
MATCH (d:Address {address: $address})<-[s:HN_SAME_PAGE]-(a:HNItem)
WHERE s.gone = 0
WITH a LIMIT $limit
RETURN 'hn' AS kind, CAST(a.hnId AS STRING) AS key
UNION ALL
MATCH (d:Address {address: $address})<-[s:NEWS_SAME_PAGE]-(a:NewsArticle)
WHERE s.gone = 0
WITH a LIMIT $limit
RETURN 'news' AS kind, a.id AS key
UNION ALL
MATCH (d:Address {address: $address})<-[s:PAGE_SAME_PAGE]-(a:ScrapeItem)
WHERE s.gone = 0
WITH a LIMIT $limit
RETURN 'page' AS kind, a.id AS key;

// name: naming(title, limit)
// The rows whose text names this article; so many of each kind at most.
MATCH (w:Article {title: $title})<-[m:HN_MENTIONS]-(a:HNItem)
WHERE m.gone = 0
WITH a LIMIT $limit
RETURN 'hn' AS kind, CAST(a.hnId AS STRING) AS key
UNION ALL
MATCH (w:Article {title: $title})<-[m:MENTIONS]-(a:NewsArticle)
WHERE m.gone = 0
WITH a LIMIT $limit
RETURN 'news' AS kind, a.id AS key
UNION ALL
MATCH (w:Article {title: $title})<-[m:PAGE_MENTIONS]-(a:ScrapeItem)
WHERE m.gone = 0
WITH a LIMIT $limit
RETURN 'page' AS kind, a.id AS key;

// == Counts ==

// name: count_hn()
// How many rows of this kind lead to an address, and how many mentions hold.
MATCH (:HNItem)-[s:HN_SAME_PAGE]->(:Address)
WHERE s.gone = 0
RETURN 'same_page' AS edge, count(*) AS count
UNION ALL
MATCH (:HNItem)-[m:HN_MENTIONS]->(:Article)
WHERE m.gone = 0
RETURN 'mentions' AS edge, count(*) AS count;

// name: count_news()
// How many rows of this kind lead to an address, and how many mentions hold.
MATCH (:NewsArticle)-[s:NEWS_SAME_PAGE]->(:Address)
WHERE s.gone = 0
RETURN 'same_page' AS edge, count(*) AS count
UNION ALL
MATCH (:NewsArticle)-[m:MENTIONS]->(:Article)
WHERE m.gone = 0
RETURN 'mentions' AS edge, count(*) AS count;

// name: count_page()
// How many rows of this kind lead to an address, and how many mentions hold.
MATCH (:ScrapeItem)-[s:PAGE_SAME_PAGE]->(:Address)
WHERE s.gone = 0
RETURN 'same_page' AS edge, count(*) AS count
UNION ALL
MATCH (:ScrapeItem)-[m:PAGE_MENTIONS]->(:Article)
WHERE m.gone = 0
RETURN 'mentions' AS edge, count(*) AS count;
