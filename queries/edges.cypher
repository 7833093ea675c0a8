// Edges between the kinds: rows with the same address, rows of nearly the same text, and rows whose text names an article.
// Each job follows its rows by number; what a batch makes and how far the job has come are written in one unit.

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

// name: article_rows(after, upto, limit)
// Articles by their first sections, between two numbers: these get new ones whenever their article is written.
MATCH (s:Section)
WHERE s.seq > $after AND s.seq <= $upto AND s.position = 0 AND s.part = 0
RETURN s.seq AS seq, s.article AS id, s.article AS title
ORDER BY seq LIMIT $limit;

// name: newest_article()
// The highest number of a section.
MATCH (s:Section)
RETURN max(s.seq) AS seq;

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

// == Near duplicates ==
// Rows of nearly the same text lead to the group of the first of them, the leader. A bucket names the leaders whose texts
// may be like those that fall into it.

// name: buckets(keys)
// The leaders in these buckets.
UNWIND $keys AS key
MATCH (b:TextBucket)
WHERE b.id = key
RETURN b.id AS id, b.leaders AS leaders;

// name: set_buckets(rows)
// table: rows
// These are the leaders in these buckets.
UNWIND $rows AS r
WITH r.id AS id, r.leaders AS leaders
MERGE (b:TextBucket {id: id})
SET b.leaders = leaders;

// name: groups(rows)
// table: rows
// Make the groups that are not there yet.
UNWIND $rows AS r
WITH r.id AS id
MERGE (g:NearDuplicates {id: id});

// name: retire_hn_near(rows, at_ms)
// table: rows
// unlocked: a job that runs twice at once finds the same group again, and both write what holds.
// These rows belong to no group, until one is found again.
UNWIND $rows AS r
WITH r.id AS id
MATCH (a:HNItem)-[n:HN_NEAR_DUPLICATE]->(:NearDuplicates)
WHERE a.hnId = id AND n.gone = 0
SET n.gone = $at_ms;

// name: hn_near(rows)
// table: rows
// These rows belong to these groups.
UNWIND $rows AS r
WITH r.id AS id, r.name AS name
MATCH (a:HNItem)
WHERE a.hnId = id
WITH a, name
MATCH (g:NearDuplicates)
WHERE g.id = name
MERGE (a)-[n:HN_NEAR_DUPLICATE]->(g)
SET n.gone = 0;

// name: group_of_hn(key)
// literal: key
// The group that this row belongs to.
MATCH (a:HNItem {hnId: $key})-[n:HN_NEAR_DUPLICATE]->(g:NearDuplicates)
WHERE n.gone = 0
RETURN g.id AS name;

// name: retire_news_near(rows, at_ms)
// table: rows
// unlocked: a job that runs twice at once finds the same group again, and both write what holds.
// These rows belong to no group, until one is found again.
UNWIND $rows AS r
WITH r.id AS id
MATCH (a:NewsArticle)-[n:NEWS_NEAR_DUPLICATE]->(:NearDuplicates)
WHERE a.id = id AND n.gone = 0
SET n.gone = $at_ms;

// name: news_near(rows)
// table: rows
// These rows belong to these groups.
UNWIND $rows AS r
WITH r.id AS id, r.name AS name
MATCH (a:NewsArticle)
WHERE a.id = id
WITH a, name
MATCH (g:NearDuplicates)
WHERE g.id = name
MERGE (a)-[n:NEWS_NEAR_DUPLICATE]->(g)
SET n.gone = 0;

// name: group_of_news(key)
// The group that this row belongs to.
MATCH (a:NewsArticle {id: $key})-[n:NEWS_NEAR_DUPLICATE]->(g:NearDuplicates)
WHERE n.gone = 0
RETURN g.id AS name;

// name: retire_page_near(rows, at_ms)
// table: rows
// unlocked: a job that runs twice at once finds the same group again, and both write what holds.
// These rows belong to no group, until one is found again.
UNWIND $rows AS r
WITH r.id AS id
MATCH (a:ScrapeItem)-[n:PAGE_NEAR_DUPLICATE]->(:NearDuplicates)
WHERE a.id = id AND n.gone = 0
SET n.gone = $at_ms;

// name: page_near(rows)
// table: rows
// These rows belong to these groups.
UNWIND $rows AS r
WITH r.id AS id, r.name AS name
MATCH (a:ScrapeItem)
WHERE a.id = id
WITH a, name
MATCH (g:NearDuplicates)
WHERE g.id = name
MERGE (a)-[n:PAGE_NEAR_DUPLICATE]->(g)
SET n.gone = 0;

// name: group_of_page(key)
// The group that this row belongs to.
MATCH (a:ScrapeItem {id: $key})-[n:PAGE_NEAR_DUPLICATE]->(g:NearDuplicates)
WHERE n.gone = 0
RETURN g.id AS name;

