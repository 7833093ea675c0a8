"""What the test wiki holds: the sample wiki, and pages for every case that it lacks."""

from __future__ import annotations

from importlib.resources import files

from tests.pipelines.wikipedia.dump_writer import DumpPage, page, page_xml

MANY_LINKS = 1_200
LARGE = [f"Large {number}" for number in range(8)]

SPECIAL_PAGES: list[DumpPage] = [
    page("Loop A", "#REDIRECT [[Loop B]]", redirect="Loop B"),
    page("Loop B", "#REDIRECT [[Loop A]]", redirect="Loop A"),
    page("Loop of one", "#REDIRECT [[Loop of one]]", redirect="Loop of one"),
    page("Into the loop", "#REDIRECT [[Loop A]]", redirect="Loop A"),
    page("Chain 1", "#REDIRECT [[Chain 2#Middle]]", redirect="Chain 2"),
    page("Chain 2", "#REDIRECT [[Chain 3]]", redirect="Chain 3"),
    page("Chain 3", "#redirect: [[Vine#Uses]]", redirect="Vine"),
    page("To nowhere", "#REDIRECT [[There is nothing here]]", redirect="There is nothing here"),
    page("To another wiki", "#REDIRECT [[mediawikiwiki:Help]]", redirect="mediawikiwiki:Help"),
    page("Twice written", "The old text.", "The new text with a [[Vine]]."),
    page("Empty page", ""),
    page("Zürich & \"co\"", "A title with signs. [[Vine]]"),
    page("東京", "A title in another script. [[Vine]]"),
    page("Lost text", "The database will lose this."),
    page("User:Tester/script.js", "var a = 1;", namespace=2, model="javascript"),
    page("Talk:Vine", "On vines. [[Wine]]", namespace=1),
    page("Category:Kept in secret", "__HIDDENCAT__", namespace=14),
    page("Sorted", "Text. [[Category:Plants|key]] [[Category:Kept in secret]] [[Category:Plants]]"),
    page("Changed by a test", "Text. [[Vine]] [[Category:Plants]]"),
    page("By magic word", "Many things.\n* [[Vine]]\n__DISAMBIG__"),
    page("Many links", "\n".join(f"* [[Target {number}]]" for number in range(MANY_LINKS))),
    page("Link kinds", "[[vine]] [[:Category:Plants]] [[File:Leaf.jpg|thumb|a [[Wine]] leaf]] [[Talk:Vine]] "
         "[[Special:Random]] [[mediawikiwiki:Help]] [[Vine#Uses|uses]] [[#Own part]] [[Link kinds]] {{Navbox vines}}"),
    *(page(title, f"{title} begins. " + "Words fill it up. " * 500 + "[[Vine]]") for title in LARGE),
]  # fmt: skip


def test_dump() -> bytes:
    """The dump that the test wiki is built from."""
    sample = files("graphvine.workers.wikipedia").joinpath("sample", "garden.xml").read_text()
    body = "".join(page_xml(500 + number, each) for number, each in enumerate(SPECIAL_PAGES))
    return sample.replace("</mediawiki>", body + "</mediawiki>").encode()
