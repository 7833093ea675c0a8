"""Nearest neighbours: exact while small, nearly so when large, right under deaths and filters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphvine.search import searcher, vector_store
from graphvine.search.index import SearchIndex, Upkeep
from graphvine.search.vector_segment import SegmentView, write_joined
from tests.search.samples import DIMENSION, clustered_vectors, ids, nearest, section, unit_vectors
from tests.support.threads import together
from tests.support.waiting import eventually

ROWS = 900


@pytest.fixture
def vectors() -> NDArray[np.float32]:
    return unit_vectors(ROWS)


def fill(index: SearchIndex, vectors: NDArray[np.float32], step: int = 250) -> None:
    for start in range(0, len(vectors), step):
        part = range(start, min(len(vectors), start + step))
        index.apply([section(n, vector=vectors[n], author=f"a{n % 3}", score=n) for n in part], [], part[-1] + 1)


def agree(index: SearchIndex, vectors: NDArray[np.float32], among: list[int], tries: int = 20) -> None:
    for query in unit_vectors(tries, seed=99):
        assert ids(index.vector(query)) == nearest(vectors, query, 10, among)


def test_small_indexes_are_exact(index: SearchIndex, vectors: NDArray[np.float32]) -> None:
    fill(index, vectors)
    agree(index, vectors, list(range(ROWS)))
    (hit,) = index.vector(2 * vectors[7], limit=1).hits
    assert (hit.id, hit.score) == ("7", pytest.approx(1))


def test_rows_stay_right_across_segments(tmp_path: Path, vectors: NDArray[np.float32]) -> None:
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=100) as index:
        fill(index, vectors)
        agree(index, vectors, list(range(ROWS)))
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=100) as index:
        agree(index, vectors, list(range(ROWS)))
    assert len(list((tmp_path / "vectors").glob("*.vec"))) == 9


def test_graphs_of_neighbours_find_nearly_all(tmp_path: Path) -> None:
    vectors = clustered_vectors(6000, seed=3, dimension=64)
    queries = clustered_vectors(6000, seed=3, dimension=64)[::97] + 0.02
    with SearchIndex(tmp_path, 64, background=False, segment_rows=2000) as index:
        index.apply([section(n, vector=vectors[n]) for n in range(len(vectors))], [], 1)
        assert index.maintain() == Upkeep(compacted=0, built=3)
        assert index.maintain() == Upkeep()
        found = [set(ids(index.vector(query))) for query in queries]
    everything = range(len(vectors))
    wanted = [set(nearest(vectors, query / np.linalg.norm(query), 10, everything)) for query in queries]
    recall = np.mean([len(one & other) / 10 for one, other in zip(found, wanted, strict=True)])
    assert recall >= 0.98
    with SearchIndex(tmp_path, 64, background=False, segment_rows=2000) as index:
        assert [set(ids(index.vector(query))) for query in queries] == found


def test_the_background_builds_by_itself_and_stops_when_closed(tmp_path: Path) -> None:
    vectors = unit_vectors(1000)
    with SearchIndex(tmp_path, DIMENSION, segment_rows=300) as index:
        fill(index, vectors)

        def built() -> None:
            assert len(list((tmp_path / "vectors").glob("*.usearch"))) == 3

        eventually(built)
    with SearchIndex(tmp_path, DIMENSION, segment_rows=300) as index:
        agree(index, vectors, list(range(1000)))


def test_deaths_are_seen_through_the_graphs(tmp_path: Path, vectors: NDArray[np.float32]) -> None:
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=300) as index:
        fill(index, vectors)
        index.maintain()
        gone = set(range(0, ROWS, 3))
        index.apply([], [("section", str(n)) for n in sorted(gone)], ROWS + 1)
        agree(index, vectors, sorted(set(range(ROWS)) - gone))


def test_replaced_vectors_are_found_at_their_new_place(tmp_path: Path, vectors: NDArray[np.float32]) -> None:
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=300) as index:
        fill(index, vectors)
        index.maintain()
        moved = vectors.copy()
        moved[::2] = unit_vectors(ROWS, seed=5)[::2]
        index.apply([section(n, vector=moved[n]) for n in range(0, ROWS, 2)], [], ROWS + 1)
        agree(index, moved, list(range(ROWS)))
        assert index.maintain().compacted > 0
        agree(index, moved, list(range(ROWS)))
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=300) as index:
        agree(index, moved, list(range(ROWS)))
        assert index.maintain().compacted == 0


def test_churn_does_not_grow_the_folder(tmp_path: Path) -> None:
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=100) as index:
        for round in range(30):
            vectors = unit_vectors(50, seed=round)
            index.apply([section(n, vector=vectors[n]) for n in range(50)], [], round)
            index.maintain()
        agree(index, vectors, list(range(50)))
    assert len(list((tmp_path / "vectors").glob("*.vec"))) <= 3


@pytest.mark.parametrize("few", [0, 100, 10_000])
def test_filters_leave_the_nearest_that_match(
    tmp_path: Path, vectors: NDArray[np.float32], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way is taken: many candidates that are filtered, or few matches that are compared."""
    monkeypatch.setattr(searcher, "_FEW_MATCHES", few)
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=300) as index:
        fill(index, vectors)
        index.maintain()
        for query in unit_vectors(10, seed=42):
            mine = [n for n in range(ROWS) if n % 3 == 1]
            assert ids(index.vector(query, filters={"author": "a1"})) == nearest(vectors, query, 10, mine)
            assert ids(index.vector(query, "section", limit=3)) == nearest(vectors, query, 3, range(ROWS))
            assert index.vector(query, "nothing").hits == ()
            some = ["5", "17", "899", "none"]
            assert ids(index.vector(query, filters={"id": some})) == nearest(vectors, query, 10, [5, 17, 899])
            assert len(index.vector(query, filters={"author": ["a0", "a1"]}, limit=700).hits) == 600


