// entity: news_processor
// after: news_article
// Keys are unique: an article is in the queue once, whoever puts it there. news_queue gives the queue in its order.

// version: 1
CREATE CONSTRAINT news_queued_id IF NOT EXISTS FOR (q:NewsQueued) REQUIRE q.id IS UNIQUE;
CREATE INDEX news_queue IF NOT EXISTS FOR (q:NewsQueued) ON (q.topic, q.priority, q.place);
CREATE CONSTRAINT news_checkpoint_name IF NOT EXISTS FOR (c:NewsCheckpoint) REQUIRE c.name IS UNIQUE;
CREATE CONSTRAINT news_processor_run_id IF NOT EXISTS FOR (r:NewsProcessorRun) REQUIRE r.id IS UNIQUE;
