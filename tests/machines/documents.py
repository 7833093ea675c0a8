"""What the documents say of each machine, copied out by hand, and how a machine is held against it."""

from __future__ import annotations

from dataclasses import dataclass

from graphvine.queries import Machine

# Source (None: the row is created), target, and the document's name for the step.
Step = tuple[str | None, str, str]


@dataclass(frozen=True)
class Document:
    name: str
    initial: str
    final: frozenset[str]
    states: frozenset[str]
    steps: frozenset[Step]


ARTICLE = Document(
    name="expansion-state-machine.md",
    initial="discovered",
    final=frozenset({"processed", "failed"}),
    states=frozenset({"discovered", "claimed", "loaded", "processed", "failed"}),
    steps=frozenset(
        {
            (None, "discovered", "initialize_seeds"),
            ("discovered", "claimed", "claim_work"),
            # One function, three outcomes: success, failure to be tried again, failure for good.
            ("claimed", "loaded", "process_article"),
            ("claimed", "discovered", "process_article"),
            ("claimed", "failed", "process_article"),
            # The source is done, and what it links to is new.
            ("loaded", "processed", "discover_links"),
            (None, "discovered", "discover_links"),
            ("claimed", "discovered", "reclaim_stale"),
        }
    ),
)


_HN_STATES = ("ingested", "validated", "deduplicated", "hierarchy_resolved", "indexed")
HN_ITEM = Document(
    name="hn-item-workflow.md",
    initial="initial_state",
    final=frozenset({"completed", "failed"}),
    states=frozenset({"initial_state", *_HN_STATES, "completed", "failed"}),
    steps=frozenset(
        {
            # The drawing's arrow from nowhere has no name.
            (None, "initial_state", ""),
            ("initial_state", "ingested", "auto_ingest"),
            ("ingested", "validated", "validate_item"),
            ("validated", "deduplicated", "check_duplicates"),
            ("deduplicated", "hierarchy_resolved", "resolve_hierarchy"),
            ("hierarchy_resolved", "indexed", "index_item"),
            ("indexed", "completed", "complete_processing"),
            *((state, "failed", "mark_failed") for state in _HN_STATES),
            ("failed", "ingested", "retry_processing"),
        }
    ),
)


@dataclass(frozen=True)
class Told:
    """What a document tells of one transition besides its ends."""

    manual: bool
    processors: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()


HN_TRANSITIONS = {
    "auto_ingest": Told(False, ("HNItemIngestionProcessor",)),
    "validate_item": Told(False, ("HNItemValidationProcessor",), ("HNItemValidCriterion",)),
    "check_duplicates": Told(False, ("HNItemDeduplicationProcessor",)),
    "resolve_hierarchy": Told(False, ("HNItemHierarchyProcessor",), ("HNItemHierarchyValidCriterion",)),
    "index_item": Told(False, ("HNItemIndexingProcessor",)),
    "complete_processing": Told(False, (), ("HNItemCompleteCriterion",)),
    "mark_failed": Told(True, ("HNItemFailureProcessor",)),
    "retry_processing": Told(True, ("HNItemRetryProcessor",), ("HNItemRetryableCriterion",)),
}

UPLOAD = Document(
    name="bulk-upload-workflow.md",
    initial="initial_state",
    final=frozenset({"completed"}),
    states=frozenset(
        {
            "initial_state", "uploaded", "validating", "validated", "processing", "completed", "partial_success",
            "failed",
        }
    ),
    steps=frozenset(
        {
            # The drawing's arrow from nowhere has no name.
            (None, "initial_state", ""),
            ("initial_state", "uploaded", "initial_to_uploaded"),
            ("uploaded", "validating", "validate_upload"),
            ("validating", "validated", "validation_success"),
            ("validating", "failed", "validation_failure"),
            ("validated", "processing", "start_processing"),
            ("processing", "completed", "processing_complete_success"),
            ("processing", "partial_success", "processing_partial_success"),
            ("processing", "failed", "processing_complete_failure"),
            ("partial_success", "processing", "retry_failed_items"),
            ("failed", "uploaded", "retry_upload"),
        }
    ),
)  # fmt: skip

UPLOAD_TRANSITIONS = {
    "initial_to_uploaded": Told(False),
    "validate_upload": Told(True, ("validate_upload_processor",)),
    "validation_success": Told(False, (), ("validation_success_criterion",)),
    "validation_failure": Told(False, ("handle_validation_failure_processor",), ("validation_failure_criterion",)),
    "start_processing": Told(True, ("start_processing_processor",)),
    "processing_complete_success": Told(
        False, ("finalize_success_processor",), ("processing_complete_success_criterion",)
    ),
    "processing_partial_success": Told(
        False, ("handle_partial_success_processor",), ("processing_partial_success_criterion",)
    ),
    "processing_complete_failure": Told(
        False, ("handle_processing_failure_processor",), ("processing_complete_failure_criterion",)
    ),
    "retry_failed_items": Told(True, ("retry_failed_items_processor",), ("retry_allowed_criterion",)),
    "retry_upload": Told(True, ("reset_upload_processor",), ("retry_allowed_criterion",)),
}

SCRAPE_ITEM = Document(
    name="scrape-summarize-manager.md",
    initial="idle",
    final=frozenset({"completed"}),
    states=frozenset({"idle", "scraping", "scraped", "summarizing", "completed"}),
    steps=frozenset(
        {
            # The boxes of its flowchart.
            (None, "idle", "initialize"),
            ("idle", "scraping", "claim_item"),
            ("scraping", "scraped", "handle_scrape_done"),
            ("scraped", "summarizing", "start_summary"),
            ("summarizing", "summarizing", "apply_partial"),
            ("summarizing", "completed", "apply_final"),
        }
    ),
)


NEWS_ARTICLE = Document(
    name="news-article-flow.md",
    initial="pending",
    final=frozenset({"processed"}),
    # It has flags, a log and a queue; what it lets happen to an article is told between our states.
    states=frozenset(),
    steps=frozenset(
        {
            (None, "pending", "store_new_articles"),
            ("pending", "processing", "load_articles"),
            ("processing", "processing", "fetch_content"),
            ("processing", "processing", "content_timeout"),
            ("processing", "processing", "generate_summary"),
            ("processing", "processing", "summary_error"),
            ("processing", "processing", "analyze_sentiment"),
            ("processing", "processed", "fully_processed"),
            ("processing", "pending", "timeout_or_error"),
        }
    ),
)


def left_out(machine: Machine, document: Document) -> list[str]:
    """What the document has and the machine has not."""
    named = {(step.source, step.target, step.name) for step in machine.moves}
    states = {state.name for state in machine.states}
    missing = [f"state {state}" for state in sorted(document.states - states)]
    steps = sorted(document.steps - named, key=str)
    return missing + [f"{name}: {source} -> {target}" for source, target, name in steps]


def unexplained(machine: Machine, document: Document) -> list[str]:
    """What the machine has beyond the document without saying why."""
    pairs = {(source, target) for source, target, _ in document.steps}
    found = [
        f"state {state.name}"
        for state in machine.states
        if state.name not in document.states and not state.beyond.strip()
    ]
    for step in machine.moves:
        named = (step.source, step.target, step.name) in document.steps
        told = named if step.name else (step.source, step.target) in pairs
        if not told and not step.beyond.strip():
            found.append(f"{step.block}: {step.source} -> {step.target} ({step.name or 'without a name'})")
    return found
