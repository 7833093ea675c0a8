"""Documents of one's own: a folder of Markdown, HTML and text, and a file of JSON lines."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.errors import SettingsError
from graphvine.graph import Graph
from graphvine.workers.wikipedia.document_parser import FORMATS, read_document
from graphvine.workers.wikipedia.documents import MAX_BYTES, FolderSource, JsonLinesSource
from graphvine.workers.wikipedia.front_matter import front_matter
from graphvine.workers.wikipedia.parse_page import parse_page
from graphvine.workers.wikipedia.parsed import ParsedPage
from graphvine.workers.wikipedia.sources import Failed, Missing, Page
from tests.support.grown import column

INDEX = """---
title: My garden
tags: [plants, "home"]
author: Ann
year: 2024
---
# Garden
See [[Vine]], [the wall](plants/wall.html#top) and [elsewhere](https://example.org/a.md).

## Water
Twice a week.

```
# no heading [[no link]]
```
"""
WALL = '<html><head><title>Wall</title></head><body><h1>Wall</h1><p>Stone &amp; <a href="../index.md">home</a><script>x</script><h2>Top<p>Moss.'


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "plants").mkdir(parents=True)
    (folder / "index.md").write_text(INDEX)
    (folder / "plants" / "Vine.md").write_text(
        "Climbs the [[wall]].\n\nSetext\n======\nMore, see [[index#Water|water]].\n"
    )
    (folder / "plants" / "wall.html").write_text(WALL)
    (folder / "old.txt").write_bytes("Café".encode("cp1252"))
    return folder


def read(source: Any, title: str) -> ParsedPage:
    (page,) = source.fetch([title])
    assert isinstance(page, Page), page
    parsed = parse_page(page, source.rules())
    assert isinstance(parsed, ParsedPage)
    return parsed


def test_headings_become_sections_links_and_front_matter_are_read(notes: Path) -> None:
    source = FolderSource(notes)
    index = read(source, "index")
    assert [(section.title, section.level, section.path) for section in index.sections] == [
        ("", 1, ()), ("Garden", 1, ("Garden",)), ("Water", 2, ("Garden", "Water")),
    ]  # fmt: skip
    assert index.sections[1].text == "See Vine, the wall and elsewhere."
    assert source.resolve(index.links) == ["plants/wall", "plants/Vine"]
    assert index.categories == ("Category:plants", "Category:home")
    assert json.loads(index.properties)["author"] == "Ann" and json.loads(index.properties)["year"] == 2024
    wall = read(source, "plants/wall")
    assert [(section.title, section.text) for section in wall.sections] == [
        ("", ""),
        ("Wall", "Stone & home"),
        ("Top", "Moss."),
    ]
    assert read(source, "old").sections[0].text == "Café"


def test_a_name_finds_its_document_wherever_it_lies(notes: Path) -> None:
    source = FolderSource(notes)
    assert [source.find(name) for name in ("vine", "Vine.md", "plants/vine", "INDEX")] == [
        "plants/Vine", "plants/Vine", "plants/Vine", "index",
    ]  # fmt: skip
    assert isinstance(source.fetch(["nothing"])[0], Missing)


def test_what_is_too_large_hidden_or_outside_is_a_failure_of_its_own(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    os.symlink(tmp_path / "secret.txt", notes / "out.txt")
    os.symlink("index.md", notes / "same.md")
    (notes / "huge.txt").write_bytes(b"a" * (MAX_BYTES + 1))
    (notes / "binary.txt").write_bytes(b"\x00\x01\x02")
    (notes / ".hidden.md").write_text("hidden")
    source = FolderSource(notes)
    reasons = {page.title: page.reason for page in source.fetch(source.titles()) if isinstance(page, Failed)}
    assert reasons == {
        "out": "out.txt is a link that leads out of the folder",
        "huge": f"huge.txt is larger than {MAX_BYTES:,} bytes",
        "binary": "binary.txt is not text",
    }
    assert read(source, "same").title == "same" and ".hidden" not in source.titles()


def test_a_folder_grows_whole_and_refresh_knows_what_changed(growing: Graph, notes: Path) -> None:
    summary = growing.grow(all=True, source=str(notes), embed="never")
    assert summary.states == {"processed": 4}
    edges = growing.query("MATCH (a:Article)-[l:LINKS_TO]->(b) RETURN a.title, b.title").rows
    assert sorted(map(tuple, edges)) == [
        ("index", "plants/Vine"), ("index", "plants/wall"), ("plants/Vine", "index"), ("plants/Vine", "plants/wall"),
        ("plants/wall", "index"),
    ]  # fmt: skip
    assert json.loads(column(growing, "properties")["index"])["title"] == "My garden"
    assert growing.search("moss", mode="text")[0].article == "plants/wall"
    assert growing.refresh().changed == 0
    os.utime(notes / "old.txt")  # touched, and the same
    (notes / "plants" / "wall.html").write_text(WALL.replace("Moss", "Lichen"))
    (notes / "index.md").unlink()
    assert growing.refresh().changed == 2
    assert growing.grow().states == {"processed": 3, "skipped": 1}
    assert growing.search("lichen", mode="text") and not growing.search("moss", mode="text")


def test_json_lines_become_articles_and_broken_lines_are_named(growing: Graph, tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text(
        '{"title": "A", "text": "Old."}\n{"title": "A", "text": "Hello.", "links": ["b"], "views": 3}\nno JSON\n\n'
        '{"title": "B", "text": "# Head\\nWorld.", "format": "markdown", "tags": ["t"]}\n{"text": "untitled"}\n[]\n'
    )
    summary = growing.grow(["a"], source=str(file), embed="never")
    assert summary.states == {"processed": 2}
    assert summary.skipped == [
        "docs.jsonl, line 3: is not JSON", "docs.jsonl, line 6: has no title", "docs.jsonl, line 7: is not a JSON object",
    ]  # fmt: skip
    assert json.loads(column(growing, "properties")["A"]) == {"views": 3}
    assert [hit.article for hit in growing.search("hello", mode="text")] == ["A"]
    assert growing.query("MATCH (:Article {title: 'B'})-[:IN_CATEGORY]->(c) RETURN c.name").rows == [["t"]]


def test_lines_without_links_link_to_what_they_name_and_ids_tell_documents_apart(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    lines = [
        {"_id": "1", "title": "Kudzu", "text": "A vine that Charles Pleas brought to Florida."},
        {"_id": "2", "title": "Charles Pleas", "text": "He grew kudzu (with his wife) near Chipley."},
        {"_id": "3", "title": "Kudzu", "text": "Another text of the same name.", "links": []},
        {"_id": 4, "title": "", "text": "No title, and a film: see Charles Pleas.", "links": ["1"]},
        {"_id": "2", "title": "Charles Pleas", "text": "He grew Kudzu (3) near Chipley."},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    source = JsonLinesSource(file)
    try:
        titles = source.titles()
        assert titles == ["4", "Charles Pleas", "Kudzu", "Kudzu (3)"]
        pages = {page.title: page for page in source.fetch(titles) if isinstance(page, Page)}
    finally:
        source.close()
    assert {title: page.links for title, page in pages.items()} == {
        "Kudzu": ("Charles Pleas",), "Kudzu (3)": (), "4": ("Kudzu",), "Charles Pleas": (),
    }, "a name that two documents have is ambiguous"  # fmt: skip
    assert "Chipley" in pages["Charles Pleas"].wikitext and "(3)" in pages["Charles Pleas"].wikitext


def test_a_file_that_changes_under_the_reader_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text('{"title": "A", "text": "One."}\n')
    source = JsonLinesSource(file)
    file.write_text('{"title": "B", "text": "Two."}\n')
    (page,) = source.fetch(["A"])
    source.close()
    assert isinstance(page, Failed) and "changed while it was read" in page.reason


def test_a_path_that_is_not_there_is_an_error_of_use(growing: Graph, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not there"):
        growing.grow(["A"], source=str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("text", "properties", "rest"),
    [
        ("---\na: 1\nlist:\n- x\n- y\n---\nrest", {"a": 1, "list": ["x", "y"]}, "rest"),
        ("+++\na = [1, 2]\n+++\nrest", {"a": [1, 2]}, "rest"),
        ("---\n: broken [\n---\nrest", {}, "---\n: broken [\n---\nrest"),
        ("+++\nbroken\n+++\nrest", {}, "+++\nbroken\n+++\nrest"),
        ("---\nno end", {}, "---\nno end"),
        ("---\na: |\n  one\n  two\nempty:\n---\n", {"a": "one\ntwo", "empty": ""}, ""),
    ],
)
def test_front_matter_that_is_broken_stays_text(text: str, properties: dict[str, Any], rest: str) -> None:
    assert front_matter(text) == (properties, rest)


@given(st.text(max_size=300), st.sampled_from(sorted(set(FORMATS.values()))))
def test_any_text_is_a_document(text: str, format: str) -> None:
    document = read_document(text, format, "folder/title")
    assert len(document.sections) >= 1


_PIECES = st.sampled_from(
    ["# h\n", "---\n", "a: [b\n", "<h1>", "</h2>", "<p>", "[[", "]]", "[x](y.md)", "[[a|b]]", "```\n", "| a | b |\n", "> ",
     "<script>", "&amp;", "\n", "text ", "![[z.md]]", "](", "<a href='../../up.md'>", "\x00", "\u2028", "+++\n"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=60).map("".join), st.sampled_from(sorted(set(FORMATS.values()))))
def test_torn_markup_costs_no_more_than_itself(text: str, format: str) -> None:
    document = read_document(text, format, "a/b")
    assert not any(link.startswith("..") for link in document.links)
