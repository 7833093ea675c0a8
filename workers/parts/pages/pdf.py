"""The text of a PDF by pypdf; what a PDF only shows as a picture is no text."""

from __future__ import annotations

import io
import logging
from typing import Any

from graphvine.workers.parts.pages.page import Page, PageLimits, UnreadablePage, made


def read_pdf(body: bytes, limits: PageLimits) -> Page:
    """The text of all its pages, up to the limits."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(body))
        # Many are locked against changes alone: those open with no password.
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadablePage("it is a PDF that wants a password")
        parts: list[str] = []
        size = 0
        for number, page in enumerate(reader.pages):
            if number >= limits.max_pdf_pages or size > limits.max_characters:
                break
            parts.append(_text(page))
            size += len(parts[-1])
        told = reader.metadata
        title, author = (_said(told, "title"), _said(told, "author")) if told is not None else ("", "")
    except UnreadablePage:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        # pypdf answers a broken file with whatever it stumbles over.
        raise UnreadablePage(f"it is a PDF that can't be read: {type(error).__name__}: {error}"[:300]) from None
    except Exception as error:
        # A package that only some PDFs need, such as one for their encryption, may be missing.
        raise UnreadablePage(f"it is a PDF that can't be read here: {error}"[:300]) from None
    if not "".join(parts).strip():
        raise UnreadablePage("it is a PDF without text: pictures of pages, perhaps")
    return made("pdf", title, "\n\n".join(parts), limits, author=author)


def _text(page: Any) -> str:
    return str(page.extract_text() or "").strip()


def _said(told: Any, name: str) -> str:
    value = getattr(told, name, None)
    return str(value) if value else ""