// name: retire_article_near(rows, at_ms)
// table: rows
// unlocked: a job that runs twice at once finds the same group again, and both write what holds.
// These rows belong to no group, until one is found again.
UNWIND $rows AS r
WITH r.id AS id
MATCH (a:Article)-[n:ARTICLE_NEAR_DUPLICATE]->(:NearDuplicates)
WHERE a.title = id AND n.gone = 0
SET n.gone = $at_ms;

// name: article_near(rows)
// table: rows
// These rows belong to these groups.
UNWIND $rows AS r
WITH r.id AS id, r.name AS name
MATCH (a:Article)
WHERE a.title = id
WITH a, name
MATCH (g:NearDuplicates)
WHERE g.id = name
MERGE (a)-[n:ARTICLE_NEAR_DUPLICATE]->(g)
SET n.gone = 0;

// name: group_of_article(key)
// The group that this row belongs to.
MATCH (a:Article {title: $key})-[n:ARTICLE_NEAR_DUPLICATE]->(g:NearDuplicates)
WHERE n.gone = 0
RETURN g.id AS name;

// name: in_group(leader, limit)
// The rows of this group; so many of each kind at most.
MATCH (g:NearDuplicates {id: $leader})<-[n:HN_NEAR_DUPLICATE]-(a:HNItem)
WHERE n.gone = 0
WITH a LIMIT $limit
RETURN 'hn' AS kind, CAST(a.hnId AS STRING) AS key
UNION ALL
MATCH (g:NearDuplicates {id: $leader})<-[n:NEWS_NEAR_DUPLICATE]-(a:NewsArticle)
WHERE n.gone = 0
WITH a LIMIT $limit
RETURN 'news' AS kind, a.id AS key
UNION ALL
MATCH (g:NearDuplicates {id: $leader})<-[n:PAGE_NEAR_DUPLICATE]-(a:ScrapeItem)
WHERE n.gone = 0
WITH a LIMIT $limit
RETURN 'page' AS kind, a.id AS key
UNION ALL
MATCH (g:NearDuplicates {id: $leader})<-[n:ARTICLE_NEAR_DUPLICATE]-(a:Article)
WHERE n.gone = 0
WITH a LIMIT $limit
RETURN 'article' AS kind, a.title AS key;

// == Texts, and the queue for their vectors ==

// name: hn_texts(keys)
// The texts of these items.
UNWIND $keys AS key
MATCH (a:HNItem)
WHERE a.hnId = key AND a.state = 'completed'
RETURN a.hnId AS id, a.title AS title, coalesce(a.plain, a.text) AS text;

// name: news_texts(keys)
// The texts of these news articles.
UNWIND $keys AS key
MATCH (a:NewsArticle)
WHERE a.id = key
RETURN a.id AS id, a.title AS title, coalesce(a.content, a.description) AS text;

// name: page_texts(keys)
// The texts of these pages.
UNWIND $keys AS key
MATCH (a:ScrapeItem)
WHERE a.id = key
RETURN a.id AS id, a.title AS title, a.scraped AS scraped;

// name: article_texts(keys)
// The sections of these articles.
UNWIND $keys AS key
MATCH (a:Article)-[h:HAS_SECTION]->(s:Section)
WHERE a.title = key AND s.gone = 0
RETURN a.title AS id, a.title AS title, s.position AS position, s.part AS part, s.text AS text;

// name: vectors_known(keys)
// The texts that these rows of the queue stand for, by their hashes.
UNWIND $keys AS key
MATCH (v:TextVector)
WHERE v.id = key
RETURN v.id AS id, v.hash AS hash, v.state AS state;

// name: wait_for_vectors(rows, now)
// number: rows.seq
// readies: vector
// table: rows
// These texts wait for a vector; until it is there, the one of the text before counts.
UNWIND $rows AS r
WITH r.id AS id, r.kind AS kind, r.row AS row, r.hash AS hash, r.seq AS seq
MERGE (v:TextVector {id: id})
ON CREATE SET v.generation = -1, v.failure_count = 0
SET v.kind = kind, v.row = row, v.hash = hash, v.state = 'waiting', v.due = $now, v.lease = 0, v.retry_count = 0,
    v.lost_claims = 0, v.claimed_by = NULL, v.claimed_at = NULL, v.last_error = NULL, v.seq = seq
RETURN v.seq AS seq, v.id AS key, 0 AS depth, v.due AS due, v.lease AS lease, v.state AS state,
    v.retry_count AS retry_count, v.lost_claims AS lost_claims, v.failure_count AS failure_count;

// name: last_number()
// The highest number given so far; the same as that of the queue, so that both count on from there.
MATCH (a:TextVector)
RETURN max(a.seq) AS seq;

// == Reads of a walk ==

