"""One ranking over all kinds. Each pipeline brings its kind by the hook `search`; this opens them and asks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from graphvine.dispatch import Run
from graphvine.errors import GraphvineError, did_you_mean
from graphvine.graph import Graph
from graphvine.search import Range
from graphvine.search.hits import SearchHit
from graphvine.search.kinds import SearchKind
from graphvine.search.walk import Question
from graphvine.workers import registry
from graphvine.workers.search.edges import between, group_of
from graphvine.workers.search.requests import Facets, FacetsRequest, ReindexRequest, SearchRequest

ARTICLE = "article"
_SORTED_BY = {"date": "time", "score": "score"}
_MOST_VALUES = 10


class UnknownKind(GraphvineError):
    """A kind that this graph can't search."""


class SearchEngine:
    """Open it once and search often: models and indexes stay loaded. One caller searches at a time."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._lock = graph, threading.Lock()
        self._kinds: dict[str, Any] = {}

    def search(self, request: SearchRequest) -> list[SearchHit]:
        with self._lock:
            where = _filters(request)
            field = _SORTED_BY.get(request.sort)
            kinds = self._asked(request.kind or ([ARTICLE] if request.near else ()), where, *([field] if field else []))
            made = {row["name"].partition(":")[0] for row in self._graph.read("edges.jobs")}
            joined = partial(between, self._graph) if made else None
            group = partial(group_of, self._graph) if "near" in made else None
            question = Question(kinds, request.text, self._vector(request, kinds), where or None, joined, group)
            if request.near is not None:
                if list(kinds) != [ARTICLE]:
                    raise request.refuse("near", "only articles lie near an article: say --kind article, or nothing")
                found: list[SearchHit] = self._kinds[ARTICLE].search_near(question, request.near, request.limit)
                return found
            if field is not None:
                return question.ordered(f"-{field}", request.limit)
            asked: Callable[[int], list[SearchHit]] = getattr(question, request.mode)
            return asked(request.limit)

    def facets(self, request: FacetsRequest) -> Facets:
        """How many of all that a search by words finds have each value, over all kinds that have the field."""
        with self._lock:
            where = _filters(request)
            counted: dict[str, Counter[str]] = {name: Counter() for name in request.facets}
            for kind in self._asked(request.kind, where).values():
                for name, values in kind.facets(request.text, where or None, request.facets).items():
                    counted[name].update(values)
            return {
                name: dict(sorted(values.items()) if name == "year" else values.most_common(_MOST_VALUES))
                for name, values in counted.items()
            }

    def _asked(self, names: Sequence[str], where: Mapping[str, Any], *fields: str) -> dict[str, SearchKind]:
        """These kinds, or all, brought up to date; those that lack a field which is asked for are left out."""
        wanted = {name.removeprefix("-") for name in (*where, *fields)}
        kinds = {name: kind for name, kind in self._chosen(names).items() if kind.filters >= wanted}
        for kind in kinds.values():
            kind.catch_up()
        return kinds

    def rebuild(self, names: Sequence[str], progress: Callable[[int], None]) -> int:
        """Make the indexes of these kinds from nothing. Returns how many rows they hold."""
        with self._lock:
            done = 0
            for kind in self._chosen(names).values():
                done += kind.rebuild(lambda count, before=done: progress(before + count))
            return done

    def close(self) -> None:
        with self._lock:
            for kind in self._kinds.values():
                kind.close()
            self._kinds = {}

    def _chosen(self, names: Sequence[str]) -> dict[str, Any]:
        """The kinds of these names, or all that have rows."""
        offered = {
            one.search[0]: (pipeline, one.search[1])
            for pipeline, one in registry.of(self._graph).items() if one.search is not None
        }  # fmt: skip
        for name in names:
            if name not in offered:
                raise UnknownKind(f"there is no kind {name!r} to search{did_you_mean(name, list(offered))}")
        for name, (pipeline, make) in offered.items():
            kind = self._kinds.get(name)
            # Vectors that came after it was opened have a dimension that it does not know.
            if kind is not None and kind.outdated:
                self._kinds.pop(name).close()
                kind = None
            if kind is None and (name in names or self._has_rows(pipeline)):
                self._kinds[name] = make(self._graph)
        return {name: kind for name, kind in self._kinds.items() if not names or name in names}

    def _has_rows(self, pipeline: str) -> bool:
        return bool(self._graph.read(f"{pipeline}.last_number")[0]["seq"])

    def _vector(self, request: SearchRequest, kinds: dict[str, SearchKind]) -> Any | None:
        """The vector of the question, by the model of the articles; None where nothing could be compared with it."""
        if request.mode == "text" or request.sort != "relevance":
            return None
        if request.mode != "vector" and not any(kind.has_vectors for kind in kinds.values()):
            return None
        articles = self._kinds.get(ARTICLE) or self._chosen([ARTICLE])[ARTICLE]
        return articles.vector(request.text)


def run_search(graph: Graph, request: SearchRequest, run: Run[None]) -> list[SearchHit]:
    return run.open("search", lambda: SearchEngine(graph)).search(request)


def run_facets(graph: Graph, request: FacetsRequest, run: Run[None]) -> Facets:
    return run.open("search", lambda: SearchEngine(graph)).facets(request)


def run_reindex(graph: Graph, request: ReindexRequest, run: Run[int]) -> int:
    return run.open("search", lambda: SearchEngine(graph)).rebuild(request.kind, run.publish)


def _filters(request: SearchRequest | FacetsRequest) -> dict[str, Any]:
    where: dict[str, Any] = {}
    for name in ("author", "type", "source", "topic", "site"):
        if (value := getattr(request, name)) is not None:
            where[name] = value
    if request.not_author is not None:
        where["-author"] = request.not_author
    if request.after is not None or request.before is not None:
        where["time"] = Range(request.after, request.before)
    return where
