"""Loads what takes long before processes are forked: sentences, the lexicon of sentiment, certificates."""

from __future__ import annotations

from graphvine.workers.news.sentiment.words import _vader
from graphvine.workers.parts.fetching.network import _trusted
from graphvine.workers.parts.summarizing.sentences import split_sentences

_vader()
_trusted()
split_sentences("Vines climb. Walls hold them.", 2)
