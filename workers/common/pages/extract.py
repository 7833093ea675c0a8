"""Extracts the text of a page: HTML by trafilatura, PDF by pypdf, plain text as it is."""

from __future__ import annotations

import html
import io
import logging
import re
from typing import Any

from graphvine.workers.common.pages.encodings import decode
from graphvine.workers.common.pages.nesting import bounded
from graphvine.workers.common.pages.numbers import numbers_apart
from graphvine.workers.common.pages.page import Page, PageLimits, UnreadablePage, clean, made

_DIGITS = re.compile(r"\d+")
_BLANKS = re.compile(r"\n\s*\n\s*")
_HTML = ("text/html", "application/xhtml+xml")
_PDF = ("application/pdf", "application/x-pdf")
_NO_TYPE = ("", "application/octet-stream", "binary/octet-stream", "application/unknown")
_MARKS_OF_HTML = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<!--")
_MARKS_OF_OTHERS = {
    b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"GIF8": "a picture", b"RIFF": "sound or pictures",
    b"PK\x03\x04": "an archive", b"\x1f\x8b": "an archive", b"\x7fELF": "a program", b"MZ": "a program",
}  # fmt: skip


def read_page(body: bytes, media_type: str, charset: str, url: str, limits: PageLimits | None = None) -> Page:
    """The text of a page, in this process; reader.py does the same in a sandbox."""
    limits = limits or PageLimits()
    if not body.strip():
        raise UnreadablePage("it is empty")
    kind = kind_of(media_type, body)
    if kind == "pdf":
        return _read_pdf(body, limits)
    if kind == "html":
        return _read_html(decode(body, charset), url, limits)
    return made("text", "", decode(body, charset, markup=False), limits)


def kind_of(media_type: str, body: bytes) -> str:
    """html, text or pdf; UnreadablePage for what is neither."""
    head = body[:1_024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if media_type in _PDF or head.startswith(b"%PDF-"):
        return "pdf"
    for mark, what in _MARKS_OF_OTHERS.items():
        if body.startswith(mark) and (mark != b"MZ" or b"\0" in body[:512]):
            raise UnreadablePage(f"it is {what}, not a text")
    if media_type in _HTML or head.lower().startswith(_MARKS_OF_HTML):
        return "html"
    if media_type.startswith("text/") or media_type.endswith(("json", "xml", "yaml", "javascript")):
        return "text"
    if media_type in _NO_TYPE:
        utf16 = body.startswith((b"\xff\xfe", b"\xfe\xff"))
        if b"\0" in body[:1_024] and not utf16:
            raise UnreadablePage("it is not a text")
        return "text"
    raise UnreadablePage(f"it is {media_type}, not a text")


def _read_html(text: str, url: str, limits: PageLimits) -> Page:
    """The main text of a page, without menus and the like; all of its text where no main part is found."""
    from lxml import etree

    text = bounded(numbers_apart(_without_control(clean(text))))
    try:
        tree = _tree(text)
        whole = _all_text(tree)
        numbers = {*_DIGITS.findall(whole), *_DIGITS.findall("".join(tree.itertext()))}
        fields = _extracted(tree, url)
        main = _field(fields, "text")
        if not numbers.issuperset(_DIGITS.findall(main)):
            # Its last resorts leave out what stands between two spans, and so make one number of two.
            main = _field(_extracted(_tree(text), url, fast=True), "text")
            main = main if numbers.issuperset(_DIGITS.findall(main)) else ""
    except (etree.LxmlError, ValueError, RecursionError) as error:
        raise UnreadablePage(f"it is HTML that can't be parsed: {error}") from None
    return made(
        "html", _field(fields, "title") or _title(text), main if main.strip() else whole, limits,
        author=_field(fields, "author"), date=_field(fields, "date"), site=_field(fields, "sitename"),
        language=_field(fields, "language") or _language(text), description=_field(fields, "description"),
    )  # fmt: skip


def _tree(text: str) -> Any:
    import trafilatura

    # It warns about every unusual page.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    tree = trafilatura.load_html(text)
    if tree is None:  # a page without <html>, of one paragraph or of words alone: it shows what it has
        tree = trafilatura.load_html(f"<html><body>{text}</body></html>")
    if tree is None:
        raise UnreadablePage("it is HTML that can't be parsed")
    return tree


def _extracted(tree: Any, url: str, *, fast: bool = False) -> dict[str, Any]:
    import trafilatura

    found: Any = trafilatura.bare_extraction(
        tree, url=url or None, with_metadata=True, include_comments=False, include_tables=True, deduplicate=False,
        fast=fast,
    )  # fmt: skip
    return found.as_dict() if found is not None else {}


def _all_text(tree: Any) -> str:
    """Everything that a reader would see."""
    parts = []
    for element in tree.iter():
        hidden = not isinstance(element.tag, str) or element.tag in ("script", "style", "noscript", "template", "title")
        if element.text and not hidden:
            parts.append(element.text.strip())
        if element.tail:
            parts.append(element.tail.strip())
    return _BLANKS.sub("\n", "\n".join(filter(None, parts)))


def _without_control(text: str) -> str:
    return re.sub(r"[\x01-\x08\x0b\x0c\x0e-\x1f]", " ", text)


def _field(fields: dict[str, Any], name: str) -> str:
    return str(fields.get(name) or "")


def _title(text: str) -> str:
    found = re.search(r"<title[^>]{0,200}>([^<]{1,500})", text[:200_000], re.IGNORECASE)
    return " ".join(html.unescape(found.group(1)).split()) if found else ""


def _language(text: str) -> str:
    found = re.search(r"<html[^>]{0,500}?\blang\s*=\s*[\"']?([A-Za-z]{2,3})", text[:20_000], re.IGNORECASE)
    return found.group(1).lower() if found else ""


def _read_pdf(body: bytes, limits: PageLimits) -> Page:
    """The text of all its pages, up to the limits."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(body))
        # Many are only locked against changes: those open without a password.
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadablePage("it is a PDF that needs a password")
        parts: list[str] = []
        size = 0
        for number, page in enumerate(reader.pages):
            if number >= limits.max_pdf_pages or size > limits.max_characters:
                break
            parts.append(str(page.extract_text() or "").strip())
            size += len(parts[-1])
        about = reader.metadata
        title, author = str(getattr(about, "title", None) or ""), str(getattr(about, "author", None) or "")
    except UnreadablePage:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        # pypdf raises all kinds of errors on a broken file.
        raise UnreadablePage(f"it is a PDF that can't be read: {type(error).__name__}: {error}"[:300]) from None
    except Exception as error:
        # A package that only some PDFs need, such as one for their encryption, may be missing.
        raise UnreadablePage(f"it is a PDF that can't be read here: {error}"[:300]) from None
    if not "".join(parts).strip():
        raise UnreadablePage("it is a PDF without text: scanned pages, perhaps")
    return made("pdf", title, "\n\n".join(parts), limits, author=author)
