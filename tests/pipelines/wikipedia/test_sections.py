"""Sections: a lead, and headings nested by their level."""

from __future__ import annotations

from tests.pipelines.wikipedia.pages import read


def test_sections_carry_level_position_path_and_their_own_text() -> None:
    parsed = read("Lead.\n== A ==\na\n=== B ===\nb\n==== C ====\nc\n=== D ===\nd\n== E ==\ne")
    assert [(s.title, s.level, s.position, s.path, s.text) for s in parsed.sections] == [
        ("", 1, 0, (), "Lead."),
        ("A", 2, 1, ("A",), "a"),
        ("B", 3, 2, ("A", "B"), "b"),
        ("C", 4, 3, ("A", "B", "C"), "c"),
        ("D", 3, 4, ("A", "D"), "d"),
        ("E", 2, 5, ("E",), "e"),
    ]
    assert parsed.lead is parsed.sections[0]


def test_levels_that_are_skipped_still_nest() -> None:
    parsed = read("==== Deep ====\na\n== High ==\nb\n==== Below ====\nc\n= Top =\nd")
    assert [section.path for section in parsed.sections] == [
        (), ("Deep",), ("High",), ("High", "Below"), ("Top",),
    ]  # fmt: skip


def test_a_heading_with_nothing_below_it_is_kept_empty() -> None:
    parsed = read("== A ==\n=== B ===\nb")
    assert [(section.title, section.text) for section in parsed.sections] == [("", ""), ("A", ""), ("B", "b")]


def test_markup_in_a_heading_is_taken_off() -> None:
    parsed = read("== ''Vitis'' [[Vitis|vines]]<ref>x</ref> {{anchor|old}} ==\ntext")
    assert parsed.sections[1].title == "Vitis vines"


def test_the_same_title_twice_gives_two_sections() -> None:
    parsed = read("== A ==\n=== X ===\n1\n== B ==\n=== X ===\n2")
    assert [section.path for section in parsed.sections[1:]] == [("A",), ("A", "X"), ("B",), ("B", "X")]


def test_a_heading_inside_a_block_opens_a_section() -> None:
    parsed = read("<div>\n== A ==\na\n</div>\n== B ==\nb")
    assert [(section.title, section.text) for section in parsed.sections] == [("", ""), ("A", "a"), ("B", "b")]


def test_a_heading_inside_a_table_does_not() -> None:
    parsed = read("{|\n|\n== A ==\na\n|}\nafter")
    assert len(parsed.sections) == 1
    assert "after" in parsed.lead.text


def test_an_empty_page_has_an_empty_lead() -> None:
    parsed = read("")
    assert [(section.title, section.text) for section in parsed.sections] == [("", "")]
