"""Articles from a wiki: where pages come from, what is read out of them, and how the graph grows by it."""

PIPELINE = "article"
