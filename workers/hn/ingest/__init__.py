"""Taking in items of Hacker News: checking, cleaning, merging copies, building threads, following with the index."""
