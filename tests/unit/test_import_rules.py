"""The rule for pipelines, on graphs of imports made by hand."""

from __future__ import annotations

import pytest
from grimp import ImportGraph

from tests.tools.import_rules import PipelinesStandAlone

MODULES = ("workers", "workers.alpha", "workers.alpha.handler", "workers.alpha.source", "workers.beta",
           "workers.beta.handler", "workers.common", "workers.common.fetch", "workers.cli", "workers.hooks")  # fmt: skip


@pytest.fixture
def contract() -> PipelinesStandAlone:
    options = {"workers": "workers", "shared": ["workers.common"]}
    return PipelinesStandAlone(name="pipelines", session_options={}, contract_options=options)


@pytest.fixture
def graph() -> ImportGraph:
    graph = ImportGraph()
    for module in MODULES:
        graph.add_module(module)
    for pipeline in ("workers.alpha", "workers.beta"):
        graph.add_import(importer=pipeline, imported="workers.hooks")
    return graph


@pytest.mark.parametrize(
    ("importer", "imported", "kept"),
    [
        ("workers.alpha.source", "workers.beta.handler", False),
        ("workers.alpha", "workers.beta", False),
        ("workers.common.fetch", "workers.alpha.source", False),
        ("workers.alpha.handler", "workers.alpha.source", True),
        ("workers.alpha.source", "workers.common.fetch", True),
        ("workers.cli", "workers.alpha", True),
    ],
)
def test_who_may_import_a_pipeline(
    contract: PipelinesStandAlone, graph: ImportGraph, importer: str, imported: str, kept: bool
) -> None:
    graph.add_import(importer=importer, imported=imported)
    check = contract.check(graph, verbose=False)
    assert check.kept is kept
    assert check.metadata["broken"] == ([] if kept else [(importer, imported)])
