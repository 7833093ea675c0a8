"""graphvine search, ask, edges, reindex"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphvine.dispatch import dispatch
from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.options import common, lists, reports
from graphvine.workers.cli.request_arguments import takes
from graphvine.workers.search.requests import (
    AskRequest,
    EdgeCountsRequest,
    EdgesRequest,
    FacetsRequest,
    ReindexRequest,
    SearchRequest,
    split_words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphvine.search.hits import Citation, SearchHit
    from graphvine.workers.search.ask import Answer

_INDENT = 4
FACETS = typer.Option("--facets", metavar="NAME,NAME", help="Count by type, by, year, source, topic.")
app = new_app()


@app.command()
@lists
@takes(SearchRequest)
def search(
    context: typer.Context,
    request: SearchRequest,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each hit was reached.")] = False,
    facets: Annotated[str, FACETS] = "",
) -> None:
    """Find articles, items, news and pages by words, meaning and edges.

    A walk starts from the best hits by words and meaning and goes over their edges: a question that needs two articles
    finds both. What was written before the search is found by it. Each hit comes with a citation. The index beside the
    graph is a cache: 'graphvine reindex' rebuilds it.

        graphvine search "how do vines climb"
        graphvine search "which insect ruined the vineyards of France" --explain
        graphvine search trellis --mode text --near "Garden" --json
        graphvine search "graph database" --kind hn,news --after 2024-01-01 --facets type,by,year

    In Python: graph.search("how do vines climb", mode="walk", kind=["article"], limit=10)
    """
    search_and_show(context, request, explain=explain, facets=facets)


def search_and_show(context: typer.Context, request: SearchRequest, *, facets: str, explain: bool = False) -> None:
    """The hits of a search, and counts of all that has its words, for people or for programs."""
    from graphvine.workers.cli.output import listed, printable

    names = split_words(facets)
    with opened(context) as graph:
        hits = dispatch(graph, request)
        counts = dispatch(graph, _counting(request, names)) if names else {}
    if listed(context, "hits", hits, **({"facets": counts} if names else {})):
        return
    show_hits(hits, explain=explain)
    for name, values in counts.items():
        told = ", ".join(f"{printable(value)} {count:,}" for value, count in values.items())
        print(f"{name}: {told or 'nothing to count'}")


def _counting(request: SearchRequest, names: Sequence[str]) -> FacetsRequest:
    given = {name: getattr(request, name) for name in FacetsRequest.fields if name != "facets"}
    return FacetsRequest.of({"facets": names, **given})


@app.command()
@reports
@takes(AskRequest)
def ask(context: typer.Context, request: AskRequest) -> None:
    """Show the passages that answer a question, with citations.

    Passages that a path joins stand together. With a model in the settings (search.answer_url, any OpenAI-compatible
    interface) the answer is written from these passages alone, each sentence with the numbers of its passages, or it
    says that they do not hold the answer.

        graphvine ask "Which insect ruined the vineyards of France, and what saved them?"
        GRAPHVINE_SEARCH_ANSWER_URL=http://127.0.0.1:8080/v1 graphvine ask "How do vines climb?" --limit 5

    In Python: graph.ask("How do vines climb?", limit=5)
    """
    from dataclasses import asdict

    from graphvine.workers.cli.output import printable, respond

    as_json = common(context).json
    with opened(context) as graph:
        answer = dispatch(
            graph, request, on_event=None if as_json else lambda text: print(printable(text), end="", flush=True)
        )
    if as_json:
        respond(context, **asdict(answer))
        return
    show_answer(answer)


@app.command()
@lists
def edges(
    context: typer.Context,
    counts: Annotated[bool, typer.Option("--counts", help="Show what there is, and make nothing.")] = False,
) -> None:
    """Make the edges between the kinds, for searches to walk over.

    Items, news and pages with the same address lead to the same (:Address); those of nearly the same text lead to the
    same (:NearDuplicates), which searches show once; what names an article's title leads to it.
    It looks at what came since the last time, and goes on where it was after a kill. The daemon does it by itself
    (setting search.edges_seconds).

        graphvine edges
        graphvine edges --counts

    In Python: graph.make_edges(), graph.edge_counts()
    """
    from graphvine.workers.cli.output import listed, show, table
    from graphvine.workers.cli.progress import activity
    from graphvine.workers.cli.run_worker import signals

    with opened(context, share=not counts) as graph:
        if counts:
            found = dispatch(graph, EdgeCountsRequest())
        else:
            looked = 0
            with signals(graph) as ended, activity("looking at rows") as progress:

                def on_rows(rows: int) -> None:
                    nonlocal looked
                    looked += rows
                    if progress is not None:
                        progress(f"{looked:,} rows")

                found = dispatch(graph, EdgesRequest(), on_event=on_rows, stop=ended.stop)
    if listed(context, "edges", found):
        return
    rows = [
        (
            one.kind, f"{one.same_page:,}", f"{one.mentions:,}", f"{one.near_duplicates:,}",
            f"{max(0, one.newest - one.done):,}",
        )
        for one in found
    ]  # fmt: skip
    heads = ("kind", "with an address", "mentions", "near duplicates", "numbers behind")
    show(table(heads, rows, right=heads[1:]))


@app.command()
@reports
@takes(ReindexRequest)
def reindex(context: typer.Context, request: ReindexRequest) -> None:
    """Rebuild the search indexes from the graph.

    An index is a cache beside the graph; deleting it loses nothing.

        graphvine reindex
        graphvine reindex --kind hn

    In Python: graph.reindex()
    """
    from graphvine.workers.cli.output import plural, report
    from graphvine.workers.cli.progress import activity

    with opened(context) as graph, activity("indexing") as show:
        count = dispatch(graph, request, on_event=None if show is None else lambda done: show(f"{done:,} rows"))
    report(context, f"{plural(count, 'row')} indexed", indexed=count)


def show_hits(hits: Sequence[SearchHit], *, explain: bool = False) -> None:
    """One paragraph for each hit: where it is, and a piece of it; with `explain`, what its score is made of."""
    from graphvine.workers.cli.output import one_line, paragraph, plural

    for words in {hit.loose for hit in hits if hit.loose}:
        listed = ", ".join(repr(one_line(word, 40)) for word in words)
        print(f"nothing has {listed}: words that begin with it or differ in a letter or two stand for it")
    for number, hit in enumerate(hits, 1):
        distance = "" if hit.distance is None else f", {plural(hit.distance, 'link')} away"
        print(f"{number:>2}. {one_line(heading(hit), 90)}  ({hit.score:.4f}{distance})")
        found = {hit.snippet[start:stop] for start, stop in hit.marks}
        paragraph(piece(hit.snippet), _INDENT, bold=found - {""})
        paragraph(cited(hit.citation), _INDENT)
        if hit.duplicates:
            paragraph(f"nearly the same: {one_line(', '.join(hit.duplicates), 160)}", _INDENT)
        if explain:
            path = f"; {' -> '.join(one_line(title, 60) for title in hit.path)}" if hit.path else ""
            paragraph(f"words {hit.by_words:.2f}, meaning {hit.by_meaning:.2f}, link {hit.by_link:.2f}{path}", _INDENT)
    if not hits:
        print("nothing found")


def piece(snippet: str, most: int = 160) -> str:
    """A piece of a text on one line, cut between words, with a sign where more stands before or behind it."""
    from graphvine.workers.cli.output import one_line

    text = one_line(snippet).strip()
    if len(text) > most:
        text = f"{text[:most].rpartition(' ')[0] or text[:most]} …"
    return f"… {text}" if text[:1].islower() else text


def show_answer(answer: Answer) -> None:
    """The passages under the numbers that an answer cites them by, a blank line between groups."""
    from graphvine.workers.cli.output import paragraph, printable

    if answer.model or answer.held is not None:
        print("\n" if answer.held else "\nThe passages do not hold the answer.\n")
        if answer.uncited:
            print(f"left out: {answer.uncited} of its sentences cite no passage\n")
    number = 0
    for group in answer.groups:
        for hit in group:
            number += 1
            by = f"  (by {' -> '.join(hit.path)})" if hit.path else ""
            print(printable(f"[{number}] {heading(hit)}{by}"))
            for line in hit.citation.passage.splitlines():
                paragraph(printable(line), _INDENT)
            paragraph(cited(hit.citation), _INDENT)
        print()
    if not number:
        print("nothing found")


def heading(hit: SearchHit) -> str:
    """Where a hit is: an article by title and section, others with their kind."""
    if hit.kind == "article":
        return " / ".join(filter(None, (hit.title, hit.section)))
    return f"{hit.kind}: {hit.title or hit.key}"


def cited(citation: Citation) -> str:
    """A citation on one line."""
    from graphvine.workers.cli.output import one_line

    when = f", {citation.fetched_at:%Y-%m-%d}" if citation.fetched_at else ""
    return f"[{one_line(citation.address or citation.key, 120)}{when}, sha256 {citation.text_hash[:12]}]"
