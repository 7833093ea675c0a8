"""References and links to elsewhere do not come before the text that they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.wikipedia.boilerplate import is_boilerplate
from graphvine.workers.wikipedia.search import ArticleSearch
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.pipelines.wikipedia.dump_writer import dump_xml, page

TOPICS = {
    "Graph theory": "In mathematics and computer science one studies structures that model pairwise relations between objects.",
    "Photosynthesis": "A system of biological processes by which organisms convert light energy into chemical energy.",
    "French Revolution": "A period of political and societal change in France that began with the Estates General of 1789.",
    "Volcano": "A rupture in the crust of a planet that allows hot lava and gases to escape from below the surface.",
    "Jazz": "A music genre that originated in the African-American communities of New Orleans in the late 19th century.",
}  # fmt: skip


def with_boilerplate(title: str, text: str) -> str:
    return (
        f"{text}\n== History ==\nIt has been known for long, and was studied by many.\n"
        f"== References ==\n* {title} at a glance\n=== Works ===\n* {title}\n"
        f"== Further reading ==\n* An introduction to {title}\n== External links ==\n* [https://example.org {title}]"
    )


@pytest.mark.parametrize(
    ("path", "says_little"),
    [
        (("References",), True),
        (("EXTERNAL LINKS ",), True),
        (("Notes", "Citations"), True),
        (("Further reading", "Biographies"), True),
        (("Einzelnachweise",), True),
        (("Примечания",), True),
        (("外部リンク",), True),
        (("History",), False),
        (("Musical notes",), False),
        (("Reference frames",), False),
        ((), False),
    ],
)
def test_sections_are_known_by_their_titles(path: tuple[str, ...], says_little: bool) -> None:
    assert is_boilerplate(path) is says_little


def test_a_search_by_title_finds_the_text_first(growing: Graph, tmp_path: Path) -> None:
    dump = tmp_path / "wiki.xml"
    dump.write_bytes(dump_xml([page(title, with_boilerplate(title, text)) for title, text in TOPICS.items()]))
    settings = WikipediaSettings(source=str(dump))
    growing.grow(list(TOPICS), settings=settings, depth=0)
    rows = growing.query("MATCH (s:Section) RETURN s.path, s.embedding").rows
    plain = {path for path, vector in rows if vector in (None, "", "[]")}  # vectors are kept as text
    assert plain == {"References", "References / Works", "Further reading", "External links"}
    searching = ArticleSearch(growing, settings)
    try:
        for title in TOPICS:
            for mode in ("vector", "hybrid", "text", "walk"):
                first = searching.search(title, mode=mode)[0]  # type: ignore[arg-type]
                assert (first.article, is_boilerplate(first.section.split(" / "))) == (title, False), (title, mode)
        # They are not lost.
        assert "Further reading" in {hit.section for hit in searching.search("introduction", mode="text")}
    finally:
        searching.close()
