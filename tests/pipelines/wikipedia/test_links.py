"""Links, categories, redirects and lists of meanings."""

from __future__ import annotations

import pytest

from graphvine.workers.wikipedia.parse_page import parse_page
from graphvine.workers.wikipedia.parsed import ParsedPage
from graphvine.workers.wikipedia.redirects import MAX_HOPS, follow, redirect_in, redirect_title
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Failed, Hop, Page
from tests.pipelines.wikipedia.pages import RULES, a_page, read


def test_links_come_once_in_order_and_in_one_spelling() -> None:
    parsed = read("[[wine]] [[Beer|drink]] [[Wine]] [[tree_house]] [[wine#Making]] [[Caf%C3%A9]] [[a&amp;b]]")
    assert parsed.links == ("Wine", "Beer", "Tree house", "Café", "A&b")


def test_only_articles_count_as_links() -> None:
    parsed = read(
        "[[File:a.jpg]] [[Image:b.jpg|x]] [[Category:C]] [[:Category:D]] [[Help:E]] [[User:F]] [[Talk:G]]"
        " [[Wikipedia:H]] [[fr:I]] [[wikt:j]] [[Special:K]] [[Media:l.ogg]] [[#Own]] [[Vine]] [[vine#Uses]] [[Real]]"
    )
    assert parsed.links == ("Real",)


def test_other_namespaces_can_be_wanted() -> None:
    parsed = parse_page(a_page("[[Help:E]] [[Portal:Plants]] [[Real]]"), RULES, link_namespaces=frozenset({0, 100}))
    assert isinstance(parsed, ParsedPage)
    assert parsed.links == ("Portal:Plants", "Real")


def test_links_in_captions_templates_tables_notes_and_headings_count() -> None:
    parsed = read(
        "[[File:a.jpg|thumb|see [[Caption]]]] {{Infobox|x=[[Boxed]]}} {{nowrap|[[Inline]]}} <ref>[[Noted]]</ref>\n"
        "== [[Headed]] ==\n{|\n| [[Celled]]\n|}\n'''[[Bold]]''' ''never closed [[Italic]]"
    )
    assert parsed.links == ("Caption", "Boxed", "Inline", "Noted", "Headed", "Celled", "Bold", "Italic")


@pytest.mark.parametrize(
    ("wikitext", "links"),
    [
        ("<gallery>\nFile:a.jpg|see [[One]]\nFile:b.jpg|''and'' [[two|2]]{{nowrap|[[Three]]}}\n</gallery>", ("One", "Two", "Three")),
        ("<gallery caption='See [[One]]' mode=packed>\nb.jpg|[[Two]]\n</gallery> [[Three]]", ("One", "Two", "Three")),
        ("<gallery mode=packed>\nb.jpg|link=Four|x [[Five]]\n</gallery>", ("Four", "Five")),
        ("[[File:a.jpg|thumb|left|alt=a|A [[leaf]] of {{lang|la|[[vitis]]}}<ref>[[Noted]]</ref>]]", ("Leaf", "Vitis", "Noted")),
        ("[[File:a.jpg|thumb|a [http://example.org site [[x]]] and [[y]]]]", ("X", "Y")),
        ("[[File:a.jpg|thumb|one\ntwo [[three]]\n* four]] [[five]]", ("Three", "Five")),
        ("[[File:a.jpg|link=Target|30px]] [[File:b.jpg|link=]] [[File:c.jpg|link=https://example.org]]", ("Target",)),
        ("[[File:a.jpg|thumb|[[File:b.jpg|x [[inner]]]] [[outer]]]] [[behind]]", ("Inner", "Outer", "Behind")),
        ("[[File:a.jpg|thumb|never closed [[one]]\n\n[[two]] text]]", ("One", "Two")),
        ("<imagemap>\nImage:a.jpg\nrect 0 0 5 5 [[Part|p]]\n</imagemap>", ("Part",)),
        ("<references>\n<ref name=a>[[Noted]]</ref>\n</references>", ("Noted",)),
        ("<ref name=a>{{cite book|title=[[Book]]|x={{ill|Author|de|Autor}}}}</ref>", ("Book", "Author")),
        ("{{Infobox|a={{b|c={{d|[[Deep]]}}}}|e=[[Flat|x]]}}", ("Deep", "Flat")),
        ("{{nowrap|<nowiki>[[no]]</nowiki> [[yes]]}} <!-- [[no]] --> <pre>[[no]]</pre>", ("Yes",)),
        ("<includeonly>[[no]]</includeonly><noinclude>[[yes]]</noinclude>", ("Yes",)),
        ("[[one|two [[three]]", ("Three",)),
        ("[[one|[two]]] [[three]]]", ("One", "Three")),
        ("[[{{PAGENAME}}/a]] [[x{{!}}y]]", ("Vine/a", "X")),
        ("{{#tag:ref|see [[Tagged]]}}", ("Tagged",)),
        ("* [[a]]\n*: [[b]]\n; [[c]] : [[d]]\n# [[e]]", ("A", "B", "C", "D", "E")),
        ("{{unclosed|[[a]]\n== H ==\n[[b]] [[Category:C]]", ("A", "B")),
        ("<ref>unclosed [[a]]\n[[b]]", ("A", "B")),
        ('[https://e.org/a "Talk" (at [[A|the a]], 20 March 1962)] [[B]]', ("A", "B")),
        ("[https://e.org/a [[A]]. \"[[B|b]]\"] and [[File:x.jpg|thumb|of [https://e.org/b [[C|c]] d]]]", ("A", "B", "C")),
        ("[[File:x.gif|thumb|A [[A|drawing]].\n<source lang='text'>\n 1 = 2\n</source> of [[B|b]]]]", ("A", "B")),
    ],
)  # fmt: skip
def test_no_link_is_lost(wikitext: str, links: tuple[str, ...]) -> None:
    assert read(wikitext).links == links


