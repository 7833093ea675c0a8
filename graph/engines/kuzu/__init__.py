"""Kuzu, and Ladybug, its maintained fork: the embedded engines."""
