"""Hacker News: items, threads and search."""

PIPELINE = "hn_item"
