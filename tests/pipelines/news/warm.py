"""Loads what takes long before processes are forked: sentences, the lexicon of sentiment, certificates."""

from __future__ import annotations

from graphvine.workers.common.fetching.network import _trusted
from graphvine.workers.common.summarizing.extractive import split_sentences
from graphvine.workers.news.sentiment import _vader

_vader()
_trusted()
split_sentences("Vines climb. Walls hold them.", 2)
