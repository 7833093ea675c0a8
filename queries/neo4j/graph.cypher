// The store's bookkeeping on Neo4j: the blocks whose text differs from queries/graph.cypher, each with its reason.

// name: erase_machine(machine, at_ms)
// What the graph showed of a machine no longer holds. Differs: several processes may open the graph at once, and each
// waits here for the one before it, so that no transition is drawn twice.
MERGE (l:Lock {name: $machine})
SET l.at = $at_ms
WITH l
MATCH (s:State {machine: $machine})
SET s.gone = $at_ms;

// name: turn(name)
// Wait for the turn of whoever takes it by this name, and keep it until the transaction ends, however it does.
MERGE (l:Lock {name: $name})
SET l.lock = 0;

// name: hold()
// Hold the rows that were found until the transaction ends. The engine puts this between the search of a guarded block
// and the block itself, which then looks at these rows alone; the name in backticks stands for the block's own.
MATCH (`row`)
SET `row`.lock = 0
RETURN collect(DISTINCT elementId(`row`)) AS held;

// == Bulk loads ==
// The embedded engines copy whole columns. Here rows are created some thousand at a time. The names in backticks stand
// for a table's own, which the engine puts in; everything else is as it stands here.

// name: load_nodes(rows)
// Create nodes from whole rows.
UNWIND $rows AS r
CREATE (n:`Node`)
SET n = r;

// name: load_relationships(rows)
// Create relationships between nodes that are there, found by their keys.
UNWIND $rows AS r
WITH r.source AS source, r.target AS target, r.columns AS columns
MATCH (a:`Source`)
WHERE a.`source_key` = source
MATCH (b:`Target`)
WHERE b.`target_key` = target
CREATE (a)-[l:`RELATIONSHIP`]->(b)
SET l = columns
RETURN count(*) AS loaded;
