"""The daemon that owns a graph, the HTTP server through which others reach it, and the HTTP API."""
