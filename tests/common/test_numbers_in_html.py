"""Numbers in HTML stay what they are when its tags are gone: in pages, in documents, and in fields of feeds."""

# ruff: noqa: RUF001
from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.workers.common.pages.extract import read_page
from graphvine.workers.common.pages.numbers import numbers_apart
from graphvine.workers.wikipedia.document_parser import read_document

FILLING = "<p>This paragraph is long enough for a page to have a main part, which is what a reader wants to read.</p>"
CASES = [
    ("5.98×10<sup>24</sup> kg", "5.98×10^24 kg"),
    ("10<SUP class=x>−6</SUP>", "10^−6"),
    ("10</b><sup><a href='#'>6</a></sup>", "10^6"),
    ("1900<sup>1</sup>2", "1900^1 2"),
    ("1900<sup>[1]</sup>", "1900[1]"),
    ("the 12<sup>th</sup> of H<sub>2</sub>O", "the 12th of H2O"),
    ("101<sub>2</sub>", "101_2"),
    ("3<sup>1</sup>/<sub>2</sub> miles", "3 1/2 miles"),
    ("<del>20</del>15", "20 15"),
    ("1<small>5</small>", "1 5"),
    ("m<sup>2</sup> and x<sup>2</sup>3", "m2 and x2 3"),
    ("0.1<span style='text-decoration: overline'>6</span>, 10<i style=vertical-align:super>6</i>5", "0.1 6, 10 6 5"),
    ("1<span style='color:red'>2</span>3", "123"),
]


@pytest.mark.parametrize(("html", "text"), CASES)
def test_a_page_and_a_document_keep_numbers_apart(html: str, text: str) -> None:
    page = (
        f"<html><body><article>{FILLING}<p>It is {html} as measured by those who did so.</p>{FILLING}</article></body>"
    )
    assert f"It is {text} as measured" in read_page(page.encode(), "text/html", "utf-8", "").text
    document = read_document(f"<p>It is {html} as measured</p>", "html", "x").sections[0][2]
    assert document == f"It is {text} as measured"
    if "SUP" not in html and "</b>" not in html and "overline" not in html:  # of tags in Markdown names alone are read
        markdown = read_document(f"It is {html} as measured, `a<sup>b`", "markdown", "x").sections[0][2]
        assert markdown == f"It is {text} as measured, a<sup>b"


def test_formulas() -> None:
    power = "<math><msup><mn>10</mn><mn>6</mn></msup><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    assert re.sub(r"<[^<>]*>", "", numbers_apart(power)) == "10^6 1/2"


PIECES = ["1", "23", " ", "x", ".", "<b>", "</b>", *(f"<{slash}{tag}>" for tag in ("sup", "sub", "s", "small") for slash in ("", "/"))]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_no_number_is_made_of_two(pieces: list[str]) -> None:
    html = "".join(pieces)
    apart = set(
        re.findall(r"\d+", re.sub(r"</?(?:sup|sub|s|small)>", " ", html).replace("<b>", "").replace("</b>", ""))
    )
    assert set(re.findall(r"\d+", re.sub(r"<[^<>]*>", "", numbers_apart(html)))) <= apart


def test_numbers_between_which_only_a_blank_stands_stay_two() -> None:
    """Where the extractor turns to its last resort, which leaves blanks between spans out."""
    words = "The vines of the house climb over the walls and the fences, and their leaves turn red before they fall. "
    size = "<span class='hidden'><span>720</span>\n\t<span>1280</span></span>"
    body = f"<html><body><div class='sidebar'>{words * 5}{size}{words * 5}</div></body></html>"
    text = read_page(body.encode(), "text/html", "", "").text
    assert "7201280" not in text and words.strip() in text
