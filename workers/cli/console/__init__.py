"""The Cypher console: at a prompt, from -c, or from standard input."""
