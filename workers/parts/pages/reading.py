"""Which kind of page it is, and so who reads it."""

from __future__ import annotations

from graphvine.workers.parts.pages.encodings import decode
from graphvine.workers.parts.pages.page import Page, PageLimits, UnreadablePage, made

_HTML = ("text/html", "application/xhtml+xml")
_PDF = ("application/pdf", "application/x-pdf")
_NO_TYPE = ("", "application/octet-stream", "binary/octet-stream", "application/unknown")
_MARKS_OF_HTML = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<!--")
_MARKS_OF_OTHERS = {
    b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"GIF8": "a picture", b"RIFF": "sound or pictures",
    b"PK\x03\x04": "an archive", b"\x1f\x8b": "an archive", b"\x7fELF": "a program", b"MZ": "a program",
}  # fmt: skip


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


def read_page(body: bytes, media_type: str, charset: str, url: str, limits: PageLimits | None = None) -> Page:
    """The text of a page in this process; reader.py does the same in another, within limits of time and memory."""
    limits = limits or PageLimits()
    if not body.strip():
        raise UnreadablePage("it is empty")
    kind = kind_of(media_type, body)
    if kind == "pdf":
        from graphvine.workers.parts.pages.pdf import read_pdf

        return read_pdf(body, limits)
    if kind == "html":
        from graphvine.workers.parts.pages.html import read_html

        return read_html(decode(body, charset), url, limits)
    return made("text", "", decode(body, charset, markup=False), limits)
