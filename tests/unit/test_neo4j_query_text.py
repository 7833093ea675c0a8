"""What people type, in the language of a server's full-text index."""

from __future__ import annotations

import pytest

from graphvine.search.server_words import lucene


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("graph", '+(title:"graph"^2 text:"graph")'),
        ('Two "words here" -not', '+(title:"two"^2 text:"two") +(title:"words here"^2 text:"words here")'
         ' -(title:"not"^2 text:"not")'),
        ("-alone", '*:* -(title:"alone"^2 text:"alone")'),
        ("well-known C++", '+(title:"well known"^2 text:"well known") +(title:"c"^2 text:"c")'),
        ('"never closed', '+(title:"never closed"^2 text:"never closed")'),
        ('a:b^9 ~* \\ "', '+(title:"a b 9"^2 text:"a b 9")'),
        ("", ""), ("  ", ""), ('!? () ""', ""),
    ],
)  # fmt: skip
def test_all_of_the_words(typed: str, asked: str) -> None:
    assert lucene(typed, ("title", "text"), all_words=True) == asked


def test_some_of_the_words_and_not_too_many() -> None:
    assert lucene("a -b", ("t",), all_words=False) == '(t:"a"^2) -(t:"b"^2)'
    assert lucene("word " * 1_000, ("t",), all_words=True).count("word") == 64
