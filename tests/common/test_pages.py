"""Pages: HTML, plain text and PDF in any encoding become text, or a clear refusal; a page that hangs breaks alone."""

from __future__ import annotations

import asyncio
import codecs
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.workers.common.pages import Page, PageLimits, UnreadablePage, read_page
from graphvine.workers.common.pages.encodings import decode
from graphvine.workers.common.pages.reader import PageReader
from tests.common.pdf_writer import pdf

PARAGRAPH = "A vine is a plant with trailing or climbing stems. It grips walls and trellises with its tendrils. "
HTML = (
    '<!doctype html><html lang="en"><head><title>Vines &amp; walls</title>'
    '<meta name="author" content="A. Grower"><meta name="description" content="About vines."></head>'
    "<body><nav><a href='/'>Home</a> <a href='/shop'>Shop now</a></nav>"
    f"<article><h1>Vines and walls</h1><p>{PARAGRAPH * 3}</p><p>{PARAGRAPH * 2}</p></article>"
    "<footer>Imprint and cookies</footer><script>alert('no text')</script></body></html>"
)


def test_the_main_text_of_html() -> None:
    page = read_page(HTML.encode(), "text/html", "utf-8", "https://a.example/vines")
    assert page.kind == "html" and page.language == "en" and "Vines" in page.title
    assert PARAGRAPH.strip() in page.text and "Shop now" not in page.text and "alert" not in page.text
    assert page.words > 50 and page.author and page.description == "About vines."


def test_html_without_a_main_part_gives_all_of_its_text() -> None:
    page = read_page(b"<html><body><b>Just this.</b><script>x()</script></body>", "text/html", "", "")
    assert "Just this." in page.text and "x()" not in page.text


@pytest.mark.parametrize("body", [b"Words alone, 12 of them.", b"<p>One paragraph, 12 words.</p>", b"<b>Bold</b> 12"])
def test_html_without_its_frame_gives_what_it_shows(body: bytes) -> None:
    page = read_page(body, "text/html", "", "")
    assert page.kind == "html" and "12" in page.text and "<" not in page.text


def test_plain_text_and_pdf() -> None:
    assert read_page(b"Plain words.\r\nMore.", "text/plain", "", "") == Page("text", "", "Plain words.\nMore.")
    page = read_page(pdf(["Vines climb.", "Second page."], title="On vines"), "application/pdf", "", "")
    assert (page.kind, page.title) == ("pdf", "On vines")
    assert "Vines climb." in page.text and "Second page." in page.text
    only = PageLimits(max_pdf_pages=1)
    assert "Second" not in read_page(pdf(["Vines climb.", "Second page."]), "application/pdf", "", "", only).text


def test_what_it_is_is_told_by_its_content_where_the_header_is_silent() -> None:
    assert read_page(HTML.encode(), "", "", "").kind == "html"
    assert read_page(pdf(["Vines."]), "application/octet-stream", "", "").kind == "pdf"
    assert read_page(b"words", "application/json", "", "").kind == "text"


@pytest.mark.parametrize(
    ("body", "media_type", "reason"),
    [
        (b"", "text/html", "empty"), (b" \n ", "text/plain", "empty"), (b"\x89PNG\r\n", "image/png", "picture"),
        (b"PK\x03\x04...", "", "archive"), (b"a\0b", "", "not a text"), (b"abc", "video/mp4", "video/mp4"),
        (b"%PDF-1.4 broken", "application/pdf", "PDF"), (b"<html><body></body></html>", "text/html", "no text"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused(body: bytes, media_type: str, reason: str) -> None:
    with pytest.raises(UnreadablePage, match=reason):
        read_page(body, media_type, "", "")


def test_a_pdf_of_pictures_is_told_apart() -> None:
    with pytest.raises(UnreadablePage, match="without text"):
        read_page(pdf([""]), "application/pdf", "", "")


def test_a_long_text_is_cut() -> None:
    page = read_page(b"word " * 1_000, "text/plain", "", "", PageLimits(max_characters=100))
    assert len(page.text) == 100 and page.cut


@pytest.mark.parametrize(
    ("text", "encoding", "declared", "head"),
    [
        ("Grün", "utf-8", "", ""), ("Grün", "latin-1", "iso-8859-1", ""), ("„Grün“", "cp1252", "latin1", ""),
        ("Привет мир", "windows-1251", "windows-1251", ""), ("東京タワー", "shift_jis", "", '<meta charset="shift_jis">'),
        ("中文网页", "gb18030", "gb2312", ""), ("Grün", "utf-8", "latin-1-nonsense", ""), ("Grün", "utf-16", "", ""),
        ("Grün", "utf-8", "latin-1", ""), ("Grün", "utf-8", "", '<meta charset="windows-1252">'),
        ("中文网页的编码不是它所说的", "utf-8", "gb2312", ""), ("Привет", "utf-8", "koi8-r", ""),
        ("Grün", "utf-8-sig", "latin-1", ""), ("Grün", "utf-8", "", '<meta charset="utf-16">'),
    ],
)  # fmt: skip
def test_encodings(text: str, encoding: str, declared: str, head: str) -> None:
    assert decode((head + text).encode(encoding), declared) == head + text


def test_a_short_western_text_without_a_word_about_its_encoding() -> None:
    assert decode("café au lait".encode("latin-1")) == "café au lait"
    assert decode("Grün grün".encode()[:-1] + b"\xc3") == "Grün grü"


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "latin-1", "base64", "idna", "undefined", "x"]))
def test_any_bytes_become_text(body: bytes, declared: str) -> None:
    decode(body, declared).encode("utf-8", "surrogatepass")


@given(st.binary(max_size=200), st.sampled_from(["text/html", "text/plain", "application/pdf", ""]))
def test_any_page_is_read_or_refused(body: bytes, media_type: str) -> None:
    try:
        page = read_page(body, media_type, "", "")
    except UnreadablePage:
        return
    assert page.text.strip() and "\0" not in page.text
    page.text.encode("utf-8")


def in_process(body: bytes, media_type: str, limits: PageLimits | None = None) -> Any:
    async def run() -> Any:
        reader = PageReader(limits)
        try:
            return await asyncio.gather(
                *(
                    reader.read(one, kind, "", "https://a.example/")
                    for one, kind in ((body, media_type), (HTML.encode(), "text/html"))
                ),
                return_exceptions=True,
            )
        finally:
            await reader.close()

    return asyncio.run(run())


def test_a_process_of_its_own_reads_pages() -> None:
    first, second = in_process(pdf(["Vines climb."]), "application/pdf")
    assert first.kind == "pdf" and PARAGRAPH.strip() in second.text


def test_a_page_that_takes_too_long_breaks_alone() -> None:
    deep = b"<html><body>" + b"<div><p>vine " * 60_000
    first, second = in_process(deep, "text/html", PageLimits(seconds=0.001))
    assert isinstance(first, UnreadablePage) and "more than" in str(first)
    assert isinstance(second, UnreadablePage | Page)


def test_codecs_of_bytes_are_not_taken_for_encodings() -> None:
    assert codecs.lookup("base64") and decode(b"dmluZQ==", "base64") == "dmluZQ=="
