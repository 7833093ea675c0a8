// entity: news_updater
// after: news_article
// Keys are unique: an article is in the log of additions once, whoever found it. news_additions gives the log in its order.

// version: 1
CREATE CONSTRAINT news_indexed_key IF NOT EXISTS FOR (x:NewsIndexed) REQUIRE x.key IS UNIQUE;
CREATE CONSTRAINT news_addition_id IF NOT EXISTS FOR (n:NewsAddition) REQUIRE n.id IS UNIQUE;
CREATE INDEX news_additions IF NOT EXISTS FOR (n:NewsAddition) ON (n.topic, n.seq);
CREATE CONSTRAINT news_provider_key IF NOT EXISTS FOR (p:NewsProvider) REQUIRE p.key IS UNIQUE;
CREATE CONSTRAINT news_updater_run_id IF NOT EXISTS FOR (r:NewsUpdaterRun) REQUIRE r.id IS UNIQUE;
