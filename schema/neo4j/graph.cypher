// entity: graph
// The store's own bookkeeping. Neo4j has no tables: keys are unique, and what is looked up by a property has an index.

// version: 1
CREATE CONSTRAINT schema_version_entity IF NOT EXISTS FOR (v:SchemaVersion) REQUIRE v.entity IS UNIQUE;
CREATE CONSTRAINT pipeline_name IF NOT EXISTS FOR (p:Pipeline) REQUIRE p.name IS UNIQUE;
CREATE CONSTRAINT state_id IF NOT EXISTS FOR (s:State) REQUIRE s.id IS UNIQUE;
CREATE CONSTRAINT failure_id IF NOT EXISTS FOR (f:Failure) REQUIRE f.id IS UNIQUE;
CREATE CONSTRAINT lock_name IF NOT EXISTS FOR (l:Lock) REQUIRE l.name IS UNIQUE;

// version: 2
CREATE CONSTRAINT receipt_lane IF NOT EXISTS FOR (r:Receipt) REQUIRE r.lane IS UNIQUE;

// version: 3
CREATE CONSTRAINT prioritised_row IF NOT EXISTS FOR (p:Prioritised) REQUIRE (p.pipeline, p.seq) IS UNIQUE;
CREATE INDEX prioritised_queue IF NOT EXISTS FOR (p:Prioritised) ON (p.pipeline, p.depth, p.seq);
