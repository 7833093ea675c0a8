"""Wikis in other languages and scripts: their switches, variants, hatnotes, and links to what is not yet written."""

# ruff: noqa: RUF001
from __future__ import annotations

import pytest

from graphvine.workers.wikipedia.site import SiteRules
from tests.pipelines.wikipedia.pages import read, text_of


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("__無目錄__a", "a"),
        ("a __БЕЗОГЛАВЛЕНИЯ__ b", "a b"),
        ("__ΧΩΡΙΣΠΠ__ a __უსარჩევო__", "a"),
        ("__بی‌فهرست__ a __अनुक्रमणिका_नहीं__", "a"),
        ("5__NOTOC__6", "5 6"),
        ("__init__ and __Foo__", "__init__ and __Foo__"),
        ("{{仮リンク|目的|en|Target}}を", "目的を"),
        ("{{仮リンク|目的|en|Target|label=目}}を", "目を"),
        ("{{нп5|Цель|цели|en|Target}}", "цели"),
        ("{{нп5|Цель||en|Target}}", "Цель"),
        ("{{le|標的|Target}}、{{tsl|en|Foreign|本地}}", "標的、本地"),
        ("{{lien|Toto|lang=en|trad=Toto|texte=le toto}}", "le toto"),
        ("{{ruby|漢字|かんじ}}", "漢字"),
        ("au {{s-|XIX|e}} et au {{XIIe siècle}}", "au XIXe siècle et au XIIe siècle"),
        ("la {{2e|édition}} du {{1er}} mai", "la 2e édition du 1er mai"),
        ("{{n°}}5, à {{heure|12|30}}, le {{date-|14 juillet 1789}}", "n° 5, à 12 h 30, le 14 juillet 1789"),
        ("{{s|100 км²}} и {{nobr|5 км}}", "100 км² и 5 км"),
        ("{{tsl|en|x}} {{нп5}} {{s}} end", "end"),
    ],
)
def test_what_a_reader_of_that_wiki_reads(wikitext: str, text: str) -> None:
    assert text_of(wikitext) == text


@pytest.mark.parametrize(
    ("wikitext", "links"),
    [
        ("{{Hauptartikel|Rebe}} {{Article détaillé|Vigne}}", ("Rebe", "Vigne")),
        ("{{AP|Vid}} {{основная статья|Виноград}} {{主条目|葡萄}}", ("Vid", "Виноград", "葡萄")),
        ("{{仮リンク|目的|en|Target}} {{tsl|en|Foreign|本地}}", ("目的", "本地")),
    ],
)
def test_links_of_their_templates_count(wikitext: str, links: tuple[str, ...]) -> None:
    assert read(wikitext).links == links


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("-{zh-hans:计算机;zh-hant:電腦}-", "计算机"),
        ("-{zh-tw:一;zh-cn:二;}-三", "一三"),
        ("-{文字}- -{R|keep}- -{A|zh-cn:信息;zh-tw:資訊}-", "文字 keep 信息"),
        ("5-{H|zh-cn:x;zh-tw:y}-6", "5 6"),
        ("-{T|zh-cn:题}-a", "a"),
        ("-{zh-hans:a-{b}-c; zh-hant:d;}-", "abc"),
        ("-{zh-hans;zh-hant|原文}-", "原文"),
        ("-{zh-hans:1&nbsp;000;zh-hant:1,000}-", "1 000"),
        ("a-{ b", "a-{ b"),
        ("-{http://x:80}-", "http://x:80"),
    ],
)
def test_of_several_variants_one_is_kept(wikitext: str, text: str) -> None:
    assert text_of(wikitext, rules=SiteRules(language="zh")) == text


def test_links_in_a_variant_are_links_and_other_wikis_have_no_variants() -> None:
    wikitext = "-{zh-cn:[[甲]];zh-tw:[[乙]]}-"
    assert read(wikitext, rules=SiteRules(language="zh-Hans")).links == ("甲",)
    assert read("a -{b}- c").lead.text == "a -{b}- c"
    assert read("-{sr-ec:а; sr-el:a}-", rules=SiteRules(language="sr")).lead.text == "а"


def test_headings_that_fit_no_row_are_kept() -> None:
    assert text_of("{|\n! Year !! Pop\n|-\n| 1900\n| 500\n| more 5\n|}") == "Year; Pop\n1900; 500; more 5"
