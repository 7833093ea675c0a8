"""Lists of meanings in a wiki that names its templates as it likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.wikipedia.disambiguation import listed_templates, puts_switch
from graphvine.workers.wikipedia.dump import DumpSource
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.pipelines.wikipedia.dump_writer import DumpPage, dump_xml, page


def template(name: str, text: str, redirect: str = "") -> DumpPage:
    return page(f"Template:{name}", text, namespace=10, redirect=redirect)


PAGES = [
    template("Nazeimeibys skaidruošona", "<includeonly>Itei ir lopa. __DISAMBIG__</includeonly>[[Category:X]]"),
    template("Nazeimeibys skaidruošona/doc", "It puts <nowiki>__DISAMBIG__</nowiki> there."),
    template("Skaidruošona", "#REDIRECT [[Template:Nazeimeibys skaidruošona]]", "Template:Nazeimeibys skaidruošona"),
    template("Skd", "#REDIRECT [[Template:Skaidruošona]]", "Template:Skaidruošona"),
    template("Other", "<noinclude>__DISAMBIG__</noinclude> text <!-- __DISAMBIG__ -->"),
    template("Listed", "A list."),
    page("MediaWiki:Disambiguationspage", "* [[Template:listed]]\n* [[:Template:Gone|x]]\n* [[Not a template]]", namespace=8),
    page("Direct", "* [[a]]\n{{Nazeimeibys skaidruošona}}"),
    page("By redirect", "* [[a]]\n{{skaidruošona}}"),
    page("By two", "* [[a]]\n{{Skd|x}}"),
    page("By list", "* [[a]]\n{{ listed }}"),
    page("Article", "Text. {{Other}}"),
    page("Switch", "* [[a]] __DISAMBIG__"),
    page("Not", "<nowiki>{{Skd}}</nowiki> <!-- {{Skd}} --> Text."),
]  # fmt: skip


@pytest.mark.parametrize("size", [0, 1_048_000, 1_048_560])
def test_a_dump_tells_by_the_texts_of_its_templates(growing: Graph, tmp_path: Path, size: int) -> None:
    """Wherever the switch stands: a dump is read in pieces of a mebibyte."""
    dump = tmp_path / "wiki.xml"
    dump.write_bytes(dump_xml([page("Filler", "x" * size), *PAGES]))
    source = DumpSource(dump)
    known = {"nazeimeibys skaidruošona", "skaidruošona", "skd", "listed", "gone"}
    assert source.rules().disambiguation_templates == known
    source.close()
    again = DumpSource(dump)
    assert again.rules().disambiguation_templates == known
    again.close()
    if size:
        return
    titles = ["Direct", "By redirect", "By two", "By list", "Article", "Switch", "Not"]
    summary = growing.grow(titles, settings=WikipediaSettings(source=str(dump), embedder="none"), depth=0)
    failed = {seed.title: seed.reason for seed in summary.failed_seeds}
    assert set(failed) == {"Direct", "By redirect", "By two", "By list", "Switch"}
    assert failed["Direct"] == "'Direct' is a disambiguation page"


@pytest.mark.parametrize(
    ("text", "puts"),
    [
        ("__DISAMBIG__", True),
        ("<includeonly>a __DISAMBIG__</includeonly>", True),
        ("<noinclude>__DISAMBIG__</noinclude>", False),
        ("<noinclude>a</noinclude>__DISAMBIG__<noinclude>b</noinclude>", True),
        ("<!-- __DISAMBIG__ -->", False),
        ("<nowiki>__DISAMBIG__", False),
        ("<noinclude>" * 2_000 + "__DISAMBIG__", False),
    ],
)
def test_only_what_goes_into_other_pages_counts(text: str, puts: bool) -> None:
    assert puts_switch(text) is puts


def test_a_list_names_templates_in_links() -> None:
    assert listed_templates("* [[Template:A]]\n* [[:Vorlage:B|b]]\n{{x}}") == ["Template:A", "Vorlage:B"]
