"""What a person types to start from: titles that are there, titles that nearly are, categories."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.wikipedia.dump import DumpSource, SampleSource
from graphvine.workers.wikipedia.grow import BadSeed, FailedSeed
from graphvine.workers.wikipedia.settings import WikipediaSettings
from graphvine.workers.wikipedia.titles import nearest
from tests.acceptance.cli_support import run
from tests.pipelines.wikipedia.dump_writer import dump_xml, page
from tests.support.grown import column

PLAIN = WikipediaSettings(source="sample", embedder="none")


def test_a_seed_that_is_not_there_is_named_with_what_may_have_been_meant(growing: Graph) -> None:
    summary = growing.grow(["vinne", "Vine"], settings=PLAIN, depth=0)
    assert summary.failed_seeds == [FailedSeed("Vinne", "there is no page 'Vinne'", ["Vine", "Vines"])]
    assert summary.counts.done == 1


def test_a_seed_that_failed_before_is_named_again(growing: Graph) -> None:
    growing.grow(["VINE"], settings=PLAIN, depth=0)
    summary = growing.grow(["VINE"], settings=PLAIN, depth=0)
    assert [(seed.title, seed.like[0]) for seed in summary.failed_seeds] == [("VINE", "Vine")]


def test_what_is_skipped_further_on_is_no_seed(growing: Graph) -> None:
    summary = growing.grow(["Vine"], settings=PLAIN, depth=9)
    assert summary.counts.skipped and summary.failed_seeds == []


@pytest.mark.parametrize("seed", ["fr:Vigne", "a|b", "#Uses", "Special:Random"])
def test_what_can_be_no_article_is_refused_in_a_sentence(growing: Graph, seed: str) -> None:
    with pytest.raises(BadSeed, match="can't be a seed"):
        growing.grow([seed], settings=PLAIN)
    assert column(growing, "expansion_state") == {}


def test_a_category_stands_for_the_articles_in_it(growing: Graph) -> None:
    summary = growing.grow(["category:vines"], settings=PLAIN, depth=0)
    source = SampleSource()
    assert "Ivy" in source.members("Category:Vines")
    assert summary.seeds == len(source.members("Category:Vines")) == summary.counts.done
    source.close()
    with pytest.raises(BadSeed, match="sample has no article in 'Category:Nothing'"):
        growing.grow(["Category:Nothing"], settings=PLAIN)


def test_members_are_found_however_they_name_their_category(tmp_path: Path) -> None:
    dump = tmp_path / "wiki.xml"
    pages = [
        page("A", "[[Category:Climbing plants]]"), page("B", "[[category: climbing_plants |key]]"),
        page("C", "[[:Category:Climbing plants]]"), page("D", "Climbing plants"),
        page("E", "{{x}}\n[[CATEGORY:climbing plants| ]]"), page("F", "#REDIRECT [[A]]\n[[Category:Climbing plants]]", redirect="A"),
        page("Category:Climbing plants", "[[Category:Plants]]", namespace=14),
    ]  # fmt: skip
    dump.write_bytes(dump_xml(pages))
    source = DumpSource(dump)
    assert source.members("Category:Climbing plants") == ["A", "B", "E"]
    assert source.members("Category:Plants") == []
    assert source.titles(namespace=14) == ["Category:Climbing plants"]
    source.close()


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("graph THEORY", ["Graph theory"]),
        ("Grapf theory", ["Graph theory"]),
        ("Mercury", ["Mercury (planet)", "Mercury (element)"]),
        ("Qqqqqq", []),
        ("ÉTÉ", ["Été"]),
    ],
)
def test_the_nearest_titles(title: str, found: list[str]) -> None:
    there = ["Graph theory", "Mercury (planet)", "Mercury (element)", "Été", "Vine", "Graphene"]
    assert nearest(title, there, 3)[: len(found) or 3] == found


def test_a_large_dump_is_searched_where_titles_begin_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphvine.workers.wikipedia.dump_index._COMPARED", 50)
    dump = tmp_path / "wiki.xml"
    dump.write_bytes(dump_xml([page(f"{letter}{number} word") for letter in "ABCDEF" for number in range(40)]))
    source = DumpSource(dump)
    assert source.like("B12 wrod")[0] == "B12 word"
    assert source.like("B12 WORD")[0] == "B12 word"
    source.close()


def test_titles_are_shown_by_the_command() -> None:
    assert (
        run("titles", "--source", "sample", "--contains", "VINE", "--limit", "2").out == "Grapevine\nKiwifruit vine\n"
    )
    assert run("titles", "--source", "sample", "--categories").out.startswith("Category:Gardens\n")
    assert "no such title" in run("titles", "--source", "sample", "--contains", "qqq", status=1).err


def test_the_command_names_the_seed_and_ends_with_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_EMBEDDER", "none")
    command = ("--graph", str(tmp_path / "graph.kuzu"), "grow", "--depth", "0", "--source", "sample")
    said = run(*command, "vinne", status=1)
    assert (
        "error: the seed 'Vinne' gave no article: there is no page 'Vinne'; did you mean 'Vine' or 'Vines'?" in said.err
    )
    assert "1 skipped" in said.out and "failed article --skipped" in said.out
    listed = run("--graph", command[1], "failed", "article", "--skipped").out
    assert "1 skipped in article" in listed and "there is no page 'Vinne'" in listed
    assert run("--graph", command[1], "failed", "article").out == "nothing failed\n"
    assert "1 row of article back" in run("--graph", command[1], "requeue", "article", "--all", "--skipped").out
    assert run("--graph", command[1], "failed", "article", "--skipped").out == "nothing was skipped\n"
