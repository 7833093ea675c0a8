// The store's own bookkeeping: schema versions, pauses, and the machines as people may read them at the console.

// name: schema_versions()
// Which schema each entity has.
MATCH (v:SchemaVersion)
RETURN v.entity AS entity, v.version AS version;

// name: record_version(entity, version, at)
// A migration is done.
MERGE (v:SchemaVersion {entity: $entity})
SET v.version = $version, v.applied_at = $at;

// name: pipelines()
// Which pipelines rest, and which machine each was last drawn from.
MATCH (p:Pipeline)
RETURN p.name AS name, p.paused AS paused, p.reason AS reason, p.changed_at AS changed_at, p.machine AS machine;

// name: pause(name, reason, at)
// Nothing more is claimed in this pipeline until it is resumed.
MERGE (p:Pipeline {name: $name})
SET p.paused = true, p.reason = $reason, p.changed_at = $at;

// name: resume(name, at)
// The pipeline goes on.
MERGE (p:Pipeline {name: $name})
SET p.paused = false, p.reason = NULL, p.changed_at = $at;

// name: machine_drawn(name, machine)
// The graph shows this version of the pipeline's machine.
MERGE (p:Pipeline {name: $name})
ON CREATE SET p.paused = false
SET p.machine = $machine;

// name: erase_machine(machine, at_ms)
// What the graph showed of a machine no longer holds; relationships are stamped, never deleted.
MATCH (s:State {machine: $machine})
SET s.gone = $at_ms;

// name: erase_transitions(machine, at_ms)
// unlocked: behind erase_machine, which lets one drawer in at a time.
// The transitions that the graph showed of a machine no longer hold.
MATCH (s:State)-[t:TRANSITION]->(:State)
WHERE s.machine = $machine AND t.gone = 0
SET t.gone = $at_ms;

// name: draw_state(id, machine, name, initial, final, claimed, beyond)
// Show one state of a machine.
MERGE (s:State {id: $id})
SET s.machine = $machine, s.name = $name, s.initial = $initial, s.final = $final, s.claimed = $claimed,
    s.beyond = $beyond, s.gone = 0;

// name: draw_transition(source, target, name, block, manual, processors, criteria, purpose, beyond)
// Show one transition of a machine.
MATCH (a:State {id: $source}), (b:State {id: $target})
CREATE (a)-[:TRANSITION {name: $name, block: $block, manual: $manual, processors: $processors, criteria: $criteria,
    purpose: $purpose, beyond: $beyond, gone: 0}]->(b);

// == Units that other processes send ==

// name: keep_receipt(lane, number, answer, at)
// What came of the last unit of a lane, written with the unit: asked again, it is answered and not done twice.
MERGE (r:Receipt {lane: $lane})
SET r.number = $number, r.answer = $answer, r.at = $at;

// name: receipt(lane)
// The last unit of a lane.
MATCH (r:Receipt {lane: $lane})
RETURN r.number AS number, r.answer AS answer;

// name: drop_receipts(before)
// unlocked: a receipt gets no younger.
// Nobody asks for these any longer.
MATCH (r:Receipt)
WHERE r.at < $before
DELETE r;
