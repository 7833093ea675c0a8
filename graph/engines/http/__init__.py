"""A graph that a daemon serves: the client of its HTTP engine routes."""
