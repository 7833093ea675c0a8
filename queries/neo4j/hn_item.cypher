// Items of Hacker News on Neo4j: the blocks whose text differs from queries/hn_item.cypher, each with its reason. Why
// rows are locked before they are checked: queries/neo4j/claimable.cypher.
//
// A batch of items is looked up, compared and written in one transaction, which first waits for its turn (graph.turn):
// two processes that take items in never miss what the other has in hand. Workers write what they fetched without a
// turn; what they miss, and what misses them, is found by `unlinked` and `left_behind`.

// == Locks ==

// name: lock_rows(rows)
// locks: rows
// Hold the items of these rows until the transaction ends; in the order of their ids.
UNWIND $rows AS r
WITH r.hnId AS hnId
ORDER BY hnId
MATCH (a:HNItem)
WHERE a.hnId = hnId
SET a.lock = 0;

// == Threads ==

// name: link(rows, first_parent, first_child)
// held: rows.claim
// floor: first_parent, first_child
// Put items below their parents. Differs: somebody elsewhere may link the same two, so MERGE locks both and looks.
UNWIND $rows AS r
WITH r.parent AS parent, r.child AS child
MATCH (p:HNItem)
WHERE p.hnId >= $first_parent AND p.hnId = parent
WITH p, child
MATCH (c:HNItem)
WHERE c.hnId >= $first_child AND c.hnId = child
MERGE (p)-[l:PARENT_OF]->(c)
SET l.gone = 0;

// name: option(rows, first_parent, first_child)
// held: rows.claim
// floor: first_parent, first_child
// Options belong to their polls. Differs: somebody elsewhere may link the same two, so MERGE locks both and looks.
UNWIND $rows AS r
WITH r.parent AS parent, r.child AS child
MATCH (p:HNItem)
WHERE p.hnId >= $first_parent AND p.hnId = parent
WITH p, child
MATCH (c:HNItem)
WHERE c.hnId >= $first_child AND c.hnId = child
MERGE (c)-[l:OPTION_OF]->(p)
SET l.gone = 0;

// name: waiting_for(ids)
// Items that wait for one of these, and what waits below them: `unresolved` without all that others wait for.
UNWIND $ids AS id
CALL (id) {
    MATCH (c:HNItem)
    WHERE c.parent = id
    RETURN c
    UNION
    MATCH (c:HNItem)
    WHERE c.poll = id
    RETURN c
}
WITH c
WHERE c.story = 0
MATCH (c)-[l:PARENT_OF*0..]->(d:HNItem)
WHERE d.story = 0 AND all(e IN l WHERE e.gone = 0)
RETURN DISTINCT d.hnId AS hnId, coalesce(d.parent, d.poll) AS above, d.parent IS NULL AS option;

// name: unlinked(limit)
// Items that wait for somebody above them who is there: a worker and an arrival passed each other.
MATCH (c:HNItem)
WHERE c.story = 0
WITH c, coalesce(c.parent, c.poll) AS above
MATCH (p:HNItem)
WHERE p.hnId = above AND p.hnId <> c.hnId AND NOT EXISTS {
    MATCH (p)-[l:PARENT_OF|OPTION_OF]-(c)
    WHERE l.gone = 0
} AND NOT EXISTS {
    MATCH (c)-[l:PARENT_OF*1..]->(p)
    WHERE all(e IN l WHERE e.gone = 0)
}
RETURN p.hnId AS parent, c.hnId AS hnId, c.parent IS NULL AS option, p.story AS story
LIMIT $limit;

// name: below(hnId)
// Everything up to thirty steps below an item. Differs: a condition on a path has another syntax.
MATCH (a:HNItem {hnId: $hnId})-[l:PARENT_OF*1..30]->(c:HNItem)
WHERE all(e IN l WHERE e.gone = 0)
RETURN c.hnId AS hnId, c.parent AS parent, size(l) AS steps;

