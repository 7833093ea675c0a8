"""Wild sequences of changes against a dictionary that says what should be there."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from graphvine.search import BadDocument, Document
from graphvine.search.index import SearchIndex

pytestmark = pytest.mark.long("plays hundreds of operations on an index")

DIMENSION = 4
KINDS = ("a", "b")
NAMES = st.tuples(st.sampled_from(KINDS), st.integers(0, 9).map(str))
WORDS = st.sampled_from(("red", "green", "blue"))
# Whole directions, far enough apart for float32 never to confuse an order.
VECTORS = st.none() | st.lists(st.sampled_from((-1.0, 0.0, 1.0)), min_size=DIMENSION, max_size=DIMENSION)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    kind, id = draw(NAMES)
    return Document(kind, id, draw(st.integers(0, 100)), {"body": draw(WORDS)}, {"author": draw(WORDS)}, draw(VECTORS))


class IndexMachine(RuleBasedStateMachine):
    """The index beside its model: the documents by name, and the stamp."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.model: dict[tuple[str, str], Document] = {}
        self.stamp = 0
        self.open()

    def open(self) -> None:
        self.index = SearchIndex(self.folder / "i", DIMENSION, background=False, segment_rows=4)

    @rule(batch=st.lists(documents(), max_size=6), gone=st.lists(NAMES, max_size=4))
    def apply(self, batch: list[Document], gone: list[tuple[str, str]]) -> None:
        self.stamp += 1
        self.index.apply(batch, gone, self.stamp)
        for name in gone:
            self.model.pop(name, None)
        self.model.update({(one.kind, one.id): one for one in batch})

    @rule(batch=st.lists(documents(), max_size=6), gone=st.lists(NAMES, max_size=4))
    def apply_in_vain(self, batch: list[Document], gone: list[tuple[str, str]]) -> None:
        try:
            self.index.apply([*batch, Document("a", "", 1)], gone, self.stamp + 1)
        except BadDocument:
            return
        raise AssertionError("an empty id was taken")

    @rule()
    def maintain(self) -> None:
        self.index.maintain()

    @rule()
    def open_again(self) -> None:
        self.index.close()
        self.open()

    @precondition(lambda self: len(self.model) > 5)
    @rule()
    def clear(self) -> None:
        self.index.clear()
        self.model.clear()
        self.stamp = 0

    @invariant()
    def the_index_holds_what_the_model_holds(self) -> None:
        assert self.index.stamp == self.stamp
        found = self.index.text("", limit=100).hits
        assert {(hit.kind, hit.id): hit.seq for hit in found} == {name: one.seq for name, one in self.model.items()}
        for word in ("red", "green"):
            by_text = {(hit.kind, hit.id) for hit in self.index.text(word, limit=100).hits}
            assert by_text == {name for name, one in self.model.items() if one.texts["body"] == word}
            by_author = {name for name, one in self.model.items() if one.filters["author"] == word}
            assert self.index.count(filters={"author": word}) == len(by_author)
            self.check_vectors(self.index.vector([1, 0.5, 0.25, 0.125], filters={"author": word}, limit=100), by_author)
        self.check_vectors(self.index.vector([1, 0.5, 0.25, 0.125], limit=100), set(self.model))
        self.check_vectors(
            self.index.vector([1, 0.5, 0.25, 0.125], "a", limit=2), {n for n in self.model if n[0] == "a"}, 2
        )

    def check_vectors(self, found: object, names: set[tuple[str, str]], limit: int = 100) -> None:
        query = np.array([1, 0.5, 0.25, 0.125])
        query = query / np.linalg.norm(query)
        scores = {}
        for name in names:
            vector = self.model[name].vector
            if vector is not None:
                length = float(np.linalg.norm(vector)) or 1.0
                scores[name] = float(np.asarray(vector) @ query) / length
        hits = found.hits  # type: ignore[attr-defined]
        assert all(abs(scores[(hit.kind, hit.id)] - hit.score) < 1e-5 for hit in hits)
        wanted = sorted(scores.values(), reverse=True)[:limit]
        assert np.allclose([hit.score for hit in hits], wanted, atol=1e-5)

    def teardown(self) -> None:
        self.index.close()
        shutil.rmtree(self.folder)


TestIndexMachine = IndexMachine.TestCase
TestIndexMachine.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
