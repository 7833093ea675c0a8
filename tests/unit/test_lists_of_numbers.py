"""Lists of numbers come through checkpoints as they were written.

Kuzu 0.11.3 gives new rows the lists of others when one checkpoint folds in both them and a SET of lists on rows that
are there, and it loses single numbers of a FLOAT[] that is appended to. So no list of numbers is stored as one.
"""

from __future__ import annotations

import random
from pathlib import Path

from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.schema.tables import tables
from graphvine.workers.hn.ingest.ingest import take_in
from tests.support.articles import section
from tests.support.stores import Place


def checkpoint(graph: Graph) -> None:
    graph.engine.checkpoint()  # type: ignore[attr-defined]  # embedded engines have it


def kids_of(graph: Graph, ids: range) -> dict[int, list[int]]:
    return {id: graph.read("hn_item.item", hnId=id)[0]["kids"] or [] for id in ids}


def test_items_that_change_and_items_that_are_new_keep_their_kids(tmp_path: Path, engine_name: str) -> None:
    chance = random.Random(5)
    with Place(engine_name, tmp_path).open() as graph:
        wanted: dict[int, list[int]] = {}
        for turn in range(6):
            ids = {*range(turn * 8 + 1, turn * 8 + 9), *chance.sample(sorted(wanted), min(3, len(wanted)))}
            for id in ids:
                wanted[id] = chance.sample(range(1_000, 900_000), chance.randrange(6))
            items = [
                {"id": id, "type": "story", "title": f"{turn}", "by": "a", "time": 1_400_000_000, "kids": wanted[id],
                 "descendants": turn}
                for id in ids
            ]  # fmt: skip
            assert take_in(graph, items, "SINGLE_POST").failed == 0
            checkpoint(graph)
            assert kids_of(graph, range(1, turn * 8 + 9)) == wanted


def test_sections_that_change_and_sections_that_are_new_keep_their_vectors(tmp_path: Path, engine_name: str) -> None:
    chance = random.Random(5)
    with Place(engine_name, tmp_path).open() as graph:
        claims = graph.claims("article", "w")
        wanted: dict[str, list[float]] = {}

        def rows(ids: list[str], claim: int) -> list[dict[str, object]]:
            wanted.update({id: [chance.uniform(-1, 1) for _ in range(16)] for id in ids})
            return [section(claim, id, wanted[id], text=id) for id in ids]

        for turn in range(6):
            graph.seed("article", [f"article {turn}"])
            (claim,) = claims.claim(1)
            if wanted:
                old = chance.sample(sorted(wanted), min(2, len(wanted)))
                graph.run(Unit.of([Step("article.replace_sections", {"rows": rows(old, 0)})]))
            new = rows([f"{turn}-{number}" for number in range(1 + turn % 2 * 40)], claim.seq)
            added = {"rows": new, "lo": claim.seq, "hi": claim.seq}
            claims.complete(claim, [Step("article.add_sections", added)])
            checkpoint(graph)
            found = {row["id"]: row["embedding"] for row in graph.read("article.sections_after", after=0, limit=1_000)}
            assert found.keys() == wanted.keys()
            assert all(abs(a - b) < 1e-6 for id in wanted for a, b in zip(found[id], wanted[id], strict=True))


def test_no_table_has_a_list_of_numbers_that_is_still_written() -> None:
    lists = {
        f"{table.name}.{name}"
        for table in tables().values()
        for name, kind in table.columns.items()
        if kind.endswith("]") and not kind.startswith("STRING")
    }
    assert lists == {
        "HNItem.old_kids",
        "HNItem.old_parts",
        "Section.old_embedding",
        "Section.old_other_embedding",
        "NewsArticle.old_embedding",
        "TextVector.old_embedding",
        "TextVector.old_other_embedding",
    }


def test_lists_of_an_older_graph_are_read_until_they_change(tmp_path: Path, engine_name: str) -> None:
    item = {"id": 1, "type": "story", "title": "a", "by": "a", "time": 1_400_000_000}
    with Place(engine_name, tmp_path).open() as graph:
        take_in(graph, [item, item | {"id": 2}], "SINGLE_POST")
        graph.execute("MATCH (a:HNItem) SET a.kids = NULL, a.old_kids = [7, 6]")  # as the migration leaves it
        assert kids_of(graph, range(1, 3)) == {1: [7, 6], 2: [7, 6]}
        take_in(graph, [item | {"kids": [8], "descendants": 1}], "SINGLE_POST")
        assert kids_of(graph, range(1, 3)) == {1: [8], 2: [7, 6]}
