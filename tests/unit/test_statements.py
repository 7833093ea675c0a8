"""What the engines are sent does not change by accident, and is what 0.1.0 sent, or the difference is explained."""

from __future__ import annotations

from pathlib import Path

from tests.tools.statements import KEPT, lines

# Of version 0.1.0, with an upload's row called `a`, as in the other files since.
OF_0_1_0 = Path(__file__).parent / "statements-0.1.0.txt"
RENAMED = {
    "align_discovered": "align_initial", "align_pending": "align_initial", "align_idle": "align_initial",
    "align_loaded": "align_resumed", "align_middle": "align_resumed", "align_scraped": "align_resumed",
    "align_final": "align_resting", "align_wordless": "align_stateless",
}  # fmt: skip
UNORDERED = ("hn_item", "scrape_item", "upload")
SHARED = ("article", "hn_item", "news_article", "scrape_item", "upload")
_LISTS = (
    "article.add_sections", "article.replace_sections", "article.section_vectors", "article.sections_after",
    "hn_item.bring_on", "hn_item.item", "hn_item.items", "hn_item.known", "hn_item.known_between", "hn_item.known_one",
    "hn_item.listing_kids", "hn_item.listing_parts", "hn_item.merge", "hn_item.take_in", "news_article.loaded",
    "news_article.save_vectors", "news_article.vectors",
)  # fmt: skip
# Why a block is sent otherwise than by 0.1.0, by dialect, or for both.
_LOST = "the reaper says whether a loss counts, and when the row is due again"
EXPLAINED: dict[str, str] = {
    **{f"{e}.misaligned": "asks for what the align_ blocks would change, in their order" for e in SHARED},
    **{f"{e}.number": "the same columns in another order" for e in SHARED if e != "article"},
    **{f"{e}.frontier": "rows without an order have no depth: the range of their numbers at once" for e in UNORDERED},
    **{f"{e}.frontier": "says whether rows were prioritised" for e in ("article", "news_article")},
    "news_processor.front": "what was prioritised comes first",
    **{f"neo4j {e}.ready_from": "what was prioritised comes first" for e in SHARED},
    **dict.fromkeys(
        ("article.listed", "article.listed_in", "scrape_item.batches", "scrape_item.results"),
        "filtered and read page by page, as every list",
    ),
    **{f"{e}.frontier_at": "gone: see frontier" for e in UNORDERED},
    **{f"{e}.ready_at": "now ready_between, without a depth" for e in UNORDERED},
    **{f"{e}.{b}": "the lease first, by which an engine skips rows" for e in SHARED if e != "hn_item" for b in ("stale", "oldest_heartbeat")},
    **{f"kuzu {e}.ready_at": "bounds are literals" for e in ("article", "news_article")},
    **dict.fromkeys(_LISTS, "lists of numbers are text in Kuzu, which mixes up stored lists"),
    **{f"{e}.reclaim": _LOST for e in SHARED},
    "article.reclaim_loaded": _LOST,
    "scrape_item.reclaim_summary": _LOST,
    **{f"news_article.{name}": "says of an article whether its date is the provider's" for name in ("listed", "shown")},
    **dict.fromkeys(
        ["neo4j article.add_sections", "neo4j article.replace_sections", "article.retire_sections"],
        "sections may wait for their vector, in a queue of their own",
    ),
    **dict.fromkeys(
        (f"article.{block}" for block in ("requeue", "exclude", "align_resting", "align_unknown")),
        "articles may be skipped",
    ),
    "article.reach": "a loaded article that another is to link is not waited for",
    "article.use_model": "with how the model is opened, and its generation",
    "article.models": "the one in use: there may be a next one",
    "article.describe": "with the properties of a document",
    "scrape_item.ready_in": "with the state, by which Claims finds the block that claims",
    "hn_item.take_in": "returns the stamp, by which the search index follows",
    "hn_item.refuse": "returns the stamp, by which the search index follows",
    "hn_item.settle_story": "an item may be moved to another story",
    "hn_item.listing_kids": "returns all lists: not every one counts",
    "hn_item.listing_parts": "returns all lists: not every one counts",
    "neo4j hn_item.unlinked": "leaves out the edge that would close a circle",
    "hn_item.shown": "with the time of fetching, which a citation names, and what an item says of itself",
    "hn_item.mark_failed": "also of what has failed, with another reason",
    "upload.align_resting": "what was removed rests too",
    "upload.begin_collection": "with the first item, so that no collection is empty",
    "upload.note_validation": "with the form of the first item",
    **dict.fromkeys(
        ("upload.validation_success", "upload.validation_failure"), "the place that validation kept is forgotten"
    ),
    **dict.fromkeys(
        (f"kuzu hn_item.{block}" for block in ("retry", "fail", "note_failure", "failures")),
        "numbers are written out, so that other rows are skipped",
    ),
    "upload.uploads": "without those that were removed",
    "article.sections_by_id": "with the revision, which a citation names",
    **{f"{e}.last_number": "counts the stamps that the search index follows" for e in ("news_article", "scrape_item")},
    **dict.fromkeys(
        (f"news_article.{block}" for block in ("store", "seed", "save_content", "save_summary")),
        "stamps what the search index follows",
    ),
    "scrape_item.save_pages": "stamps what the search index follows",
    "hn_item.named": "the same with other names",
    "hn_item.failed_named": "the same with other names",
    "neo4j news_article.next_due": "by the index of the queue, as article's",
    "neo4j scrape_item.next_due": "by the index of the queue, as article's",
    "neo4j upload.next_due": "by the index of the queue, as hn_item's",
    "neo4j upload.stale": "by the index of the queue, as hn_item's",
    "neo4j article.search_vector": "the score is the cosine, as beside an embedded graph; by the generation in use",
    "neo4j article.search_words": "by an index that holds titles, too",
    "neo4j hn_item.search": "by site and without an author, too; counted by fields",
    "neo4j upload.oldest_heartbeat": "by the index of the queue, as hn_item's",
}  # fmt: skip


def read(path: Path) -> dict[str, str]:
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        dialect, name, digest = line.split()
        entity, block = name.split(".")
        found[f"{dialect} {entity}.{RENAMED.get(block, block)}"] = digest
    return found


def entity_of(line: str) -> str:
    return line.split()[1].partition(".")[0]


def test_no_statement_has_changed_by_accident() -> None:
    kept = KEPT.read_text(encoding="utf-8").splitlines()
    known = {entity_of(line) for line in kept}  # the statements of a new pipeline have not changed
    changed = {line for line in lines() if entity_of(line) in known} ^ set(kept)
    names = sorted({line.rpartition(" ")[0] for line in changed})
    look = "look at them with `graphvine machine NAME --statements`, then run `python -m tests.tools.statements`"
    assert not names, f"these are sent otherwise than before: {', '.join(names)}; {look}"


def test_what_is_sent_is_what_0_1_0_sent_or_the_difference_is_explained() -> None:
    """Of blocks that 0.1.0 had; new ones have nothing to be compared with."""
    before, now = read(OF_0_1_0), read(KEPT)
    different = {name for name in before if before[name] != now.get(name)}
    explained = {name for name in different if name in EXPLAINED or name.split()[1] in EXPLAINED}
    assert different == explained
    used = {name for name in EXPLAINED if name in different or any(one.endswith(f" {name}") for one in different)}
    assert used == set(EXPLAINED), "explain only what is there"
