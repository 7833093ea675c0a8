"""The service: the daemon that owns a graph, the door that others come in by, and the HTTP API."""
