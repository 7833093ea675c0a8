"""Pages as text: HTML, plain text and PDF, in any encoding."""

from __future__ import annotations

from graphvine.workers.common.pages.extract import read_page
from graphvine.workers.common.pages.page import Page, PageLimits, UnreadablePage

__all__ = ["Page", "PageLimits", "UnreadablePage", "read_page"]
