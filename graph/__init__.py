"""Graphvine grows a knowledge graph from seeds and never loses its place.

    import graphvine

    with graphvine.open("wiki.kuzu") as graph:
        graph.seed("article", ["Vine"])
        print(graph.status())

Names are loaded when they are used, so that importing the package costs next to nothing. docs/python-api.md lists them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# isort: off
# fmt: off
if TYPE_CHECKING:
    from graphvine.backup import BackupInfo, restore
    from graphvine.claims import Claims
    from graphvine.core_requests import (
        BackupRequest, ExcludeRequest, ExportRequest, FailedRequest, LoadRequest, PauseRequest, PrioritiseRequest,
        ReleaseRequest, RequeueRequest, ResumeRequest, SeedRequest, StatusRequest,
    )
    from graphvine.dispatch import JobFailed, Run
    from graphvine.errors import (
        ClaimLost, EngineMissing, GraphvineError, ParameterError, PipelineBroken, QueryError, QueryFileError,
        QueryTimeout, QueryTooComplex, SchemaTooNew, SettingsError, StoreBusy, StoreClosed, StoreDamaged, StoreError,
        StoreFull, StoreMissing, StoreReopened, StoreStuck, UnitFailed, UnknownBlock, UnknownPipeline, WriteRefused,
    )
    from graphvine.export_format import Moved
    from graphvine.graph import Graph, open
    from graphvine.neighbourhood import NoSuchNode
    from graphvine.outcomes import Done, GiveUp, Postpone, Retry, Skip
    from graphvine.queue import WorkQueueManager
    from graphvine.queue_admin import BadKey
    from graphvine.reaper import Reaped
    from graphvine.records import (
        Claim, FailedRow, Failure, Finding, PipelineStatus, QueryResult, Step, TableInfo, Unit, UnitResult,
    )
    from graphvine.requests import BadRequest, Request
    from graphvine.settings import Settings
    from graphvine.verbs import (
        AddRequest, AdvanceRequest, Answer, AskRequest, BadAddress, BadBatch, BadDump, BatchBusy, BatchLost, CannotWork,
        Citation, Context, Counts, EdgeCounts, EdgeCountsRequest, EdgesRequest, FileAway, FileFault, Found, GrowEvent,
        GrowRequest, GrowSummary, HNReindexRequest, HNSearch, HNSearchRequest, HackerNews, Handler, HeldElsewhere,
        HookBroken, Item, MapRequest, MarkFailedRequest, News, NewsDetail, NewsItem, NewsQueue, NoProvider, NoSuchItem,
        NoSuchUpload, NothingToSearch, Page, ParserUnavailable, Picture, Pipeline, ProcessRequest, ProcessorRun,
        ProviderError, PullRequest, Pulled, RefreshRequest, RefreshSummary, ReindexRequest, RetryArticlesRequest,
        RetryItemsRequest, ScrapeBatchRequest, ScrapeEvent, ScrapeRequest, SearchHit, SearchRequest, SeedTitlesRequest,
        Sentence, SourceRefused, SourceUnavailable, StepNotAllowed, Taken, TransitionNotAllowed, UnknownArticle,
        UnknownKind, UpdateRequest, UpdaterRun, Upload, UploadRequest, UploadStepRequest, Uploads, Way, WorkRequest,
        growth_bar,
    )

__all__ = [
    "AddRequest", "AdvanceRequest", "Answer", "AskRequest", "BackupInfo", "BackupRequest", "BadAddress", "BadBatch",
    "BadDump", "BadKey", "BadRequest", "BatchBusy", "BatchLost", "CannotWork", "Citation", "Claim", "ClaimLost",
    "Claims", "Context", "Counts", "Done", "EdgeCounts", "EdgeCountsRequest", "EdgesRequest", "EngineMissing",
    "ExcludeRequest", "ExportRequest", "FailedRequest", "FailedRow", "Failure", "FileAway", "FileFault", "Finding",
    "Found", "GiveUp", "Graph", "GraphvineError", "GrowEvent", "GrowRequest", "GrowSummary", "HNReindexRequest",
    "HNSearch", "HNSearchRequest", "HackerNews", "Handler", "HeldElsewhere", "HookBroken", "Item", "JobFailed",
    "LoadRequest", "MapRequest", "MarkFailedRequest", "Moved", "News", "NewsDetail", "NewsItem", "NewsQueue",
    "NoProvider", "NoSuchItem", "NoSuchNode", "NoSuchUpload", "NothingToSearch", "Page", "ParameterError",
    "ParserUnavailable", "PauseRequest", "Picture", "Pipeline", "PipelineBroken", "PipelineStatus", "Postpone",
    "PrioritiseRequest", "ProcessRequest", "ProcessorRun", "ProviderError", "PullRequest", "Pulled", "QueryError",
    "QueryFileError", "QueryResult", "QueryTimeout", "QueryTooComplex", "Reaped", "RefreshRequest", "RefreshSummary",
    "ReindexRequest", "ReleaseRequest", "Request", "RequeueRequest", "ResumeRequest", "Retry", "RetryArticlesRequest",
    "RetryItemsRequest", "Run", "SchemaTooNew", "ScrapeBatchRequest", "ScrapeEvent", "ScrapeRequest", "SearchHit",
    "SearchRequest", "SeedRequest", "SeedTitlesRequest", "Sentence", "Settings", "SettingsError", "Skip",
    "SourceRefused", "SourceUnavailable", "StatusRequest", "Step", "StepNotAllowed", "StoreBusy", "StoreClosed",
    "StoreDamaged", "StoreError", "StoreFull", "StoreMissing", "StoreReopened", "StoreStuck", "TableInfo", "Taken",
    "TransitionNotAllowed", "Unit", "UnitFailed", "UnitResult", "UnknownArticle", "UnknownBlock", "UnknownKind",
    "UnknownPipeline", "UpdateRequest", "UpdaterRun", "Upload", "UploadRequest", "UploadStepRequest", "Uploads", "Way",
    "WorkQueueManager", "WorkRequest", "WriteRefused", "growth_bar", "open", "restore",
]
__version__ = "0.1.0"  # the one place: setup.py reads it here

# Modules, and what is public of each.
_HOMES = {
    "graph": "Graph open",
    "backup": "BackupInfo restore",
    "settings": "Settings",
    "queue": "WorkQueueManager",
    "claims": "Claims",
    "dispatch": "JobFailed Run",
    "requests": "BadRequest Request",
    "core_requests":
        "BackupRequest ExcludeRequest ExportRequest FailedRequest LoadRequest PauseRequest PrioritiseRequest "
        "ReleaseRequest RequeueRequest ResumeRequest SeedRequest StatusRequest",
    "errors":
        "ClaimLost EngineMissing GraphvineError ParameterError PipelineBroken QueryError QueryFileError "
        "QueryTimeout QueryTooComplex SchemaTooNew SettingsError StoreBusy StoreClosed StoreDamaged StoreError "
        "StoreFull StoreMissing StoreStuck "
        "StoreReopened UnitFailed UnknownBlock UnknownPipeline WriteRefused",
    "export_format": "Moved",
    "neighbourhood": "NoSuchNode",
    "outcomes": "Done GiveUp Postpone Retry Skip",
    "queue_admin": "BadKey",
    "reaper": "Reaped",
    "records": "Claim FailedRow Failure Finding PipelineStatus QueryResult Step TableInfo Unit UnitResult",
    "workers.hooks": "Pipeline",
    "workers.loop": "Counts",
    "workers.pipeline": "CannotWork Context Handler",
    "workers.requests": "WorkRequest",
    "workers.hn.api": "HackerNews",
    "workers.hn.errors": "NoSuchItem TransitionNotAllowed",
    "workers.hn.ingest.ingest": "Taken",
    "workers.hn.pull": "Pulled",
    "workers.hn.requests":
        "AddRequest AdvanceRequest HNReindexRequest HNSearchRequest MarkFailedRequest PullRequest "
        "RetryItemsRequest",
    "workers.hn.search": "Found HNSearch Page",
    "workers.hn.threads": "Item",
    "workers.hn.transitions": "Way",
    "workers.news.api": "News",
    "workers.news.errors": "NoProvider ProviderError UnknownArticle",
    "workers.news.reads": "NewsDetail NewsItem NewsQueue",
    "workers.news.requests": "ProcessRequest RetryArticlesRequest UpdateRequest",
    "workers.news.runs": "ProcessorRun UpdaterRun",
    "workers.scrape.errors": "BadAddress BadBatch BatchBusy BatchLost HookBroken",
    "workers.scrape.events": "ScrapeEvent",
    "workers.scrape.requests": "ScrapeBatchRequest ScrapeRequest",
    "workers.uploads.api": "Uploads",
    "workers.uploads.errors": "FileAway FileFault HeldElsewhere NoSuchUpload StepNotAllowed",
    "workers.uploads.record": "Upload",
    "workers.uploads.requests": "UploadRequest UploadStepRequest",
    "workers.wikipedia.errors": "BadDump ParserUnavailable SourceRefused SourceUnavailable",
    "workers.wikipedia.grow": "GrowEvent GrowSummary",
    "workers.wikipedia.refresh": "RefreshSummary",
    "workers.wikipedia.requests":
        "GrowRequest MapRequest RefreshRequest SeedTitlesRequest",
    "search.hits": "Citation SearchHit",
    "workers.search.ask": "Answer Sentence",
    "workers.search.edges": "EdgeCounts",
    "workers.search.engine": "UnknownKind",
    "workers.search.requests": "AskRequest EdgeCountsRequest EdgesRequest ReindexRequest SearchRequest",
    "workers.wikipedia.output": "growth_bar",
    "workers.wikipedia.search": "NothingToSearch",
    "workers.wikipedia.svg_map": "Picture",
}
# fmt: on


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names.split():
            return getattr(importlib.import_module(f"graphvine.{module}"), name)
    raise AttributeError(f"module 'graphvine' has no attribute {name!r}")
