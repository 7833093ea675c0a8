// entity: news_article
// after: article
// Keys and numbers are unique. news_article_queue gives what waits in claim order, news_article_state finds the rows of a
// state, news_article_stories the newest vectors of a topic.

// version: 1
CREATE CONSTRAINT news_article_id IF NOT EXISTS FOR (a:NewsArticle) REQUIRE a.id IS UNIQUE;
CREATE CONSTRAINT news_article_seq IF NOT EXISTS FOR (a:NewsArticle) REQUIRE a.seq IS UNIQUE;
CREATE INDEX news_article_queue IF NOT EXISTS FOR (a:NewsArticle) ON (a.state, a.priority, a.seq);
CREATE INDEX news_article_state IF NOT EXISTS FOR (a:NewsArticle) ON (a.state);
CREATE INDEX news_article_stories IF NOT EXISTS FOR (a:NewsArticle) ON (a.topic, a.embeddingModel, a.seq);
CREATE CONSTRAINT news_source_name IF NOT EXISTS FOR (s:NewsSource) REQUIRE s.name IS UNIQUE;

// version: 2
CREATE FULLTEXT INDEX news_article_text IF NOT EXISTS FOR (a:NewsArticle) ON EACH [a.title, a.description, a.content, a.summary]
    OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
