// entity: edges
// after: article, hn_item, news_article, scrape_item
// Edges between the kinds, and how far the jobs that make them have come. An item, a news article and a page with the
// same normalised address lead to the same Address. `rows` and `titles` of a job are the numbers up to which rows were
// looked at for titles; `upto` and `cursor` are those of a pass over known rows for titles that came since.

// version: 1
CREATE NODE TABLE Address(address STRING PRIMARY KEY);
CREATE NODE TABLE EdgeJob(
    name STRING PRIMARY KEY,
    rows INT64 DEFAULT 0,
    titles INT64 DEFAULT 0,
    upto INT64 DEFAULT 0,
    cursor INT64 DEFAULT 0,
    changed_at TIMESTAMP
);
CREATE REL TABLE HN_SAME_PAGE(FROM HNItem TO Address, gone INT64 DEFAULT 0);
CREATE REL TABLE NEWS_SAME_PAGE(FROM NewsArticle TO Address, gone INT64 DEFAULT 0);
CREATE REL TABLE PAGE_SAME_PAGE(FROM ScrapeItem TO Address, gone INT64 DEFAULT 0);
CREATE REL TABLE HN_MENTIONS(FROM HNItem TO Article, gone INT64 DEFAULT 0);
CREATE REL TABLE PAGE_MENTIONS(FROM ScrapeItem TO Article, gone INT64 DEFAULT 0);

// version: 2
// Texts that are nearly the same: each row leads to the group of the first of them. `leaders` is a list as JSON.
CREATE NODE TABLE TextBucket(id INT64 PRIMARY KEY, leaders STRING);
CREATE NODE TABLE NearDuplicates(id STRING PRIMARY KEY);
CREATE REL TABLE HN_NEAR_DUPLICATE(FROM HNItem TO NearDuplicates, gone INT64 DEFAULT 0);
CREATE REL TABLE NEWS_NEAR_DUPLICATE(FROM NewsArticle TO NearDuplicates, gone INT64 DEFAULT 0);
CREATE REL TABLE PAGE_NEAR_DUPLICATE(FROM ScrapeItem TO NearDuplicates, gone INT64 DEFAULT 0);

// version: 3
CREATE REL TABLE ARTICLE_NEAR_DUPLICATE(FROM Article TO NearDuplicates, gone INT64 DEFAULT 0);
