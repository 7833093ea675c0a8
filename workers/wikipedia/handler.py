"""Works on articles: fetch, parse, embed, and answer with what to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Outcome, Postpone, Skip
from graphvine.ready_cache import spans
from graphvine.records import Claim
from graphvine.vectors import as_stored
from graphvine.workers.pipeline import Context
from graphvine.workers.wikipedia.documents import Documents
from graphvine.workers.wikipedia.fetch import Fetched, Fetcher
from graphvine.workers.wikipedia.models import Model, current_model, open_embedder, settle_model, wanted_model
from graphvine.workers.wikipedia.parse_page import Limits
from graphvine.workers.wikipedia.parsed import Malformed, ParsedPage
from graphvine.workers.wikipedia.parser import Parser
from graphvine.workers.wikipedia.resources import open_source, settings_for
from graphvine.workers.wikipedia.settings import WikipediaSettings
from graphvine.workers.wikipedia.sources import Missing, Page, Result, Source, Unread
from graphvine.workers.wikipedia.titles import InvalidTitle, parse_title
from graphvine.workers.wikipedia.writes import Draft, Moment, Vectors, draft, withdraw, write, write_redirect

# What lies behind the cut of a dump is asked for again after this long, where nobody says that there is a better one.
_CUT_SECONDS = 300.0


class Resources:
    """What the workers of one process share: source, parsing processes, the model and its queue."""

    def __init__(self, graph: Graph, settings: WikipediaSettings, source: Source | None = None) -> None:
        self.settings, self._closed = settings, False
        # The rows that wait for a source that is whole, by number.
        self.behind_cut: set[int] = set()
        self.source = source or open_source(settings)
        limits = Limits(max_characters=settings.max_wikitext_characters, parse_seconds=settings.parse_seconds)
        self.parser = Parser(self.source.rules(), limits, processes=settings.parse_processes)
        self._graph = graph
        self._service: Any = None
        self.model: Model | None = None
        self._embedder: Any = None
        if settings.embed == "now" and settings.embedder != "none":
            # The graph's own model, unless the settings name one.
            self._embedder = open_embedder(settings, None if settings.model else current_model(graph))
        if self._embedder is not None:
            from graphvine.workers.common.embedding.service import EmbeddingService

            self.model = settle_model(graph, settings, self._embedder)
            self._service = EmbeddingService(self._embedder)

    def embedding_mode(self) -> Literal["now", "later", "never"]:
        """How the next sections get vectors: from the queue while, or after, the graph moves to another model."""
        if self.settings.embedder == "none" or self.settings.embed == "never":
            return "never"
        return "now" if self.model is not None and wanted_model(self._graph) == self.model else "later"

    def embed(self, texts: Sequence[str]) -> Future[Any]:
        if self._service is not None and texts:
            future: Future[Any] = self._service.submit(texts)
            return future
        done: Future[Any] = Future()
        done.set_result([])
        return done

    def links(self, page: ParsedPage) -> Sequence[str]:
        """The titles that a page links to; a link between documents may name one by the last part of its path."""
        return self.source.resolve(page.links) if isinstance(self.source, Documents) else page.links

    def close(self) -> None:
        """Also when it is closed already: handlers that share it close it each."""
        if self._closed:
            return
        self._closed = True
        if self._service is not None:
            self._service.close(drain=False)
            self._embedder.close()
        self.parser.close()
        self.source.close()


class ArticleHandler:
    def __init__(
        self, graph: Graph, resources: Resources, category_filter: str = "",
        notify: Callable[[str, str], None] | None = None, max_depth: int | None = None,
    ) -> None:  # fmt: skip
        """`notify` is called for each article that is ready to be written, and with a reason if the source is away."""
        self.max_depth = max_depth  # for the daemon's workers: how far from a seed they go
        self._graph, self._shop, self._filter = graph, resources, category_filter.casefold()
        self._notify = notify or (lambda name, reason: None)
        pause, longest = resources.settings.outage_seconds, resources.settings.outage_max_seconds
        self._fetcher = Fetcher(resources.source, pause, longest)

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        at = Moment(self._graph.clock.now_ms())
        fresh, there = self._known(claims)
        embed, places = self._shop.embedding_mode(), dict[int, int]()
        if embed == "later":
            places = self._places(claims)
        waiting: list[tuple[Draft, Future[Any]]] = []
        for fetched in self._fetcher.fetch(claims, lambda: context.stopping):
            self._tell_outage(fetched)
            yield from fetched.retries
            yield from fetched.postponed
            for claim in [claim for claim in claims if claim.seq in fetched.results]:
                if context.stopping:
                    return
                if context.lost(claim):
                    continue
                new, ids = claim.seq in fresh, there.get(claim.key, {})
                made = self._read(claim, fetched.results[claim.seq], at, new, ids)
                if isinstance(made, GiveUp | Skip) and not new:
                    # It was there before: what is known of it holds no longer.
                    yield replace(made, steps=withdraw(claim, ids, at))
                elif isinstance(made, Draft):
                    # The model begins with the first pages while the others are still fetched and parsed.
                    waiting.append((made, self._shop.embed(made.texts if embed == "now" else [])))
                else:
                    yield made
        for drafted, future in waiting:
            vectors = _await(future, context)
            if vectors is None:
                return
            self._notify("article", "")
            claim = drafted.claim
            links = [title for title in self._shop.links(drafted.page) if title != claim.key]
            del links[self._shop.settings.max_links :]
            new = claim.seq in fresh
            generation = self._shop.model.generation if self._shop.model is not None else 0
            place = places.get(claim.seq, _place(claim.depth, 0))
            given = Vectors(embed, generation, vectors, place)
            yield Done(claim, write(drafted, given, links, at, new, there.get(claim.key, {})))

    def close(self) -> None:
        self._shop.close()

    def _read(self, claim: Claim, page: Result, at: Moment, fresh: bool, there: Mapping[str, bool]) -> Outcome | Draft:
        if isinstance(page, Unread):
            return self._put_off(claim, page.reason)
        if isinstance(page, Missing):
            return Skip(claim, page.reason)
        if not isinstance(page, Page):
            return GiveUp(claim, page.reason)
        revised_at = _time(page.timestamp)
        hop = page.redirect_to
        if hop is not None or page.title != claim.key:
            # A redirect, or another spelling of the title: either way the content is under the other name.
            target, fragment = (hop.title, hop.fragment) if hop is not None else (page.title, "")
            target_or_none = target if self._is_article(target) else None
            return Done(claim, write_redirect(claim, page, target_or_none, fragment, revised_at, at, fresh, there))
        parsed = self._shop.parser.parse(page)
        if isinstance(parsed, Malformed):
            what = "wikitext" if page.format == "wikitext" else "document"
            return GiveUp(claim, f"the {what} is malformed: {parsed.reason}")
        if parsed.redirect_to is not None:
            hop = parsed.redirect_to
            target_or_none = hop.title if self._is_article(hop.title) else None
            return Done(claim, write_redirect(claim, page, target_or_none, hop.fragment, revised_at, at, fresh, there))
        if parsed.disambiguation and self._shop.settings.disambiguation != "keep":
            kind = Skip if self._shop.settings.disambiguation == "skip" else GiveUp
            return kind(claim, f"{page.title!r} is a disambiguation page")
        follow = not self._filter or any(self._filter in name.casefold() for name in parsed.categories)
        return draft(claim, parsed, revised_at, self._shop.settings.passage_words, follow)

    def _places(self, claims: Sequence[Claim]) -> dict[int, int]:
        """Where the sections of these articles stand in the queue for vectors."""
        links = {
            row["seq"]: row["links"]
            for span in spans([claim.seq for claim in claims])
            for row in self._graph.read("article.linked", **span)
        }
        return {claim.seq: _place(claim.depth, links.get(claim.seq, 0)) for claim in claims}

    def _put_off(self, claim: Claim, reason: str) -> Postpone:
        if not self._shop.behind_cut:
            self._graph.store.publish("source_cut", reason=reason)
        self._shop.behind_cut.add(claim.seq)
        return Postpone(claim, reason, _CUT_SECONDS)

    def _tell_outage(self, fetched: Fetched) -> None:
        if fetched.away is not None:
            seconds = max((postponed.after_seconds for postponed in fetched.postponed), default=0.0)
            self._graph.store.publish("source_away", reason=str(fetched.away), seconds=seconds)
            self._notify("away", f"{fetched.away} Next try in {seconds:.0f} s.")

    def _is_article(self, title: str) -> bool:
        try:
            return parse_title(title, self._shop.source.rules()).namespace == 0
        except InvalidTitle:
            return False

    def _known(self, claims: Sequence[Claim]) -> tuple[set[int], dict[str, dict[str, bool]]]:
        """Which of these were never written; and of the others, the sections that they have, and whether they hold."""
        if not claims:
            return set(), {}
        groups = spans([claim.seq for claim in claims])
        rows = [row for span in groups for row in self._graph.read("article.known", **span)]
        # What the document's manager or somebody at the console put in must not be there twice.
        linking = {row["seq"] for span in groups for row in self._graph.read("article.linking", **span)}
        fresh = {row["seq"] for row in rows if row["revision"] is None} - linking
        again = [claim.key for claim in claims if claim.seq not in fresh]
        there: dict[str, dict[str, bool]] = {key: {} for key in again}
        if again:
            for row in self._graph.read("article.sections_of", keys=again):
                there[row["article"]][row["id"]] = row["gone"] == 0
        return fresh, there


def build(graph: Graph) -> ArticleHandler:
    """A handler by the settings, for `graphvine work article`."""
    return ArticleHandler(graph, Resources(graph, settings_for(graph)))


def build_several(graph: Graph, count: int) -> list[ArticleHandler]:
    """Handlers of one process, for the daemon: one source, one model, and a limit on how far they go."""
    settings = settings_for(graph)
    resources = Resources(graph, settings)
    return [ArticleHandler(graph, resources, max_depth=settings.serve_depth) for _ in range(count)]


def _place(depth: int, links: int) -> int:
    """Near a seed first; of these, what many articles link to."""
    return depth * 1_000 + 999 - min(links, 999)


def _await(future: Future[Any], context: Context) -> Any:
    """The vectors, or None when the worker is to stop first."""
    while not context.stopping:
        try:
            vectors = future.result(timeout=0.2)
            return as_stored(vectors)
        except TimeoutError:
            continue
    future.cancel()
    return None


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
