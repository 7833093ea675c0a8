"""Sentiment by the weights of words, offline, by VADER: its lexicon comes with it, and it knows English.

It is made for sentences: on a long text its number runs to one of the ends. So each sentence is judged by itself, and
the mean counts, the title's judgement as much as that of three sentences.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from graphvine.workers.news.errors import NewsPartsMissing
from graphvine.workers.news.sentiment.interface import Sentiment, word_for
from graphvine.workers.parts.summarizing.sentences import split_sentences

_MOST_SENTENCES = 40
_TITLE_WEIGHT = 3


class WordSentiment:
    label = "words (VADER)"

    def __init__(self) -> None:
        self._vader = _vader()

    async def analyse(self, title: str, text: str) -> Sentiment:
        return await asyncio.to_thread(self._analyse, title, text)

    async def close(self) -> None:
        """Nothing is held open."""

    def _analyse(self, title: str, text: str) -> Sentiment:
        judged = [self._score(title)] * _TITLE_WEIGHT if title else []
        judged += [self._score(sentence) for sentence in split_sentences(text, _MOST_SENTENCES)]
        score = round(sum(judged) / len(judged), 4) if judged else 0.0
        return Sentiment(word_for(score), score)

    def _score(self, sentence: str) -> float:
        return float(self._vader.polarity_scores(sentence[:2_000])["compound"])


@cache
def _vader() -> Any:
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    except ImportError as error:
        raise NewsPartsMissing("offline sentiment", error.name or "vaderSentiment") from None
    return SentimentIntensityAnalyzer()
