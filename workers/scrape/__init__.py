"""Pages that are scraped and summarized: one manager owns their state, workers only tell it what happened."""

PIPELINE = "scrape_item"
