"""Items of Hacker News and uploads on Neo4j: what holds on every engine, by the tests that say so, and search."""

from __future__ import annotations

import pytest

from graphvine.graph import Graph
from graphvine.workers.hn.api import HackerNews
from tests.pipelines.hn.conftest import news, server  # noqa: F401  fixtures
from tests.pipelines.hn.test_by_hand import (  # noqa: F401
    test_marked_as_failed_it_is_not_found_and_retried_it_is_again,
)
from tests.pipelines.hn.test_intake import (  # noqa: F401
    test_a_good_copy_brings_a_failed_item_on,
    test_a_list_of_kids_gives_a_parent_to_who_names_none_in_either_order,
    test_a_seeded_id_is_completed_when_its_item_comes,
    test_polls_have_options_in_either_order,
)
from tests.pipelines.hn.test_search import (  # noqa: F401
    SOME,
    test_a_changed_item_is_found_by_what_it_says_now,
    test_orders_and_pages,
    test_what_gets_its_story_late_is_found_under_it,
)
from tests.pipelines.hn.test_search import test_words_filters_and_joins as on_every_engine
from tests.pipelines.hn.test_threads import (  # noqa: F401
    test_a_thread_of_depth_500,
)
from tests.pipelines.uploads.conftest import uploads  # noqa: F401
from tests.pipelines.uploads.test_workflow import (  # noqa: F401
    test_a_pipe_is_kept_as_long_as_it_is_needed,
    test_a_retry_takes_what_failed_and_nothing_else,
    test_a_worker_that_lost_its_claim_writes_nothing,
    test_all_the_way,
    test_complete_failure_leaves_nothing_and_touches_nothing,
    test_files_by_name_are_taken_by_a_worker,
    test_the_same_file_is_recognised,
)


@pytest.fixture
def filled(news: HackerNews) -> HackerNews:  # noqa: F811
    """For each test anew: one server serves them all, and each test begins with an empty graph."""
    news.add(SOME)
    return news


def test_words_filters_and_joins_find_what_they_find_everywhere(filled: HackerNews) -> None:
    (cases,) = (mark.args[1] for mark in on_every_engine.pytestmark)
    assert len(cases) > 20
    for words, options, found in cases:
        on_every_engine(filled, words, options, found)


def test_tags_are_not_found_and_snippets_are_plain(news: HackerNews) -> None:  # noqa: F811
    text = 'see <a href="https:&#x2F;&#x2F;example.org" rel="nofollow">the &quot;manual&quot;</a>'
    news.add([{"id": 5, "type": "story", "title": "Reading"}, {"id": 6, "type": "comment", "parent": 5, "text": text}])
    assert news.search("nofollow").total == 0 and news.search("rel href").total == 0
    assert 'the "manual' in news.search("manual").found[0].snippet


def test_signs_are_signs_and_some_words_are_better_than_none(filled: HackerNews, graph: Graph) -> None:
    for text in ('graph AND (NOT "lisp', "graph* ~[", "/graph/ && theory:^", "graph\\"):
        assert filled.search(text).total, text
    assert filled.search("!? ()").total == 0 and filled.search("   ").total == 7
    relaxed = filled.search("graph unheardof")
    assert relaxed.relaxed and relaxed.total == 5
    assert filled.search("the graph").total == 5, "the very common words are passed over"
    assert filled.search("-graph").total == 2 and not filled.search("-graph").relaxed
    beyond = filled.search("graph", limit=5, offset=50)
    assert (beyond.found, beyond.total) == ([], 5)
    assert filled.search("GRAPHS", limit=1).found[0].snippet
    assert filled.reindex() == 0
    graph.execute("MATCH (a:HNItem {hnId: 1}) SET a.state = 'failed'")
    assert 1 not in {one.item.id for one in filled.search("graph").found}
