"""What an item may hold: every error names its field, HTML becomes safe, unknown fields stay."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as some

from graphvine.workers.hn.ingest import validate as checks
from graphvine.workers.hn.ingest.html_text import TAGS, clean, plain
from graphvine.workers.hn.ingest.item import Draft, hash_of, id_of
from graphvine.workers.hn.ingest.usual import usual
from graphvine.workers.hn.ingest.validate import BadField, validate, validate_each_field

NOW = 1_750_000_000_000
GOOD = {
    "id": 8863, "type": "story", "by": "dhouston", "time": 1175714200, "title": "My YC app", "score": 104,
    "url": "http://www.getdropbox.com/u/2/screencast.html", "descendants": 71, "kids": [9224, 8917], "dead": False,
}  # fmt: skip


_LINK = '<a href="https:&#x2F;&#x2F;a.org" rel="nofollow">x</a>'


def checked(**fields: Any) -> dict[str, Any]:
    draft = Draft(8863, {**GOOD, **fields}, "SINGLE_POST", NOW)
    validate(draft)
    return draft.content


def test_a_good_item_keeps_what_it_says() -> None:
    content = checked()
    assert {name: content[name] for name in GOOD if name != "id"} == {n: v for n, v in GOOD.items() if n != "id"}


@pytest.mark.parametrize("value", ["essay", 3, None])
def test_without_a_type_it_is_no_item(value: object) -> None:
    with pytest.raises(BadField, match="^type: ") as refused:
        checked(type=value)
    assert refused.value.field == "type"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("by", 7), ("by", "x" * 101), ("time", 12), ("time", -1), ("time", "now"), ("time", NOW), ("time", True),
        ("score", -1), ("score", 1.5), ("score", 1 << 60), ("descendants", -1), ("url", "nowhere"),
        ("url", "javascript:alert(1)"), ("url", "http://"), ("url", "http://a b.com"), ("url", "http://[1"),
        ("url", "http://a.com:99999x"), ("url", "x" * 5000), ("parent", 0), ("parent", "x"), ("parent", True),
        ("kids", 5), ("kids", ["a"]), ("kids", [-5]), ("parts", [None]), ("deleted", 2), ("dead", "no"), ("text", 5),
        ("title", ["x"]), ("title", "x" * 5_001), ("fetchedAt", "yesterday"), ("fetchedAt", 5),
    ],
)  # fmt: skip
def test_what_is_optional_and_wrong_is_kept_with_a_note(field: str, value: object) -> None:
    content = checked(**{field: value})
    extra = json.loads(content["extra"])
    assert content.get(field) is None and extra[field] == value and extra["_notes"][field]
    assert content["type"] == "story"


def test_what_is_too_large_to_be_kept_is_named() -> None:
    extra = json.loads(checked(text="x" * 200_001, flair="blue")["extra"])
    assert extra["flair"] == "blue" and "text" not in extra and "200001 characters" in extra["_notes"]["text"]


def test_half_a_character_costs_itself_alone() -> None:
    content = checked(text="half \ud800 of it")
    assert content["text"] == "half \ufffd of it" and "surrogate" in content["extra"]


def test_whole_numbers_may_be_written_as_floats_and_flags_as_numbers() -> None:
    content = checked(score=3.0, kids=[9.0], dead=1, deleted=0)
    assert (content["score"], content["kids"], content["dead"], content["deleted"]) == (3, [9], True, False)
    assert id_of({"id": 5.0}) == 5


@pytest.mark.parametrize("field", ["by", "time", "title", "score", "url", "descendants", "kids", "dead"])
def test_all_but_id_and_type_may_be_missing_or_null(field: str) -> None:
    assert checked(**{field: None}).get(field) is None


def test_empty_texts_and_lists_are_as_good_as_none() -> None:
    content = checked(url="", kids=[], text="", title="")
    assert [content.get(name) for name in ("url", "kids", "text", "title")] == [None] * 4


def test_a_kid_that_is_listed_twice_is_one_kid() -> None:
    assert checked(kids=[9000, 8999, 9000])["kids"] == [9000, 8999]


def test_unknown_fields_are_kept() -> None:
    assert json.loads(checked(flair="blue", deep={"a": [1, None]})["extra"]) == {
        "flair": "blue",
        "deep": {"a": [1, None]},
    }


def test_an_unknown_field_that_is_no_json_is_named() -> None:
    extra = json.loads(checked(flair=float("nan"), other=1)["extra"])
    assert extra == {"other": 1, "_notes": {"flair": "can't be kept as JSON"}}


def test_only_options_have_polls_and_they_have_no_parents() -> None:
    assert checked(poll=5)["extra"] == '{"poll": 5}'
    content = checked(type="pollopt", poll=5, parent=6)
    assert (content["poll"], content.get("parent"), content["extra"]) == (5, None, '{"parent": 6}')


@pytest.mark.parametrize("id", [None, 0, -1, "7", 1.5, True, 1 << 60])
def test_what_is_no_id_is_told(id: object) -> None:
    with pytest.raises(ValueError, match=r"^id: "):
        id_of({"id": id})


@pytest.mark.parametrize("given", [None, 5, "x", [1]])
def test_what_is_no_object_is_told(given: object) -> None:
    with pytest.raises(ValueError, match="an item is an object"):
        id_of(given)


def test_the_document_s_name_of_the_id_is_understood() -> None:
    assert id_of({"hnId": 5}) == 5


@pytest.mark.parametrize(
    ("given", "kept", "words"),
    [
        ("plain words", "plain words", "plain words"),
        ("I don&#x27;t<p>know", "I don&#x27;t<p>know", "I don't\nknow"),
        ("a <i>b</i> &gt; c", "a <i>b</i> &gt; c", "a b > c"),
        ("<script>alert(1)</script>x", "x", "x"),
        ("<b onclick=evil()>x</b>", "<b>x</b>", "x"),
        ('<a href="javascript:evil()">x</a>', '<a rel="nofollow noopener noreferrer">x</a>', "x"),
        ("<i>open", "<i>open</i>", "open"),
        ("<img src=x onerror=evil()>", "", ""),
        ("1 < 2", "1 &lt; 2", "1 < 2"),
        ("<p>one<p>two", "<p>one<p>two", "one\ntwo"),
        (_LINK, _LINK, "x"),
    ],
)  # fmt: skip
def test_html_is_cleaned_and_its_words_are_kept(given: str, kept: str, words: str) -> None:
    assert (clean(given), plain(kept)) == (kept, words)


_pieces = some.sampled_from(
    ["<", ">", "&", '"', "'", "<p>", "</p>", "<i>", "</i>", "<a href=", "</a>", "<script>", "javascript:", "onclick=",
     "&#x27;", "&lt;", "https:", "=", " ", "x", "<pre><code>", "</code></pre>", "<svg/onload=", "<!--", "-->", "\0"]
)  # fmt: skip


@given(some.lists(_pieces | some.sampled_from(["&#x2F;", "&amp;", "&quot", "&lt", "&nbsp;", "\u2028"]), max_size=12))
def test_a_text_is_the_same_by_the_quick_look_and_by_the_thorough_one(pieces: list[str]) -> None:
    text = "".join(pieces).replace("\0", "")
    cleaned = clean(text)
    words = plain(cleaned) if cleaned else None
    content = {"text": cleaned, "plain": words} if cleaned else {}
    found = checked(text=text)
    assert found.get("text") == content.get("text")
    assert (found.get("plain") if found.get("plain") is not None else found.get("text")) == content.get("plain")


_VALUES: dict[str, list[Any]] = {
    "type": ["story", "comment", "job", "poll", "pollopt", "essay", None, 5],
    "by": ["pg", "", "x" * 101, "a\0b", "\ud800", None, 5],
    "time": [1175714200, NOW // 1000 + 86_400, NOW // 1000 + 86_401, 12, 1175714200.0, True, None],
    "title": ["A title", "", "x" * 5_001, "a\0b", "\ud800", None, ["x"]],
    "text": ["a <i>b</i>", "<p>it&#x27;s<p>so", "<p>", "", "<img src=x>", "x\0y", "\\u0000", "\ud800", None, 5],
    "url": ["https://a.org/x?y", " https://a.org ", "http://a.org\n", "nowhere", "", None, "http://ä.org"],
    "score": [0, 7, -1, 1.0, True, None, 1 << 60], "descendants": [0, 3, -3, 2.5, None],
    "parent": [1, 0, "5", None, 5.0, 1 << 53], "poll": [5, None], "parts": [[5], []], "dead": [True, 0], "flair": ["x"],
    "kids": [[5, 6], [6, 5, 6], [], [0], ["5"], None, 5], "fetchedAt": [NOW - 5, "now"], "_notes": ["x"], "hnId": [7],
}  # fmt: skip


@given(some.fixed_dictionaries({"id": some.just(5)}, optional={n: some.sampled_from(v) for n, v in _VALUES.items()}))
def test_an_item_of_the_usual_form_is_what_a_look_at_each_field_says(given: dict[str, Any]) -> None:
    drafts = [Draft(5, dict(given), "SINGLE_POST", NOW) for _ in range(2)]
    said = [_said(validate, drafts[0]), _said(validate_each_field, drafts[1])]
    assert said[0] == said[1]


def test_most_items_are_of_the_usual_form() -> None:
    assert usual({name: value for name, value in GOOD.items() if name != "dead"}, NOW) is not None
    assert usual(GOOD, NOW) is None, "and a flag is for a closer look"


def _said(check: Any, draft: Draft) -> tuple[Any, ...]:
    try:
        check(draft)
    except BadField as error:
        return (str(error),)
    content = {name: value for name, value in draft.content.items() if value is not None}
    return content, draft.hash, draft.fetched_at


class Seen(HTMLParser):
    """Every tag of a text, with its attributes, as a browser would read them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.declared = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_decl(self, decl: str) -> None:
        self.declared = True

    handle_comment = handle_pi = unknown_decl = handle_decl


