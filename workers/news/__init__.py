"""News: an updater finds articles, a processor takes them through content, summary and sentiment."""

PIPELINE = "news_article"
