"""The roles stay apart: what each file of queries writes is read from its texts, and seen at work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.queries import Block, library, load
from graphvine.queries.proof.facts import facts_of
from graphvine.queries.tokens import tokenise
from graphvine.schema.tables import tables
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import process, update

LOG, INDEX, QUEUE, CHECKPOINT = "NewsAddition", "NewsIndexed", "NewsQueued", "NewsCheckpoint"
# What an updater may run besides its own file: articles are made, with who published them.
STORING = {"news_article.store", "news_article.open_sources", "news_article.publish"}


def written(block: Block) -> set[str]:
    """The labels of all nodes and relationships that a block may make, change or delete."""
    tokens = [token for token in tokenise(block.text, block.file) if token.kind != "comment"]
    facts = facts_of(tokens, block.file)
    deleted = {
        name
        for found in re.findall(r"\bDELETE\s+([\w\s,]+?)(?:\bRETURN\b|$)", block.text)
        for name in re.findall(r"\w+", found)
    }
    variables = (
        {one.variable for one in facts.assigned}
        | {name for name, _ in facts.replaced}
        | {name.lower() for name in deleted}
    )
    labels = {label for label, _ in facts.made} | {
        label for name in variables for label in facts.labels.get(name, {"?"})
    }
    if block.writes:
        labels |= {label.lower() for label in re.findall(r"\b(?:MERGE|CREATE)\s+\([^)]*\)-\[\w*:(\w+)", block.text)}
    return {table for table in tables() if table.lower() in labels} | ({"?"} & labels)


def blocks(entity: str) -> list[Block]:
    return list(library().entities[entity].blocks.values())


@pytest.mark.parametrize("block", blocks("news_updater"), ids=lambda block: block.name)
def test_the_updater_never_writes_queue_or_checkpoint(block: Block) -> None:
    assert written(block) <= {name for name, table in tables().items() if table.entity == "news_updater"}


@pytest.mark.parametrize("block", blocks("news_processor"), ids=lambda block: block.name)
def test_the_processor_never_writes_log_or_index(block: Block) -> None:
    assert written(block) <= {name for name, table in tables().items() if table.entity == "news_processor"}


@pytest.mark.parametrize("block", blocks("news_article"), ids=lambda block: block.name)
def test_moves_of_articles_write_neither(block: Block) -> None:
    own = {name for name, table in tables().items() if table.entity == "news_article"} | {"Failure"}
    assert written(block) <= own


def test_each_key_of_the_document_is_written_by_one_role() -> None:
    writers = {
        label: {block.entity for entity in library().entities for block in blocks(entity) if label in written(block)}
        for label in (LOG, INDEX, QUEUE, CHECKPOINT)
    }
    assert writers == {
        LOG: {"news_updater"},
        INDEX: {"news_updater"},
        QUEUE: {"news_processor"},
        CHECKPOINT: {"news_processor"},
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MATCH (q:NewsQueued) SET q.place = 1", {QUEUE}),
        ("MATCH (n:NewsAddition), (q:NewsQueued) DELETE q, n RETURN 1 AS one", {QUEUE, LOG}),
        ("MERGE (c:NewsCheckpoint {name: 'x'})", {CHECKPOINT}),
        ("CREATE (:NewsAddition {id: 'x'})", {LOG}),
        ("MATCH (a:NewsArticle), (b:NewsArticle) MERGE (a)-[:SAME_STORY]->(b)", {"SAME_STORY"}),
        ("MATCH (n) DELETE n", {"?"}),
        ("MATCH (q:NewsQueued) RETURN q.place AS place", set()),
    ],
)
def test_the_reader_of_texts_sees_what_is_written(tmp_path: Path, text: str, found: set[str]) -> None:
    (tmp_path / "sample.cypher").write_text(f"// A sample.\n\n// name: sample()\n// Does something.\n{text};\n")
    assert written(load(tmp_path).block("sample.sample")) == found


def test_at_work_each_runs_blocks_of_its_own_alone(graph: Graph, site: Site) -> None:
    ran: set[str] = set()
    graph.store.subscribe(lambda event, facts: ran.update(facts["blocks"]) if event == "write" else None)
    site.add(*range(6))
    site.add(6, path="/gone")
    update(graph, site)
    assert {name for name in ran if not name.startswith("news_updater.")} == STORING
    ran.clear()
    for _ in range(3):
        process(graph)
    assert {name.partition(".")[0] for name in ran} == {"news_article", "news_processor"} and not ran & STORING
