"""States set at the console: the word wins, and the numbers follow."""

from __future__ import annotations

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.support.articles import fail_for_good, keys, row, rows, states, take_one
from tests.support.stores import Place

WORDS = ("discovered", "claimed", "loaded", "processed", "failed", "skipped", "excluded")


def set_word(graph: Graph, title: str, word: str) -> None:
    graph.execute(f"MATCH (a:Article {{title: '{title}'}}) SET a.expansion_state = '{word}'")


def ailments(graph: Graph) -> dict[str, str]:
    return {finding.check: finding.detail for finding in graph.doctor() if not finding.ok}


def test_a_failed_row_set_to_discovered_is_claimed_again(graph: Graph) -> None:
    graph.seed("article", ["a"])
    fail_for_good(graph, "a")
    set_word(graph, "a", "discovered")
    assert keys(graph.claims("article", "w").claim(1)) == ["a"]


def test_a_claimed_row_set_to_discovered_goes_to_the_next_worker(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    first = take_one(graph.claims("article", "w1"))
    set_word(graph, "a", "discovered")
    second = take_one(graph.claims("article", "w2"))
    assert (second.key, second.token != first.token) == ("a", True)
    assert row(graph, "a")["claimed_by"] == "w2"


def test_a_row_set_to_claimed_belongs_to_nobody_and_is_taken_back(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    set_word(graph, "a", "claimed")
    assert graph.claims("article", "w").claim(1) == []
    assert graph.reap("article").reclaimed == 1
    assert keys(graph.claims("article", "w").claim(1)) == ["a"]


def test_a_row_set_to_loaded_is_taken_up_from_there(graph: Graph) -> None:
    graph.seed("article", ["a"])
    set_word(graph, "a", "loaded")
    assert take_one(graph.claims("article", "w")).state == "loaded"


@pytest.mark.parametrize("word", ["processed", "failed", "skipped", "excluded"])
def test_a_row_set_to_rest_is_not_claimed(graph: Graph, word: str) -> None:
    graph.seed("article", ["a", "b"])
    set_word(graph, "a", word)
    assert keys(graph.claims("article", "w").claim(5)) == ["b"]


def test_any_word_after_any_other_leaves_words_and_numbers_in_line(graph: Graph) -> None:
    graph.seed("article", [f"{before} {after}" for before in WORDS for after in WORDS])
    for position in (0, 1):
        for word in WORDS:
            ending = f"STARTS WITH '{word} '" if position == 0 else f"ENDS WITH ' {word}'"
            graph.execute(f"MATCH (a:Article) WHERE a.title {ending} SET a.expansion_state = '{word}'")
    assert states(graph) == {f"{before} {after}": after for before in WORDS for after in WORDS}
    assert ailments(graph) == {}
    graph.reap("article")  # what somebody set to claimed is held by nobody
    assert ailments(graph) == {}
    ready = {title for title, state in states(graph).items() if state in ("discovered", "loaded")}
    assert len(ready) == 3 * len(WORDS) and set(keys(graph.claims("article", "w").claim(100))) == ready


def test_a_row_made_by_hand_is_numbered_and_claimed(graph: Graph) -> None:
    graph.seed("article", ["seeded"])
    graph.execute("CREATE (:Article {title: 'by hand'})")
    graph.execute("CREATE (:Article {title: 'deep', expansion_depth: 2, expansion_state: 'discovered'})")
    assert ailments(graph) == {}
    taken = graph.claims("article", "w").claim(5)
    assert [(claim.key, claim.depth) for claim in taken] == [("seeded", 0), ("by hand", 0), ("deep", 2)]
    assert len({claim.seq for claim in taken}) == 3
    graph.claims("article", "w").complete(taken)


def test_the_documents_way_to_make_a_row_works(graph: Graph) -> None:
    graph.execute(
        "CREATE (a:Article {title: 'Vine', expansion_state: 'discovered', expansion_depth: 0,"
        " claimed_at: NULL, processed_at: NULL, retry_count: 0})"
    )
    claims = graph.claims("article", "w")
    claims.complete(take_one(claims))
    assert states(graph) == {"Vine": "processed"}


def test_a_number_that_somebody_removed_is_made_good(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    graph.execute("MATCH (a:Article {title: 'a'}) SET a.lease = NULL, a.due = NULL, a.retry_count = NULL")
    assert ailments(graph) == {}
    claims = graph.claims("article", "w")
    assert keys(claims.claim(5)) == ["a", "b"]


def test_words_set_past_graphvine_are_taken_up_on_opening(graph: Graph, place: Place, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    claim = take_one(graph.claims("article", "w"))
    past_the_store(graph, "MATCH (a:Article {title: 'a'}) SET a.expansion_state = 'discovered'")
    assert "numbers article" in ailments(graph)
    graph.close()
    with place.open(clock) as again:
        assert ailments(again) == {}
        assert keys(again.claims("article", "w").claim(5)) == ["a", "b"]
        assert row(again, "a")["lease"] != claim.token


def test_words_set_past_graphvine_are_taken_up_by_the_reaper(graph: Graph) -> None:
    graph.seed("article", ["a"])
    fail_for_good(graph, "a")
    past_the_store(graph, "MATCH (a:Article {title: 'a'}) SET a.expansion_state = 'discovered'")
    assert graph.reap("article").aligned == 1
    assert keys(graph.claims("article", "w").claim(5)) == ["a"]


def past_the_store(graph: Graph, text: str) -> None:
    """As another program would write it: nothing above the engine knows."""
    graph.engine.execute([text])


def test_a_word_that_is_no_state_is_reported(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    set_word(graph, "a", "dicsovered")
    found = ailments(graph)
    assert set(found) == {"states article"} and "dicsovered" in found["states article"]


def test_a_word_that_is_no_state_does_not_stop_the_others(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b", "c"])
    set_word(graph, "a", "dicsovered")
    before = row(graph, "a")
    claims = graph.claims("article", "w")
    assert keys(claims.claim(5)) == ["b", "c"]
    clock.forward(1_000)
    assert graph.reap("article").reclaimed == 2
    assert row(graph, "a") == before
    set_word(graph, "a", "discovered")
    assert keys(claims.claim(5)) == ["a", "b", "c"]


def test_a_window_full_of_words_that_are_no_states_hides_nothing(short_sighted: Graph) -> None:
    graph = short_sighted
    graph.seed("article", [*"abcdef", "good"])
    graph.execute("MATCH (a:Article) WHERE a.title <> 'good' SET a.expansion_state = 'dicsovered'")
    assert keys(graph.claims("article", "w").claim(1)) == ["good"]
    assert graph.claims("article", "w").claim(1) == []


def test_a_row_with_no_word_at_all_is_reported(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    graph.execute("MATCH (a:Article {title: 'a'}) SET a.expansion_state = NULL")
    assert set(ailments(graph)) == {"states article"}
    assert keys(graph.claims("article", "w").claim(5)) == ["b"]


def test_aligning_twice_changes_nothing(graph: Graph) -> None:
    graph.seed("article", map(str, range(6)))
    for number, word in enumerate(WORDS):
        set_word(graph, str(number), word)
    before = rows(graph)
    assert graph.reap("article", timeout_seconds=1e6).aligned == 0
    assert {title: one for title, one in rows(graph).items() if title != "1"} == {
        title: one for title, one in before.items() if title != "1"
    }
