"""Titles: one spelling for each page. That MediaWiki agrees is tested against a real one, in tests/lanes/mediawiki."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphvine.workers.wikipedia.site import SiteRules, rules_from_siteinfo
from graphvine.workers.wikipedia.titles import InvalidTitle, Title, normalise_title, parse_title

RULES = SiteRules()
PIECES = [
    "a", "B", "é", "e\u0301", "ß", "日", " ", "_", ":", "#", "/", ".", "%41", "&amp;", "&#x41;", "Category", "fr",
    "wp", "talk", "\u200e", "\u00a0", "|", "\ud800", "~", "x" * 100,
]  # fmt: skip
NOT_TITLES = [
    "", " ", "_", ":", "a|b", "a[b", "a<b", "a\nb", "a%41", "a&nosuch;", "::a", "..", "a/../b", "~~~", "Talk:File:a",
    "Category:", "x" * 256, "é" * 128, "a\ufffdb", "&#0;", "&#xd800;", "x" * 20_000, chr(0xD800),
]  # fmt: skip
WILD = st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("vine", "Vine"),
        ("  vine__leaf  ", "Vine leaf"),
        ("e\u0301clair", "Éclair"),
        ("wp:about", "Wikipedia:About"),
        ("image:leaf.jpg", "File:Leaf.jpg"),
        (":category:vines", "Category:Vines"),
        ("Vine#Uses", "Vine"),
        ("vine&amp;wine", "Vine&wine"),
        ("Vine: a story", "Vine: a story"),
        ("ßtraße", "ßtraße"),
        ("ქართული", "ქართული"),
    ],
)
def test_the_one_spelling(text: str, full: str) -> None:
    assert normalise_title(text, RULES) == full


@pytest.mark.parametrize("text", NOT_TITLES)
def test_what_no_page_can_be_called(text: str) -> None:
    with pytest.raises(InvalidTitle) as caught:
        parse_title(text, RULES)
    assert caught.value.title == text
    assert caught.value.reason
    assert len(str(caught.value)) < 300


def test_fragments_and_other_wikis_are_told_apart() -> None:
    assert parse_title("Vine #Ways of climbing", RULES) == Title("Vine", 0, "Ways of climbing")
    assert parse_title("#Uses", RULES) == Title("", 0, "Uses")
    assert parse_title("fr:Vigne#Usage", RULES) == Title("Vigne", 0, "Usage", "fr")
    assert parse_title("wikt:vine", RULES).interwiki == "wikt"


def test_case_is_the_wikis_choice() -> None:
    sensitive = SiteRules(case_sensitive=frozenset({0}))
    assert normalise_title("iPod", sensitive) == "iPod"
    assert normalise_title("category:iPod", sensitive) == "Category:IPod"


def test_turkish_raises_its_own_i() -> None:
    assert normalise_title("istanbul", SiteRules(language="tr")) == "\u0130stanbul"


def test_a_prefix_of_the_wikis_own_is_taken_off() -> None:
    rules = SiteRules(local_interwiki=frozenset({"en"}))
    assert parse_title("en:category:vines", rules) == Title("Category:Vines", 14)


@given(WILD)
@example("::a")
@example("Talk: :a")
def test_normalising_twice_changes_nothing(text: str) -> None:
    try:
        once = parse_title(text, RULES)
    except InvalidTitle:
        return
    if once.interwiki or not once.full:
        return
    assert parse_title(once.full, RULES) == Title(once.full, once.namespace)
    assert unicodedata.is_normalized("NFC", once.full)
    assert "_" not in once.full
    assert once.full == once.full.strip(" ")


@given(st.text(alphabet="ab é日", min_size=1, max_size=20).filter(str.strip), st.sampled_from([" ", "_", "  ", " _ "]))
def test_spaces_and_underscores_are_the_same(text: str, blank: str) -> None:
    assert normalise_title(text.replace(" ", blank), RULES) == normalise_title(text, RULES)


@given(WILD)
def test_rules_survive_the_way_to_another_process(text: str) -> None:
    def read(rules: SiteRules) -> Title | str:
        try:
            return parse_title(text, rules)
        except InvalidTitle as error:
            return error.reason

    assert read(SiteRules.from_json(RULES.as_json())) == read(RULES)


def test_rules_as_a_wiki_tells_them() -> None:
    rules = rules_from_siteinfo(
        {
            "general": {"sitename": "Wikipédia", "lang": "fr"},
            "namespaces": {
                "0": {"id": 0, "name": "", "case": "first-letter"},
                "14": {"id": 14, "name": "Catégorie", "canonical": "Category", "case": "first-letter"},
                "2": {"id": 2, "name": "Utilisateur", "case": "case-sensitive"},
            },
            "namespacealiases": [{"id": 2, "alias": "Utilisatrice"}],
            "interwikimap": [{"prefix": "en", "language": "English"}, {"prefix": "fr", "localinterwiki": True}],
            "magicwords": [{"name": "redirect", "aliases": ["#REDIRECTION", "#REDIRECT"]}],
        }
    )
    assert normalise_title("category:vigne", rules) == "Catégorie:Vigne"
    assert normalise_title("utilisatrice:x", rules) == "Utilisateur:x"
    assert normalise_title("fr:vigne", rules) == "Vigne"
    assert parse_title("en:vine", rules).interwiki == "en"
    assert rules.redirect_words == ("#redirection", "#redirect")
