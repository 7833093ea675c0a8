"""Whether an article sounds good or bad: by the weights of its words, or by a model."""

from __future__ import annotations

import os

from graphvine.errors import SettingsError
from graphvine.workers.news.sentiment.interface import Analyser, Sentiment, SentimentFailed
from graphvine.workers.news.settings import NewsSettings

__all__ = ["Analyser", "Sentiment", "SentimentFailed", "open_analyser", "open_words"]


def open_analyser(settings: NewsSettings) -> Analyser:
    """auto: the model where an address is set, otherwise the words."""
    if settings.sentiment == "model" and not settings.sentiment_url:
        raise SettingsError("news.sentiment_url is empty: say where the model is, or choose another way")
    if settings.sentiment == "model" or (settings.sentiment == "auto" and settings.sentiment_url):
        if not settings.sentiment_url.startswith(("http://", "https://")):
            raise SettingsError(f"news.sentiment_url: {settings.sentiment_url!r} is no http or https address")
        from graphvine.workers.news.sentiment.model import ModelSentiment

        key = os.environ.get(settings.sentiment_key_variable, "")
        return ModelSentiment(
            settings.sentiment_url, settings.sentiment_model, api_key=key, seconds=settings.sentiment_seconds
        )
    return open_words()


def open_words() -> Analyser:
    """The offline way."""
    from graphvine.workers.news.sentiment.words import WordSentiment

    return WordSentiment()