def test_threads_search_while_one_applies(tmp_path: Path) -> None:
    """A document is always there once, under its old or its new vector: never neither, never both."""
    before, after = unit_vectors(200, seed=1), unit_vectors(200, seed=2)
    with SearchIndex(tmp_path, DIMENSION, segment_rows=150) as index:
        index.apply([section(n, f"word{n}", vector=before[n]) for n in range(200)], [], 1)

        def write() -> None:
            for n in range(60):
                index.apply([section(n, f"word{n}", vector=after[n])], [], n + 2)

        def read(seed: int) -> None:
            for query in unit_vectors(40, seed=seed):
                found = ids(index.vector(query, limit=300))
                assert len(found) == len(set(found)) == 200
                assert index.count() == 200

        together([write, lambda: read(3), lambda: read(4)])


@pytest.mark.parametrize("vector", [[1.0], [float("nan")] * DIMENSION, "text", [[1.0] * DIMENSION]])
def test_a_bad_query_vector_is_a_clear_error(index: SearchIndex, vector: object) -> None:
    with pytest.raises(searcher.SearchError, match="the query's vector"):
        index.vector(vector)  # type: ignore[arg-type]


def test_segments_of_like_size_are_joined(tmp_path: Path, vectors: NDArray[np.float32]) -> None:
    everything = list(range(ROWS))
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=50) as index:
        fill(index, vectors)
        # Eighteen full ones, without graphs: four times four, these four again, and graphs for what is left.
        assert index.maintain() == Upkeep(compacted=20, built=3)
        assert index.maintain() == Upkeep()
        found = [len(set(ids(index.vector(query))) & set(nearest(vectors, query, 10, everything)))
                 for query in unit_vectors(20, seed=99)]  # fmt: skip
        assert sum(found) >= 190
    assert len(list((tmp_path / "vectors").glob("*.vec"))) == 3
    assert len(list((tmp_path / "vectors").glob("*.usearch"))) == 3
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=50) as index:
        assert index.maintain() == Upkeep()
        assert index.count() == ROWS


def test_what_dies_while_segments_are_joined_is_dead(
    tmp_path: Path, vectors: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch
) -> None:
    with SearchIndex(tmp_path, DIMENSION, background=False, segment_rows=50) as index:
        for start in range(0, 200, 50):
            index.apply([section(n, vector=vectors[n]) for n in range(start, start + 50)], [], start + 1)
            assert index.maintain().built == 1, "each has its graph before the next comes"
            if start < 150:
                assert len(index._vectors.views) == start // 50 + 1
        joined = [view for view in index._vectors.views if view.neighbours is not None]
        assert [view.rows for view in joined] == [200], "the fourth made them one"
    with SearchIndex(tmp_path / "other", DIMENSION, background=False, segment_rows=50) as index:
        index.apply([section(n, vector=vectors[n]) for n in range(200)], [], 1)

        def die_meanwhile(run: Sequence[SegmentView]) -> tuple[Path, Path]:
            written = write_joined(run)
            index.apply([section(3, vector=vectors[250])], [("section", "7")], 2)
            return written

        monkeypatch.setattr(vector_store, "write_joined", die_meanwhile)
        index.maintain()
        living = [n for n in range(200) if n not in (3, 7)]
        for n in (3, 7):
            assert str(n) not in ids(index.vector(vectors[n], limit=1))
        assert ids(index.vector(vectors[250], limit=1)) == ["3"]
        assert sorted(map(int, ids(index.vector(vectors[0], limit=200)))) == sorted([*living, 3])
