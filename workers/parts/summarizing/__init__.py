"""Summaries that stream: the best sentences of a text, offline, or the words of any OpenAI-compatible model."""

from __future__ import annotations

from graphvine.workers.parts.summarizing.interface import Summarizer, SummaryFailed, SummaryLimits
from graphvine.workers.parts.summarizing.opening import open_summarizer

__all__ = ["Summarizer", "SummaryFailed", "SummaryLimits", "open_summarizer"]
