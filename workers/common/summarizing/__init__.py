"""Summaries that stream: the best sentences of a text, offline, or the words of any OpenAI-compatible model."""

from __future__ import annotations

from graphvine.workers.common.summarizing.factories import open_summarizer
from graphvine.workers.common.summarizing.interface import Summarizer, SummaryFailed, SummaryLimits

__all__ = ["Summarizer", "SummaryFailed", "SummaryLimits", "open_summarizer"]