def test_pointers_to_other_articles_are_links() -> None:
    parsed = read("{{Main|Twining|tendril}} {{About|the plant|the wine|Wine}} {{see also|Category:X|fr:Y|a<b}}")
    assert parsed.links == ("Twining", "Tendril", "Wine")
    assert parsed.lead.text == ""


def test_links_that_only_the_source_knows_follow() -> None:
    parsed = parse_page(a_page("[[Zebra]] [[Beer]]", links=("Apple", "Beer", "Vine", "Zebra")), RULES)
    assert isinstance(parsed, ParsedPage)
    assert parsed.links == ("Zebra", "Beer", "Apple")


def test_categories_lose_their_sort_keys() -> None:
    parsed = read("[[Category:Vines| ]] [[category:plants|Vine]] [[Category:Vines]] [[Category: ]]")
    assert parsed.categories == ("Category:Vines", "Category:Plants")


def test_the_sources_categories_win() -> None:
    parsed = parse_page(a_page("[[Category:Hidden]]", categories=("Category:Seen",)), RULES)
    assert isinstance(parsed, ParsedPage)
    assert parsed.categories == ("Category:Seen",)


@pytest.mark.parametrize(
    "wikitext",
    [
        "{{disambiguation}}",
        "{{Disambig|geo}}",
        "{{dab}}",
        "{{hndis|Doe, Jane}}",
        "{{Human name disambiguation}}",
        "{{Begriffsklärung}}",
        "__DISAMBIG__",
        "* [[a]]\n{{ Disambiguation }}",
    ],
)
def test_lists_of_meanings_are_known_by_their_mark(wikitext: str) -> None:
    assert read(wikitext).disambiguation


@pytest.mark.parametrize(
    "wikitext", ["text", "{{disambiguation needed}}", "{{about|x||y (disambiguation)}}", "disambiguation"]
)
def test_other_pages_are_not(wikitext: str) -> None:
    assert not read(wikitext).disambiguation


def test_the_page_property_marks_a_list_of_meanings() -> None:
    parsed = parse_page(a_page("text", properties={"disambiguation": ""}), RULES)
    assert isinstance(parsed, ParsedPage)
    assert parsed.disambiguation


def test_a_description_is_kept() -> None:
    assert read("{{Short description|Plant that climbs}}").description == "Plant that climbs"
    assert read("{{Short description|none}}").description == ""
    told = parse_page(a_page("text", properties={"wikibase-shortdesc": "A plant"}), RULES)
    assert isinstance(told, ParsedPage)
    assert told.description == "A plant"


@pytest.mark.parametrize(
    ("wikitext", "hop"),
    [
        ("#REDIRECT [[Vine]]", Hop("Vine")),
        ("  #redirect: [[vine#Uses|label]] {{R from plural}}", Hop("Vine", "Uses")),
        ("#WEITERLEITUNG [[Rebe]]", Hop("Rebe")),
        ("#перенаправление [[Лоза]]", Hop("Лоза")),
        ("#転送 [[葡萄]]", Hop("葡萄")),
        ("#REDIRECT [[Caf%C3%A9]]", Hop("Café")),
        ("#REDIRECT\n[[Vine]]", Hop("Vine")),
        ("#REDIRECT [[:Category:Vines]]", Hop("Category:Vines")),
        ("#REDIRECT", None),
        ("#REDIRECT Vine", None),
        ("#REDIRECT [[a<b]]", None),
        ("#REDIRECT [[#Uses]]", None),
        ("#REDIRECT [[fr:Vigne]]", None),
        ("# a list [[Vine]]", None),
        ("text #REDIRECT [[Vine]]", None),
        ("", None),
    ],
)
def test_redirects(wikitext: str, hop: Hop | None) -> None:
    assert redirect_in(wikitext, RULES) == hop


def test_a_redirect_to_another_wiki_is_told() -> None:
    target = redirect_title("#REDIRECT [[fr:Vigne]]", RULES)
    assert target is not None
    assert (target.interwiki, target.full) == ("fr", "Vigne")


def test_a_wikis_own_word_for_a_redirect_counts() -> None:
    assert redirect_in("#OTSI [[Vine]]", SiteRules(redirect_words=("#otsi",))) == Hop("Vine")


def test_a_redirect_page_has_a_target_and_nothing_else() -> None:
    parsed = read("#REDIRECT [[Plant#Parts]]\n[[Category:Redirects]] text")
    assert parsed.redirect_to == Hop("Plant", "Parts")
    assert parsed.links == ()
    assert parsed.lead.text == ""


def test_chains_are_followed_to_their_end_and_loops_are_failures() -> None:
    page = a_page("#REDIRECT [[B]]", "A")
    chain = {"A": Hop("B"), "B": Hop("C", "x")}
    followed = follow(page, chain.get)
    assert isinstance(followed, Page)
    assert followed.redirects == (Hop("B"), Hop("C", "x"))
    loop = follow(page, {**chain, "C": Hop("B")}.get)
    assert isinstance(loop, Failed)
    assert (loop.kind, loop.reason) == ("redirect_loop", "its redirects lead in a circle: A -> B -> C -> B")
    endless = follow(page, lambda title: Hop(title + "x"))
    assert isinstance(endless, Failed)
    assert str(MAX_HOPS) in endless.reason
