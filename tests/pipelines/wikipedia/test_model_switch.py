"""A graph moves to another model while it is in use."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphvine.dispatch import dispatch
from graphvine.graph import Graph
from graphvine.workers.requests import WorkRequest
from graphvine.workers.search.vector_queue import fill_queue
from graphvine.workers.wikipedia.model_switch import SwitchEvent
from graphvine.workers.wikipedia.models import current_model, embedded_text, models
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.common.embedding.small_models import write_small_model
from tests.support.grown import vectors


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for seed, name in enumerate(("first", "second", "third")):
        write_small_model(folder / name, seed=seed)
    return folder


@pytest.fixture
def grown(growing: Graph, folder: Path) -> Graph:
    growing.grow(["Vine"], settings=WikipediaSettings(source="sample", model=str(folder / "first")), depth=1)
    return growing


def embedded_by(folder: Path, name: str, graph: Graph) -> dict[str, Any]:
    """What the model itself makes of each section that has a vector."""
    from graphvine.workers.common.embedding import open_embedder

    rows = graph.query(
        "MATCH (s:Section) WHERE s.embedding_state = 'embedded' RETURN s.id, s.article, s.path, s.text"
    ).rows
    embedder = open_embedder("light", folder / name)
    try:
        made = embedder.embed([embedded_text(article, path, text) for _, article, path, text in rows])
    finally:
        embedder.close()
    return {row[0]: vector for row, vector in zip(rows, made, strict=True)}


def all_by(folder: Path, name: str, graph: Graph) -> bool:
    found, wanted = vectors(graph), embedded_by(folder, name, graph)
    return len(wanted) > 30 and all(np.allclose(found[key], vector, atol=1e-3) for key, vector in wanted.items())


def test_every_section_gets_its_new_vector_and_search_follows(grown: Graph, folder: Path) -> None:
    assert all_by(folder, "first", grown)
    before = [hit.article for hit in grown.search("tendrils", mode="vector")]
    for name in ("second", "third", "first"):
        summary = grown.switch_model(str(folder / name))
        assert summary.switched and not summary.failed and all_by(folder, name, grown)
        model = current_model(grown)
        assert model is not None and model.location == str(folder / name)
        assert [one.role for one in models(grown)].count("current") == 1
        found = [hit.article for hit in grown.search("tendrils", mode="vector")]
        assert [finding for finding in grown.doctor() if not finding.ok] == []
    assert found == before, "the first model again finds what it found"


def test_search_answers_from_the_old_until_the_new_is_whole(grown: Graph, folder: Path) -> None:
    before = [hit.article for hit in grown.search("tendrils", mode="vector")]
    old, stop, seen = current_model(grown), threading.Event(), list[SwitchEvent]()

    def first_batch(event: SwitchEvent) -> None:
        seen.append(event)
        stop.set()

    summary = grown.switch_model(str(folder / "second"), on_event=first_batch, stop=stop)
    assert not summary.switched and seen and current_model(grown) == old
    assert [hit.article for hit in grown.search("tendrils", mode="vector")] == before
    # What is grown meanwhile waits for the new model, and the same call goes on.
    grown.grow([], depth=2)
    assert current_model(grown) == old
    assert grown.switch_model(str(folder / "second")).switched
    assert all_by(folder, "second", grown)


def test_another_model_in_the_middle_takes_the_place_of_the_next(grown: Graph, folder: Path) -> None:
    stop = threading.Event()
    grown.switch_model(str(folder / "second"), on_event=lambda event: stop.set(), stop=stop)
    assert grown.switch_model(str(folder / "third")).switched
    assert all_by(folder, "third", grown)
    assert {model.role for model in models(grown)} == {"current", "former"}


def test_a_graph_without_vectors_gets_them(growing: Graph, folder: Path) -> None:
    growing.grow(["Vine"], source="sample", depth=1, embed="never")
    assert growing.switch_model(str(folder / "second")).switched
    assert all_by(folder, "second", growing)
    assert growing.search("tendrils", mode="vector")
    growing.grow([], depth=2)  # never, as before
    assert growing.switch_model(str(folder / "second")).embedded > 0
    assert all_by(folder, "second", growing)


def test_items_news_and_pages_move_with_the_sections(grown: Graph, folder: Path) -> None:
    text = "Goats eat kudzu, and do so every day."
    grown.hn.add({"id": 1, "type": "story", "title": "Kudzu", "by": "pg", "text": text})
    fill_queue(grown, ["hn"])
    dispatch(grown, WorkRequest(pipeline="vector", until_empty=True))
    for name in ("second", "third"):
        assert grown.switch_model(str(folder / name)).switched
        model = current_model(grown)
        assert model is not None and grown.query("MATCH (v:TextVector) RETURN v.state, v.generation").rows == [
            ["embedded", model.generation]
        ]
        (hit, *_) = grown.search(f"Kudzu\n{text}", mode="vector")
        assert (hit.kind, hit.key) == ("hn", "1") and hit.score > 0.99
        assert [finding for finding in grown.doctor() if not finding.ok] == []
