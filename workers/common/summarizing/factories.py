"""Opens the summarizer that the settings name."""

from __future__ import annotations

import logging
import os
from typing import Literal

from graphvine.errors import SettingsError
from graphvine.workers.common.summarizing.extractive import ExtractiveSummarizer
from graphvine.workers.common.summarizing.interface import Summarizer, SummaryLimits

Kind = Literal["auto", "model", "light", "words"]
_log = logging.getLogger(__name__)


def open_summarizer(
    kind: Kind = "auto", *, url: str = "", model: str = "", key_variable: str = "", limits: SummaryLimits | None = None
) -> Summarizer:
    """auto: the model where an address is set, otherwise the best sentences; by vectors where that can be done."""
    if kind == "model" and not url:
        raise SettingsError("summary_url is empty: say where the model is, or choose another summarizer")
    if kind == "model" or (kind == "auto" and url):
        from graphvine.workers.common.summarizing.openai import ModelSummarizer

        key = os.environ.get(key_variable, "") if key_variable else ""
        return ModelSummarizer(url, model, api_key=key, limits=limits)
    return open_offline(kind, limits)


def open_offline(kind: Kind = "auto", limits: SummaryLimits | None = None) -> ExtractiveSummarizer:
    """The best sentences; without the parts for vectors, auto goes by words and says so in its label."""
    if kind == "words":
        return ExtractiveSummarizer(limits)
    from graphvine.workers.common.embedding import EmbeddingError, open_embedder

    try:
        return ExtractiveSummarizer(limits, open_embedder("light"))
    except EmbeddingError as error:
        if kind == "light":
            raise
        _log.info("summaries go by word statistics: %s", error)
        return ExtractiveSummarizer(limits)
