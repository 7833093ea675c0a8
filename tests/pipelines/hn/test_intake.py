"""Items on their way in: one node each, whatever the order, the source and the shape in which they come."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.errors import UnitFailed
from graphvine.graph import Graph
from graphvine.records import Step
from graphvine.workers.hn.ingest.ingest import Taken, intake, take_in
from tests.pipelines.hn.looking import edges, row, states, whole
from tests.pipelines.hn.making import DELIVERED, make, shuffled
from tests.support.stores import Place

STORY = {"id": 1, "type": "story", "title": "Hello", "by": "pg", "time": 1_400_000_000, "score": 5}
COMMENT = {"id": 2, "type": "comment", "parent": 1, "text": "hi", "by": "sama", "time": 1_400_000_001}


def test_an_item_is_completed_with_what_the_document_asks_for(graph: Graph) -> None:
    assert take_in(graph, [STORY, COMMENT], "SINGLE_POST") == Taken(new=2)
    item = row(graph, 2)
    assert item["state"] == "completed" and item["sourceType"] == "SINGLE_POST"
    assert item["ingestedAt"] is not None and item["lastUpdated"] is not None
    assert (item["parent"], item["story"], item["claimed_by"], item["lease"]) == (1, 1, None, 0)
    assert edges(graph) == [(1, 2)]


def test_no_source_is_unknown(graph: Graph) -> None:
    take_in(graph, [STORY], "")
    assert row(graph, 1)["sourceType"] == "UNKNOWN"


def test_a_refused_item_is_failed_with_reason_and_failure_node(graph: Graph) -> None:
    assert take_in(graph, [STORY | {"type": "x"}], "SINGLE_POST") == Taken(failed=1)
    (failed,) = graph.failed("hn_item")
    reason = "type: 'x' is none of story, comment, job, poll, pollopt"
    assert (failed.key, failed.reason, failed.retry_count) == ("1", reason, 1)
    assert [failure.message for failure in failed.failures] == [reason]
    assert row(graph, 1)["failedIn"] == "ingested"


def test_a_comment_without_a_parent_fails_where_its_place_is_looked_for(graph: Graph) -> None:
    take_in(graph, [{"id": 9, "type": "comment"}], "SINGLE_POST")
    assert (row(graph, 9)["failedIn"], row(graph, 9)["last_error"]) == ("deduplicated", "parent: a comment needs one")


def test_what_has_no_id_becomes_an_error_of_its_own_once(graph: Graph) -> None:
    for _ in range(2):
        assert take_in(graph, [{"type": "story"}, "text", {"id": -1}], "SINGLE_POST") == Taken(rejected=3)
    found = {row["message"] for row in graph.read("hn_item.rejected", limit=10)}
    assert found == {
        "id: there is none",
        "an item is an object with fields, not str",
        f"id: -1 is not between 1 and {2**53 - 1}",
    }
    assert states(graph) == {}


def test_the_same_again_changes_nothing_but_the_time_of_the_copy(graph: Graph) -> None:
    take_in(graph, [STORY], "SINGLE_POST", handed_over_at=DELIVERED)
    before = row(graph, 1)
    assert take_in(graph, [STORY], "FIREBASE_API", handed_over_at=DELIVERED + 5) == Taken(unchanged=1)
    assert row(graph, 1) == before | {"fetchedAt": DELIVERED + 5}
    assert take_in(graph, [STORY], "FIREBASE_API", handed_over_at=DELIVERED) == Taken(skipped=1)


def test_a_newer_copy_wins_as_a_whole_and_the_state_stays(graph: Graph) -> None:
    take_in(graph, [STORY], "SINGLE_POST", handed_over_at=DELIVERED)
    newer = {"id": 1, "type": "story", "deleted": True, "time": 1_400_000_000}
    assert take_in(graph, [newer], "FIREBASE_API", handed_over_at=DELIVERED + 1) == Taken(updated=1)
    item = row(graph, 1)
    assert (item["title"], item["by"], item["deleted"], item["state"]) == (None, None, True, "completed")


def test_an_older_copy_changes_nothing_and_is_counted(graph: Graph) -> None:
    take_in(graph, [STORY], "SINGLE_POST", handed_over_at=DELIVERED)
    before = row(graph, 1)
    old = STORY | {"title": "Old"}
    assert take_in(graph, [old], "BULK_UPLOAD", handed_over_at=DELIVERED - 1) == Taken(skipped=1)
    assert row(graph, 1) == before


def test_an_item_s_own_time_goes_before_the_delivery_s(graph: Graph) -> None:
    take_in(graph, [STORY | {"title": "Mine", "fetchedAt": DELIVERED + 9}], "SINGLE_POST", handed_over_at=DELIVERED)
    assert take_in(graph, [STORY], "SINGLE_POST", handed_over_at=DELIVERED + 5) == Taken(skipped=1)
    assert row(graph, 1)["title"] == "Mine"


def test_of_copies_of_one_time_the_one_with_more_below_it_wins(graph: Graph) -> None:
    copies = [STORY | {"descendants": 3}, STORY | {"descendants": 7, "score": 1}, STORY]
    assert take_in(graph, copies, "BULK_UPLOAD") == Taken(new=1, skipped=2)
    assert row(graph, 1)["descendants"] == 7


def test_a_refused_copy_never_replaces_an_accepted_one(graph: Graph, clock: ManualClock) -> None:
    take_in(graph, [STORY], "SINGLE_POST")
    clock.forward(5)
    assert take_in(graph, [STORY | {"type": "x"}], "SINGLE_POST") == Taken(failed=1)
    assert (row(graph, 1)["state"], row(graph, 1)["score"]) == ("completed", 5)
    assert graph.read("hn_item.failures", key="1")[0]["message"].startswith("type: 'x' is none of")


def test_a_good_copy_brings_a_failed_item_on(graph: Graph) -> None:
    take_in(graph, [STORY | {"type": "x"}], "SINGLE_POST")
    assert take_in(graph, [STORY], "SINGLE_POST", handed_over_at=DELIVERED - 9_000) == Taken(revived=1)
    item = row(graph, 1)
    assert (item["state"], item["last_error"], item["raw"], item["score"]) == ("completed", None, None, 5)


def test_what_is_optional_and_wrong_is_kept_beside_the_item(graph: Graph) -> None:
    odd = STORY | {"descendants": -1, "url": "not an address", "score": "many"}
    assert take_in(graph, [odd], "SINGLE_POST") == Taken(new=1)
    item = row(graph, 1)
    assert (item["title"], item["descendants"], item["url"], item["score"]) == ("Hello", None, None, None)
    assert json.loads(item["extra"]) == {
        "descendants": -1, "url": "not an address", "score": "many", "_notes": {
            "descendants": "-1 is negative", "url": "'not an address' is not a well-formed address",
            "score": "'many' is not a whole number",
        },
    }  # fmt: skip


def test_a_title_is_kept_as_it_is(graph: Graph) -> None:
    take_in(graph, [STORY | {"title": "AT&T <3 C++ & <script>alert(1)</script>"}], "SINGLE_POST")
    found = graph.query("MATCH (a:HNItem) WHERE a.title CONTAINS 'AT&T' RETURN a.title").rows
    assert found == [["AT&T <3 C++ & <script>alert(1)</script>"]]
    assert graph.hn.search("AT&T").found[0].item.title == "AT&T <3 C++ & <script>alert(1)</script>"


def test_an_orphan_is_linked_when_its_parent_comes(graph: Graph) -> None:
    take_in(graph, [COMMENT, COMMENT | {"id": 3, "parent": 2}], "SINGLE_POST")
    assert (row(graph, 2)["story"], row(graph, 3)["story"], edges(graph)) == (0, 0, [(2, 3)])
    take_in(graph, [STORY], "SINGLE_POST")
    assert (row(graph, 2)["story"], row(graph, 3)["story"], edges(graph)) == (1, 1, [(1, 2), (2, 3)])


def test_what_could_not_be_written_is_not_waited_for(graph: Graph) -> None:
    # It passes every check before the transaction begins, and fails inside it.
    failing = Step("hn_item.mark_failed", {"rows": [{"hnId": "none"}], "first_id": 1, "at": None, "never": "never"})
    with pytest.raises(UnitFailed):
        intake(graph).take([COMMENT], "SINGLE_POST", steps=[failing])
    assert take_in(graph, [STORY], "SINGLE_POST") == Taken(new=1)
    assert (states(graph), edges(graph)) == ({1: "completed"}, [])
    assert take_in(graph, [COMMENT], "SINGLE_POST") == Taken(new=1)
    assert (row(graph, 2)["story"], edges(graph)) == (1, [(1, 2)])


def test_a_list_of_kids_gives_a_parent_to_who_names_none_in_either_order(graph: Graph) -> None:
    bare = {"id": 5, "type": "comment", "text": "whose am I?"}
    assert take_in(graph, [bare], "SINGLE_POST") == Taken(failed=1)
    assert take_in(graph, [STORY | {"kids": [5, 6]}], "SINGLE_POST") == Taken(new=1, revived=1)
    assert take_in(graph, [bare | {"id": 6}], "SINGLE_POST") == Taken(new=1)
    assert edges(graph) == [(1, 5), (1, 6)] and set(states(graph).values()) == {"completed"}


def test_what_an_item_says_itself_goes_before_a_list_of_kids(graph: Graph) -> None:
    take_in(graph, [STORY | {"kids": [5]}, COMMENT, COMMENT | {"id": 5, "parent": 2}], "SINGLE_POST")
    assert edges(graph) == [(1, 2), (2, 5)]


def test_polls_have_options_in_either_order(graph: Graph) -> None:
    poll = {"id": 10, "type": "poll", "title": "Which?", "parts": [12, 11]}
    take_in(graph, [{"id": 11, "type": "pollopt", "poll": 10, "text": "this"}], "SINGLE_POST")
    take_in(graph, [poll], "SINGLE_POST")
    take_in(graph, [{"id": 12, "type": "pollopt", "poll": 10, "text": "that"}], "SINGLE_POST")
    assert edges(graph, "OPTION_OF") == [(11, 10), (12, 10)] and edges(graph) == []
    assert (row(graph, 11)["story"], row(graph, 12)["story"]) == (10, 10)


def test_a_newer_copy_may_name_another_parent(graph: Graph) -> None:
    take_in(graph, [STORY, COMMENT, COMMENT | {"id": 5, "parent": 2}], "SINGLE_POST", handed_over_at=DELIVERED)
    take_in(graph, [COMMENT | {"id": 5, "parent": 1}], "SINGLE_POST", handed_over_at=DELIVERED + 1)
    assert edges(graph) == [(1, 2), (1, 5)]


def test_what_waits_is_known_after_opening_again(place: Place) -> None:
    with place.open() as graph:
        take_in(graph, [COMMENT, COMMENT | {"id": 3, "parent": 2}], "SINGLE_POST")
    with place.open() as graph:
        take_in(graph, [STORY], "SINGLE_POST")
        assert edges(graph) == [(1, 2), (2, 3)] and row(graph, 3)["story"] == 1


def test_a_seeded_id_is_completed_when_its_item_comes(graph: Graph) -> None:
    graph.seed("hn_item", ["1", "2"])
    assert take_in(graph, [STORY, COMMENT], "BULK_UPLOAD") == Taken(revived=2)
    assert edges(graph) == [(1, 2)] and graph.claims("hn_item", "w").claim(5) == []


@pytest.mark.long("takes thousands of items in, three times over")
def test_every_shuffle_ends_in_the_same_graph(template: Place, tmp_path: Any, full: bool) -> None:
    made = make(200_000 if full else 1_500, deep=500)
    seen = []
    for number, batch in enumerate((20_000, 20_000, 20_000) if full else (700, 300, 2_000)):
        with template.copy_to(tmp_path / str(number)).open(buffer_pool_mb=512) as graph:
            items = shuffled(made, number) if number else made.items
            taken = take_in(graph, items, "BULK_UPLOAD", handed_over_at=DELIVERED, batch=batch)
            assert taken.total >= len(items) and taken.rejected == made.nameless
            seen.append(whole(graph))
            assert not [finding for finding in graph.doctor() if not finding.ok]
    rows, tree, options = seen[0]
    assert {id for id, found in rows.items() if found[1] == "completed"} == set(made.completed)
    assert {id: found[-1].partition(":")[0] for id, found in rows.items() if found[1] == "failed"} == made.failed
    assert set(tree) == made.tree() and len(tree) == len(set(tree))
    assert dict(options) == made.option_of
    for id, item in made.completed.items():
        assert (rows[id][9], rows[id][3]) == (item.get("score"), item.get("by"))
    assert {id: found[21] for id, found in rows.items() if found[1] == "completed"} == stories(made)
    for other in seen[1:]:
        assert other == seen[0]


def stories(made: Any) -> dict[int, int]:
    """The item at the top of each, found by walking up what was made; 0 where something is missing."""
    found: dict[int, int] = {}
    for id in sorted(made.completed):
        above = made.parent.get(id) or made.option_of.get(id)
        found[id] = id if above is None else found.get(above, 0)
    return found
