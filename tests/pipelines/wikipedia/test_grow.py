"""The sample wiki, from its seed to a graph."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterator

import numpy as np
import pytest

import graphvine
from graphvine.clock import SystemClock
from graphvine.graph import Graph
from graphvine.settings import Settings
from graphvine.workers.counts import Counts
from graphvine.workers.wikipedia.boilerplate import is_boilerplate
from graphvine.workers.wikipedia.dump import SampleSource
from graphvine.workers.wikipedia.grow import GrowEvent
from graphvine.workers.wikipedia.models import OtherModel
from graphvine.workers.wikipedia.parse_page import parse_page
from graphvine.workers.wikipedia.parsed import ParsedPage
from graphvine.workers.wikipedia.passages import passages
from graphvine.workers.wikipedia.settings import WikipediaSettings
from graphvine.workers.wikipedia.sources import Page
from tests.support.grown import column, content, edges, size, vectors
from tests.support.stores import QUICK

PLAIN = WikipediaSettings(source="sample", embedder="none")


@pytest.fixture(scope="module")
def wiki() -> dict[str, ParsedPage]:
    """Every page of the sample, as the parser reads it."""
    source, found = SampleSource(), {}
    for page in source.fetch(source.titles()):
        assert isinstance(page, Page)
        read = parse_page(page, source.rules())
        assert isinstance(read, ParsedPage)
        found[page.title] = read
    source.close()
    return found


@pytest.fixture(scope="module")
def grown(own_cache: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """The whole sample with real vectors; the tests that use it only look."""
    place = tmp_path_factory.mktemp("grown") / "graph.db"
    with graphvine.open(place, settings=Settings(**QUICK)) as graph:
        graph.grow(["Vine"], source="sample", depth=9)
        yield graph


def reached(wiki: dict[str, ParsedPage], seed: str = "Vine", deepest: int = 99) -> dict[str, int]:
    """Breadth first from the seed: a link is one step, a redirect none; links of failed pages are not known."""
    depths, queue = {seed: 0}, deque([seed])
    while queue:
        title = queue.popleft()
        page, depth = wiki[title], depths[title]
        if page.disambiguation or depth > deepest:
            continue
        ahead = [page.redirect_to.title] if page.redirect_to else list(page.links)
        for other in ahead:
            step = depth if page.redirect_to else depth + 1
            if other != title and step < depths.get(other, 99):
                depths[other] = step
                (queue.appendleft if page.redirect_to else queue.append)(other)
    return depths


def test_every_page_ends_in_its_state_and_kind(grown: Graph, wiki: dict[str, ParsedPage]) -> None:
    states, kinds = column(grown, "expansion_state"), column(grown, "kind")
    assert set(states) == set(reached(wiki))
    for title, state in states.items():
        page = wiki[title]
        wanted = "redirect" if page.redirect_to else "article"
        assert (state, kinds[title]) == (("skipped", None) if page.disambiguation else ("processed", wanted)), title
    assert set(column(grown, "revision").values()) - {None} <= {page.revision_id for page in wiki.values()}
    skipped = {row.key: row for row in grown.failed("article", skipped=True)}
    assert skipped["Creeper"].reason == "'Creeper' is a disambiguation page"
    assert grown.failed("article") == [] and skipped["Creeper"].failures == []


def test_depths_are_those_of_a_search_breadth_first(grown: Graph, wiki: dict[str, ParsedPage]) -> None:
    assert column(grown, "expansion_depth") == reached(wiki)


def test_links_categories_and_redirects_are_edges_each_once(grown: Graph, wiki: dict[str, ParsedPage]) -> None:
    there = {title: wiki[title] for title, state in column(grown, "expansion_state").items() if state == "processed"}
    articles = {title: page for title, page in there.items() if not page.redirect_to}
    links = Counter((title, link) for title, page in articles.items() for link in page.links if link != title)
    assert edges(grown, "LINKS_TO") == links
    wanted = {(title, name.removeprefix("Category:")) for title, page in articles.items() for name in page.categories}
    assert edges(grown, "IN_CATEGORY") == Counter(wanted)
    hops = [(title, page.redirect_to) for title, page in there.items() if page.redirect_to]
    assert edges(grown, "REDIRECTS_TO") == Counter((title, hop.title, hop.fragment) for title, hop in hops)
    assert size(grown)["LINKS_TO"] == links.total()


def test_sections_hold_the_text_in_passages_with_vectors(grown: Graph, wiki: dict[str, ParsedPage]) -> None:
    wanted = Counter(
        (title, f"{title}#{section.position}.{part}")
        for title, page in wiki.items() if not page.redirect_to and not page.disambiguation
        for section in page.sections for part, _ in enumerate(passages(section.text))
    )  # fmt: skip
    assert edges(grown, "HAS_SECTION") == Counter(
        {key: count for key, count in wanted.items() if key[0] in column(grown, "expansion_state")}
    )
    found = vectors(grown)
    assert len(found) == edges(grown, "HAS_SECTION").total()
    paths = dict(grown.query("MATCH (s:Section) RETURN s.id, s.path").rows)
    plain = {key for key, vector in found.items() if not vector}
    assert plain == {key for key, path in paths.items() if is_boilerplate(path.split(" / "))}
    embedded = [vector for vector in found.values() if vector]
    assert np.allclose(np.linalg.norm(np.array(embedded), axis=1), 1, atol=1e-3)
    rows = grown.query("MATCH (s:Section {article: 'Vine'}) RETURN s.path, s.level ORDER BY s.position").rows
    assert ["Ways of climbing / Tendrils", 3] in rows


def test_a_redirect_hands_its_depth_on(growing: Graph) -> None:
    growing.grow(["climber"], settings=PLAIN, depth=0)
    depths, states = column(growing, "expansion_depth"), column(growing, "expansion_state")
    for title in ("Climber", "Climbing plant", "Vine"):
        assert (depths[title], states[title]) == (0, "processed"), title
    assert edges(growing, "REDIRECTS_TO") == Counter(
        {("Climber", "Climbing plant", ""): 1, ("Climbing plant", "Vine", ""): 1}
    )
    assert set(states.values()) == {"processed", "discovered"}


def test_depth_limits_what_is_worked_on_not_what_is_recorded(growing: Graph, wiki: dict[str, ParsedPage]) -> None:
    growing.grow(["Vine"], settings=PLAIN, depth=1)
    wanted = reached(wiki, deepest=1)
    assert column(growing, "expansion_depth") == wanted
    waiting = {title for title, state in column(growing, "expansion_state").items() if state == "discovered"}
    assert waiting == {title for title, depth in wanted.items() if depth == 2}
    assert waiting


def test_limit_counts_articles_and_the_next_run_goes_on(growing: Graph, wiki: dict[str, ParsedPage]) -> None:
    first = growing.grow(["Vine"], settings=PLAIN, depth=9, limit=7)
    assert (first.seeds, first.counts.claimed, first.counts.done + first.counts.failed) == (1, 7, 7)
    second = growing.grow([], settings=PLAIN, depth=9)
    assert second.counts.claimed == len(reached(wiki)) - 7
    assert column(growing, "expansion_depth") == reached(wiki)
    assert growing.grow(["Vine"], settings=PLAIN, depth=9).counts == Counts()


def test_a_limit_that_is_used_up_does_not_wait_for_what_backs_off(growing: Graph) -> None:
    growing.seed("article", ["Vine", "Ivy"])
    claims = growing.claims("article")
    claims.fail(claims.claim(1)[0], "busy", retry_after_seconds=3600)
    assert growing.grow([], settings=PLAIN, depth=0, limit=1, workers=1).counts.done == 1


def test_what_backs_off_deeper_than_asked_is_not_waited_for(growing: Graph) -> None:
    growing.grow(["Vine"], settings=PLAIN, depth=0)
    claims = growing.claims("article")
    claims.fail(claims.claim(1)[0], "busy", retry_after_seconds=3600)
    assert growing.grow(["Ivy"], settings=PLAIN, depth=0).counts.done == 1


def test_one_worker_and_many_give_the_same_graph(
    growing: Graph, own_cache: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    small = WikipediaSettings(source="sample", embedder="none", batch_size=5)
    growing.grow(["Vine"], settings=small, workers=4, depth=9)
    with graphvine.open(tmp_path_factory.mktemp("one") / "graph.db", settings=Settings(**QUICK)) as other:
        other.grow(["Vine"], settings=small, workers=1, depth=9)
        assert content(other) == content(growing)


def test_disambiguation_pages_fail_where_the_setting_says_so(growing: Graph) -> None:
    settings = WikipediaSettings(source="sample", embedder="none", disambiguation="fail")
    summary = growing.grow(["Creeper"], settings=settings, depth=0)
    assert column(growing, "expansion_state") == {"Creeper": "failed"}
    assert summary.counts.failed == 1 and [seed.title for seed in summary.failed_seeds] == ["Creeper"]


def test_disambiguation_pages_are_kept_where_the_setting_says_so(growing: Graph) -> None:
    growing.grow(
        ["Creeper"], settings=WikipediaSettings(source="sample", embedder="none", disambiguation="keep"), depth=0
    )
    assert column(growing, "kind")["Creeper"] == "disambiguation"
    assert column(growing, "expansion_state")["Creeper"] == "processed"
    assert ("Creeper", "Virginia creeper") in edges(growing, "LINKS_TO")


def test_a_category_filter_follows_only_articles_of_such_a_category(
    growing: Graph, wiki: dict[str, ParsedPage]
) -> None:
    growing.grow(["Vine"], settings=PLAIN, depth=9, category_filter="vines")
    sources = {source for source, _ in edges(growing, "LINKS_TO")}
    assert sources
    assert all(any("vines" in name.casefold() for name in wiki[title].categories) for title in sources)
    states = column(growing, "expansion_state")
    assert "discovered" not in states.values(), "those that were found are worked on, they lead no further"
    assert len(states) < len(reached(wiki))


def test_a_stop_gives_everything_back_and_the_same_call_goes_on(growing: Graph, wiki: dict[str, ParsedPage]) -> None:
    stop = threading.Event()
    small = WikipediaSettings(source="sample", embedder="none", batch_size=4)

    def enough(event: GrowEvent) -> None:
        if event.total.done >= 12:
            stop.set()

    summary = growing.grow(["Vine"], settings=small, depth=9, on_event=enough, stop=stop)
    assert summary.stopped
    states = column(growing, "expansion_state")
    assert set(states.values()) <= {"processed", "discovered", "failed"}
    assert 12 <= list(states.values()).count("processed") < 40
    assert not any(column(growing, "retry_count")[title] for title, state in states.items() if state == "discovered")
    growing.grow(["Vine"], settings=small, depth=9)
    assert column(growing, "expansion_depth") == reached(wiki)


def test_events_come_as_an_iterator_too(growing: Graph) -> None:
    events = list(growing.grow_events(["Vine"], settings=PLAIN, depth=1))
    assert [events[0].name, events[-1].name] == ["started", "finished"]
    batches = [event for event in events if event.name == "batch"]
    assert sum((event.counts for event in batches), Counts()) == events[-1].total
    assert events[-1].total.done > 10


def test_leaving_the_iterator_stops_the_work(growing: Graph) -> None:
    small = WikipediaSettings(source="sample", embedder="none", batch_size=2)
    for event in growing.grow_events(["Vine"], settings=small, depth=9):
        if event.name == "batch":
            break
    states = list(column(growing, "expansion_state").values())
    assert "claimed" not in states and "discovered" in states


def test_an_error_of_the_work_is_raised_where_events_are_read(growing: Graph) -> None:
    with pytest.raises(graphvine.GraphvineError, match="can.t be a seed"):
        list(growing.grow_events(["a|b"], settings=PLAIN))


def test_a_shorter_way_that_is_found_late_is_passed_on(growing: Graph, wiki: dict[str, ParsedPage]) -> None:
    growing.grow(["Vine"], settings=PLAIN, depth=1)
    far = max(column(growing, "expansion_depth").items(), key=lambda item: (item[1], item[0]))[0]
    growing.grow([far], settings=PLAIN, depth=9)
    both = {title: min(depth, reached(wiki, far).get(title, 99)) for title, depth in reached(wiki).items()}
    assert column(growing, "expansion_depth") == both


def test_without_an_embedder_there_are_no_vectors_and_no_model(growing: Graph) -> None:
    growing.grow(["Vine"], settings=PLAIN, depth=0)
    assert set(map(str, vectors(growing).values())) <= {"None", "[]"}
    assert growing.read("article.models") == []


def test_vectors_of_another_model_are_refused(growing: Graph) -> None:
    growing.execute("CREATE (:EmbeddingModel {name: 'another-model', dimension: 768, generation: 0, role: 'current'})")
    with pytest.raises(OtherModel, match=r"another-model \(768 numbers\).*graphvine model switch"):
        growing.grow(["Vine"], source="sample", depth=0)
    assert growing.status()[0].total == 0, "nothing was seeded"


def test_an_error_in_the_seeds_leaves_the_graph_as_it_was(growing: Graph) -> None:
    with pytest.raises(graphvine.GraphvineError, match="can.t be a seed"):
        growing.grow(["Vine", "a|b"], settings=PLAIN)
    assert growing.status()[0].total == 0


def test_titles_are_taken_as_people_write_them(growing: Graph) -> None:
    assert growing.grow([" vine ", "Vine", "vine#Uses", "climbing_rose"], settings=PLAIN, depth=0).seeds == 2
    assert {"Vine", "Climbing rose"} <= set(column(growing, "expansion_state"))


def test_a_graph_with_a_backing_off_row_is_waited_for(growing: Graph) -> None:
    growing.seed("article", ["Vine"])
    claims = growing.claims("article")
    claims.fail(claims.claim(1)[0], "busy", retry_after_seconds=0.3)
    assert growing.grow([], settings=PLAIN, depth=0).counts.done == 1
    assert isinstance(growing.clock, SystemClock)