// name: around_hn(key, limit)
// literal: key
// The address of this row, its group of near duplicates, and the articles that it names, so many of these at most.
MATCH (a:HNItem {hnId: $key})-[m:HN_MENTIONS]->(w:Article)
WHERE m.gone = 0
WITH w LIMIT $limit
RETURN 'article' AS kind, w.title AS key
UNION ALL
MATCH (a:HNItem {hnId: $key})-[s:HN_SAME_PAGE]->(d:Address)
WHERE s.gone = 0
RETURN 'address' AS kind, d.address AS key
UNION ALL
MATCH (a:HNItem {hnId: $key})-[n:HN_NEAR_DUPLICATE]->(g:NearDuplicates)
WHERE n.gone = 0
RETURN 'group' AS kind, g.id AS key;

// name: around_news(key, limit)
// The address of this row, its group of near duplicates, and the articles that it names, so many of these at most.
MATCH (a:NewsArticle {id: $key})-[m:MENTIONS]->(w:Article)
WHERE m.gone = 0
WITH w LIMIT $limit
RETURN 'article' AS kind, w.title AS key
UNION ALL
MATCH (a:NewsArticle {id: $key})-[s:NEWS_SAME_PAGE]->(d:Address)
WHERE s.gone = 0
RETURN 'address' AS kind, d.address AS key
UNION ALL
MATCH (a:NewsArticle {id: $key})-[n:NEWS_NEAR_DUPLICATE]->(g:NearDuplicates)
WHERE n.gone = 0
RETURN 'group' AS kind, g.id AS key;

// name: around_page(key, limit)
// The address of this row, its group of near duplicates, and the articles that it names, so many of these at most.
MATCH (a:ScrapeItem {id: $key})-[m:PAGE_MENTIONS]->(w:Article)
WHERE m.gone = 0
WITH w LIMIT $limit
RETURN 'article' AS kind, w.title AS key
UNION ALL
MATCH (a:ScrapeItem {id: $key})-[s:PAGE_SAME_PAGE]->(d:Address)
WHERE s.gone = 0
RETURN 'address' AS kind, d.address AS key
UNION ALL
MATCH (a:ScrapeItem {id: $key})-[n:PAGE_NEAR_DUPLICATE]->(g:NearDuplicates)
WHERE n.gone = 0
RETURN 'group' AS kind, g.id AS key;

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
// The rows whose text names this article, so many of each kind at most, and its group of near duplicates.
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
RETURN 'page' AS kind, a.id AS key
UNION ALL
MATCH (w:Article {title: $title})-[n:ARTICLE_NEAR_DUPLICATE]->(g:NearDuplicates)
WHERE n.gone = 0
RETURN 'group' AS kind, g.id AS key;

// == Counts ==

// name: count_hn()
// How many rows of this kind lead to an address, how many mentions hold, and how many rows have near duplicates.
MATCH (:HNItem)-[s:HN_SAME_PAGE]->(:Address)
WHERE s.gone = 0
RETURN 'same_page' AS edge, count(*) AS count
UNION ALL
MATCH (:HNItem)-[m:HN_MENTIONS]->(:Article)
WHERE m.gone = 0
RETURN 'mentions' AS edge, count(*) AS count
UNION ALL
MATCH (:HNItem)-[n:HN_NEAR_DUPLICATE]->(:NearDuplicates)
WHERE n.gone = 0
RETURN 'near_duplicates' AS edge, count(*) AS count;

// name: count_news()
// How many rows of this kind lead to an address, how many mentions hold, and how many rows have near duplicates.
MATCH (:NewsArticle)-[s:NEWS_SAME_PAGE]->(:Address)
WHERE s.gone = 0
RETURN 'same_page' AS edge, count(*) AS count
UNION ALL
MATCH (:NewsArticle)-[m:MENTIONS]->(:Article)
WHERE m.gone = 0
RETURN 'mentions' AS edge, count(*) AS count
UNION ALL
MATCH (:NewsArticle)-[n:NEWS_NEAR_DUPLICATE]->(:NearDuplicates)
WHERE n.gone = 0
RETURN 'near_duplicates' AS edge, count(*) AS count;

// name: count_page()
// How many rows of this kind lead to an address, how many mentions hold, and how many rows have near duplicates.
MATCH (:ScrapeItem)-[s:PAGE_SAME_PAGE]->(:Address)
WHERE s.gone = 0
RETURN 'same_page' AS edge, count(*) AS count
UNION ALL
MATCH (:ScrapeItem)-[m:PAGE_MENTIONS]->(:Article)
WHERE m.gone = 0
RETURN 'mentions' AS edge, count(*) AS count
UNION ALL
MATCH (:ScrapeItem)-[n:PAGE_NEAR_DUPLICATE]->(:NearDuplicates)
WHERE n.gone = 0
RETURN 'near_duplicates' AS edge, count(*) AS count;

// name: count_article()
// How many articles have near duplicates.
MATCH (:Article)-[n:ARTICLE_NEAR_DUPLICATE]->(:NearDuplicates)
WHERE n.gone = 0
RETURN 'near_duplicates' AS edge, count(*) AS count;
