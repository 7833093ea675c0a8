// What the updater does besides storing articles, on Neo4j: the block whose text differs from queries/news_updater.cypher.

// name: trim(topic, checkpoint)
// Take away what the processor has merged: everything up to and with the article that its checkpoint names. Differs:
// updaters follow one another from here to the end of their unit. So each trims what no other has, and additions get
// their numbers in the order in which they are committed.
MERGE (l:Lock {name: 'news_updater ' + $topic})
SET l.lock = 0
WITH count(*) AS alone
MATCH (c:NewsCheckpoint {name: $checkpoint})
WITH c.article AS last
MATCH (k:NewsAddition)
WHERE k.id = last AND k.topic = $topic
WITH k.seq AS up_to
MATCH (n:NewsAddition)
WHERE n.topic = $topic AND n.seq <= up_to
DELETE n
RETURN n.id AS id;
