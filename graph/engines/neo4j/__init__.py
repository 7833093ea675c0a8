"""Neo4j: one server, workers on many machines."""
