// entity: graph
// The store's own bookkeeping: which schema it has, which pipelines rest, the machines as people may read them.

// version: 1
CREATE NODE TABLE SchemaVersion(entity STRING PRIMARY KEY, version INT64, applied_at TIMESTAMP);
CREATE NODE TABLE Pipeline(name STRING PRIMARY KEY, paused BOOLEAN DEFAULT false, reason STRING, changed_at TIMESTAMP, machine STRING);
CREATE NODE TABLE State(id STRING PRIMARY KEY, machine STRING, name STRING, initial BOOLEAN, final BOOLEAN, claimed BOOLEAN, beyond STRING, gone INT64 DEFAULT 0);
CREATE REL TABLE TRANSITION(FROM State TO State, name STRING, block STRING, manual BOOLEAN, processors STRING[], criteria STRING[], purpose STRING, beyond STRING, gone INT64 DEFAULT 0);
CREATE NODE TABLE Failure(id STRING PRIMARY KEY, pipeline STRING, row STRING, at TIMESTAMP, attempt INT64, kind STRING, message STRING, trace STRING);

// version: 2
CREATE NODE TABLE Receipt(lane STRING PRIMARY KEY, number INT64, answer STRING, at TIMESTAMP);
