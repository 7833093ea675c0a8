"""Pages whose elements lie deeper in one another than the parser goes, since nobody closes them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from graphvine.workers.common.pages.extract import read_page
from graphvine.workers.common.pages.nesting import bounded

SENTENCE = (
    "Paragraph {} of this page speaks of vines and walls and of people who water them in the evening, at length. "
)


def paragraph(name: str) -> str:
    return f"<p>{SENTENCE.format(name) * 3}</p>"


@pytest.mark.parametrize(
    "opening", ["<div>", "<font size=2>", "<b>", "<blockquote>", "<table><tr><td>", "<SPAN>", "<li>"]
)
@pytest.mark.parametrize("times", [100, 300, 3_000])
def test_what_lies_behind_elements_that_nobody_closes_is_read(opening: str, times: int) -> None:
    body = f"<html><body>{paragraph('one')}{opening * times}{paragraph('two')}{'</b></div>' * 40}{paragraph('three')}"
    text = read_page(body.encode(), "text/html", "", "https://example.org/").text
    assert [name for name in ("one", "two", "three") if f"Paragraph {name} " not in text] == []


def test_a_thread_of_answers_to_answers_keeps_all_of_them() -> None:
    answers = "".join(f"<div class=answer><p>Answer {number} says what there is to say.</p>" for number in range(400))
    text = read_page(f"<html><body>{answers}{'</div>' * 400}</body>".encode(), "text/html", "", "").text
    assert re.findall(r"Answer (\d+) says", text) == [str(number) for number in range(400)]


@pytest.mark.parametrize(
    "page",
    [
        "<p>one<p>two" * 500,
        "<ul>" + "<li>one" * 500 + "</ul>",
        "<table>" + "<tr><td>1<td>2" * 500 + "</table>",
        "<div><b>one</b></div>" * 500,
        "<script>" + "'<div>'," * 500 + "</script><p>text",
        "<!-- " + "<div>" * 500 + " --><p>text",
        "<br>" * 500 + "<img src=a>" * 500 + "<path/>" * 500,
        "<script>" + "<div>" * 500,
        "a < b " * 500,
    ],
)
def test_a_page_that_is_not_deep_is_left_alone(page: str) -> None:
    assert bounded(page) is page


_names = [
    "div",
    "b",
    "a",
    "p",
    "ul",
    "li",
    "dl",
    "dd",
    "table",
    "tr",
    "td",
    "tbody",
    "center",
    "pre",
    "form",
    "h2",
    "font",
]
_pieces = st.sampled_from(["x", " 5 ", "<br>", *(f"<{end}{name}>" for name in _names for end in ("", "/"))])


@given(st.lists(_pieces, max_size=30), st.integers(1, 120))
def test_the_parser_finds_every_word_however_deep_it_lies(pieces: list[str], times: int) -> None:
    page = "".join(pieces) * times
    tree = html.document_fromstring(f"<html><body>{bounded(page)}</body></html>")
    assert "".join("".join(tree.itertext()).split()) == "".join(re.sub(r"<[^<>]*>", "", page).split())
