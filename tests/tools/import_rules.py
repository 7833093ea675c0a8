"""The import rule that no stock contract can say without a list of pipelines to keep up to date."""

from __future__ import annotations

from typing import cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class PipelinesStandAlone(Contract):
    """No pipeline (a package that declares PIPELINE) is imported by another one, or by the common parts.

    A pipeline's `ingest` package is what it offers to others: uploads ingest the items of Hacker News.
    """

    type_name = "pipelines"
    workers = fields.StringField()
    shared = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        shared = cast("list[str]", self.shared)  # a field by declaration, its value once the contract is read
        pipelines = {
            package
            for package in graph.find_children(str(self.workers))
            if f"{self.workers}.hooks" in graph.find_modules_directly_imported_by(package)
        }
        broken = [
            (importer, imported)
            for pipeline in sorted(pipelines)
            for imported in sorted({pipeline, *graph.find_descendants(pipeline)})
            if not _inside(imported, f"{pipeline}.ingest")
            for importer in sorted(graph.find_modules_that_directly_import(imported))
            if not _inside(importer, pipeline) and any(_inside(importer, other) for other in (*pipelines, *shared))
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken, "pipelines": len(pipelines)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["broken"]:
            output.print_error(f"{importer} imports {imported}: move what both need to workers/common/.")


def _inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