// name: above(hnId)
// Everything up to thirty steps above an item. Differs: a condition on a path has another syntax.
MATCH (a:HNItem {hnId: $hnId})<-[l:PARENT_OF*1..30]-(p:HNItem)
WHERE all(e IN l WHERE e.gone = 0)
RETURN p.hnId AS hnId, size(l) AS steps
ORDER BY steps;

// == Search ==
// The server's own index; beside the embedded engines stands one of ours. An item's words are its title and its plain
// text, which is `text` where there is no `plain`: hence two questions, so that no tag is ever found.

// name: search(asked, most)
// Items by words, or by one of the other ways in, that pass what else is asked; `most` are put in order and counted. An
// empty text or list asks for nothing. All of it is one map: the server would make a plan for each choice of filters.
CALL () {
    WITH $asked.way AS way WHERE way = 'words'
    CALL db.index.fulltext.queryNodes('hn_item_text', $asked.text_words) YIELD node AS a, score AS rank
    WHERE a.plain IS NULL
    RETURN a, rank
    UNION ALL
    WITH $asked.way AS way WHERE way = 'words'
    CALL db.index.fulltext.queryNodes('hn_item_text', $asked.plain_words) YIELD node AS a, score AS rank
    WHERE a.plain IS NOT NULL
    RETURN a, rank
    UNION ALL
    WITH $asked.way AS way WHERE way = 'ids'
    MATCH (a:HNItem) WHERE a.hnId IN $asked.ids
    RETURN a, 0.0 AS rank
    UNION ALL
    WITH $asked.way AS way WHERE way = 'parents'
    MATCH (a:HNItem) WHERE a.parent IN $asked.parents OR a.poll IN $asked.parents
    RETURN a, 0.0 AS rank
    UNION ALL
    WITH $asked.way AS way WHERE way = 'author'
    MATCH (a:HNItem) WHERE a.by = $asked.author
    RETURN a, 0.0 AS rank
    UNION ALL
    WITH $asked.way AS way WHERE way = 'stories'
    MATCH (a:HNItem) WHERE a.story IN $asked.stories
    RETURN a, 0.0 AS rank
    UNION ALL
    WITH $asked.way AS way WHERE way = 'all'
    MATCH (a:HNItem) WHERE a.state = 'completed'
    RETURN a, 0.0 AS rank
}
WITH a, rank, coalesce(a.parent, a.poll, 0) AS above, coalesce(a.score, 0) AS score, coalesce(a.time, 0) AS time
WHERE a.state = 'completed' AND ($asked.author = '' OR a.by = $asked.author)
    AND ($asked.type IN ['', a.type] OR (a.type = 'story' AND toLower(a.title) STARTS WITH $asked.type + ' hn'))
    AND ($asked.not_author = '' OR a.by IS NULL OR a.by <> $asked.not_author)
    AND ($asked.site = '' OR a.url =~ $asked.site)
    AND score >= $asked.score_from AND score <= $asked.score_to AND time >= $asked.time_from AND time <= $asked.time_to
    AND ($asked.place = '' OR ($asked.place = 'top' AND above = 0) OR ($asked.place = 'below' AND above > 0))
    AND (size($asked.stories) = 0 OR a.story IN $asked.stories) AND (size($asked.parents) = 0 OR above IN $asked.parents)
    AND (size($asked.ids) = 0 OR a.hnId IN $asked.ids)
WITH a, CASE $asked.order WHEN 'time' THEN time WHEN 'score' THEN score ELSE rank END AS place
ORDER BY place DESC, a.hnId DESC LIMIT $most
WITH collect([a.hnId, a.hnId, place]) AS found, CASE size($asked.facets) WHEN 0 THEN [] ELSE collect([
    name IN $asked.facets | CASE name
        WHEN 'type' THEN [a.type] + [tag IN ['ask', 'show'] WHERE a.type = 'story' AND toLower(a.title) STARTS WITH tag + ' hn']
        WHEN 'author' THEN a.by
        WHEN 'year' THEN datetime({epochSeconds: coalesce(a.time, 0)}).year
    END
]) END AS facets
RETURN found[$asked.skip..$asked.skip + $asked.limit] AS page, size(found) AS total, facets;