@given(some.lists(_pieces | some.text(max_size=5), max_size=25).map("".join))
def test_whatever_is_given_nothing_harmful_is_left(text: str) -> None:
    seen = Seen(clean(text))
    assert not seen.declared
    for tag, attributes in seen.tags:
        assert tag in TAGS
        assert set(attributes) <= ({"href", "rel"} if tag == "a" else set())
        assert urlsplit(attributes.get("href") or "").scheme in ("", "http", "https", "mailto")


def test_the_look_at_tags_sees_what_is_harmful() -> None:
    assert Seen('<a href="javascript:x" onclick=y>').tags == [("a", {"href": "javascript:x", "onclick": "y"})]
    assert Seen("<!-- x -->").declared


@given(
    some.dictionaries(some.text(max_size=8), some.none() | some.integers() | some.text() | some.lists(some.integers()))
)
def test_any_object_is_accepted_or_refused_with_a_field(fields: dict[str, Any]) -> None:
    draft = Draft(5, {"type": "story", **fields}, "SINGLE_POST", NOW)
    try:
        validate(draft)
    except BadField as error:
        refused = error.field
    else:
        refused = None
        json.dumps(draft.content)
        "".join(v for v in draft.content.values() if isinstance(v, str)).encode()
    assert refused is None or refused == "type"


def test_the_hash_does_not_see_the_order_of_fields() -> None:
    assert hash_of({"a": 1, "b": [2]}) == hash_of({"b": [2], "a": 1}) != hash_of({"a": 1, "b": [3]})
    assert 0 <= hash_of({"a": "\ud800"}) < 1 << 63


PARTS = [
    "http",
    "https",
    "://",
    "a",
    "B.c",
    "-",
    ".",
    ":80",
    ":99999",
    ":",
    "/",
    "?",
    "#",
    "[",
    "]",
    "@",
    "%20",
    "|",
    "é",
    "\t",
    "x=1",
]


@given(some.lists(some.sampled_from(PARTS), max_size=8).map("".join))
def test_an_address_that_needs_no_closer_look_would_pass_it(url: str) -> None:
    if not checks.PLAIN_URL.fullmatch(url):
        return
    parts = urlsplit(url)
    assert parts.geturl().rstrip("?#") == url.rstrip("?#") and parts.scheme in ("http", "https")
    assert checks._HOST.fullmatch(parts.hostname or "") and (parts.port or 0) < 10_000
    assert checks.host_of(url) == parts.hostname and checked(url=url)["url"] == url
