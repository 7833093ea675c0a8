// The store's bookkeeping on Neo4j: the blocks whose text differs from queries/graph.cypher, each with its reason.

// name: erase_machine(machine, at_ms)
// What the graph showed of a machine no longer holds. Differs: several processes may open the graph at once, and each
// waits here for the one before it, so that no transition is drawn twice.
MERGE (l:Lock {name: $machine})
SET l.at = $at_ms
WITH l
MATCH (s:State {machine: $machine})
SET s.gone = $at_ms;
