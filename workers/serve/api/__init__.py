"""The routes that every graph has; what a pipeline adds stands in its own routes.py."""
