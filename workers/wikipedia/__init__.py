"""Articles from a wiki: where pages come from, and what is read out of them."""
