"""Bytes to a page's own text: HTML, plain text, PDF, in whatever encoding they come."""

from __future__ import annotations

from graphvine.workers.parts.pages.page import Page, PageLimits, UnreadablePage
from graphvine.workers.parts.pages.reading import read_page

__all__ = ["Page", "PageLimits", "UnreadablePage", "read_page"]
