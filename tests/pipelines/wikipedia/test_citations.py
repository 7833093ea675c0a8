"""A hit cites the wiki that its article came from, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.wikipedia.settings import WikipediaSettings
from graphvine.workers.wikipedia.site import api_of

DUMP = """<mediawiki xml:lang="als"><siteinfo><sitename>Alemannic</sitename>{base}<case>first-letter</case>
<namespaces><namespace key="0" /></namespaces></siteinfo>
<page><title>Rebe</title><ns>0</ns><id>1</id><revision><id>77</id><timestamp>2024-01-01T00:00:00Z</timestamp>
<text>Rebe isch e Pflanze, wo uf de Zuun chlädderet.</text></revision></page></mediawiki>"""


def cited(graph: Graph, source: str, title: str) -> tuple[str, int | None]:
    graph.grow([title], settings=WikipediaSettings(source=source, embedder="none"), depth=0)
    (hit, *_) = graph.search(title, mode="text")
    return hit.citation.address, hit.citation.revision


def test_a_dump_names_its_wiki(graph: Graph, tmp_path: Path) -> None:
    dump = tmp_path / "als.xml"
    dump.write_text(DUMP.format(base="<base>https://als.wikipedia.org/wiki/Houptsyte</base>"), "utf-8")
    assert cited(graph, str(dump), "Rebe") == ("https://als.wikipedia.org/w/index.php?oldid=77", 77)


def test_a_dump_that_names_none_is_cited_itself(graph: Graph, tmp_path: Path) -> None:
    dump = tmp_path / "als.xml"
    dump.write_text(DUMP.format(base=""), "utf-8")
    assert cited(graph, str(dump), "Rebe") == (f"{dump}#Rebe", 77)


def test_the_sample_is_no_wiki_on_the_net(graph: Graph) -> None:
    assert cited(graph, "sample", "Vine")[0] == "sample#Vine"


@pytest.mark.parametrize(
    ("main_page", "api"),
    [
        ("https://de.wikipedia.org/wiki/Wikipedia:Hauptseite", "https://de.wikipedia.org/w/api.php"),
        ("http://127.0.0.1:8080/mediawiki/index.php/Main_Page", "http://127.0.0.1:8080/mediawiki/api.php"),
        ("http://host/index.php?title=A", "http://host/api.php"), ("https://me:secret@host/wiki/A", "https://host/w/api.php"),
        ("https://host/Main_Page", ""), ("javascript:alert(1)", ""), ("http://[", ""), ("", ""), ("file:///wiki/A", ""),
    ],
)  # fmt: skip
def test_where_the_scripts_are(main_page: str, api: str) -> None:
    assert api_of(main_page) == api
