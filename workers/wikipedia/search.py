"""Search the articles: by words, by meaning, and by a walk over the links between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.index_sync import FollowedIndex
from graphvine.records import Row
from graphvine.search import Document, Filters, Hit, IndexFields, Results, Snippet, Stored
from graphvine.search.hits import SearchHit, cite
from graphvine.search.kinds import Mode, Node
from graphvine.search.link_table import MOST_REDIRECTS, LinkTable
from graphvine.search.server_index import NothingToFollow, ServerSections
from graphvine.search.server_words import around
from graphvine.search.walk import Question
from graphvine.workers.wikipedia.boilerplate import is_boilerplate
from graphvine.workers.wikipedia.models import Model, check_model, current_model, open_embedder
from graphvine.workers.wikipedia.resources import origin, settings_for
from graphvine.workers.wikipedia.settings import WikipediaSettings

_SNIPPET_CHARACTERS = 200
KIND = "section"
_FIELDS = IndexFields(words=("article",), numbers=(), facets=(), stored=("path",))


class NothingToSearch(GraphvineError):
    """The graph holds no vectors to compare with."""


class ArticleSearch:
    """The kind `article`. Open it once and search often: the model and the index stay loaded."""

    name = "article"
    filters: frozenset[str] = frozenset()
    partly_embedded = False  # references and the like have none, and shall not rank beside the text

    def __init__(self, graph: Graph, settings: WikipediaSettings | None = None, *, model: Model | None = None) -> None:
        """`model`: the one whose vectors to use, where it is not the one in use."""
        self._graph, self._settings = graph, settings or settings_for(graph)
        self._embedder: Any = None
        self._origin = origin(graph)
        self._model = model or current_model(graph)
        self._dimension = self._model.dimension if self._model is not None else None
        generation = self._model.generation if self._model is not None else 0
        # Only who owns the graph is told of everything that is written.
        self._links = LinkTable(graph) if graph.engine.capabilities.single_owner else None
        self._followed: FollowedIndex | NothingToFollow
        if ServerSections.serves(graph):
            self._followed = NothingToFollow(ServerSections(graph, odd=generation % 2 == 1))
        else:
            self._followed = FollowedIndex(
                graph, "article", "sections_after_odd" if generation % 2 else "sections_after", _translate,
                newest="newest_section", dimension=self._dimension, fields=_FIELDS,
                name=f"article-{generation}" if generation else "article",
            )  # fmt: skip

    @property
    def has_vectors(self) -> bool:
        """Whether there were vectors when it was opened."""
        return self._dimension is not None

    @property
    def outdated(self) -> bool:
        """Another model is in use since it was opened, or the first one: open it again."""
        return current_model(self._graph) != self._model

    def search(self, text: str, *, mode: Mode = "walk", near: str | None = None, limit: int = 10) -> list[SearchHit]:
        """The best sections. What was written before the call is found by it.

        A walk shows one section an article, the best of it; the other modes rank sections.
        """
        self.catch_up()
        by_meaning = mode == "vector" or (mode != "text" and self.has_vectors)
        question = Question({self.name: self}, text, self.vector(text) if by_meaning else None)
        if near is not None:
            return self.search_near(question, near, limit)
        return getattr(question, mode)(limit)  # type: ignore[no-any-return]

    def search_near(self, question: Question, near: str, limit: int) -> list[SearchHit]:
        """By words, by meaning, and by the links between an article and this one."""
        found = question.found_by(self.name)
        distances = self._distances(near, sorted({self.node(id) for id in found}))
        close = sorted((id for id in found if self.node(id) in distances), key=lambda id: distances[self.node(id)])
        hits = question.hybrid(limit, [[(self.name, id) for id in close]])
        return [replace(hit, distance=distances.get(hit.article)) for hit in hits]

    def words(
        self, question: str, where: Filters | None, limit: int, *, any_word: bool = True, sort: str = "relevance"
    ) -> Results:
        # No kind is named: the index holds sections alone, and a filter costs more than it leaves out.
        found: Results = self._followed.index.text(
            question, None, where, limit=limit, any_word=any_word, snippets=False, count=False, tolerant=True
        )
        return found

    def facets(self, question: str, where: Filters | None, names: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        return {}

    def ceiling(self, question: str) -> float:
        return self._followed.index.ceiling(question) if isinstance(self._followed, FollowedIndex) else 0.0

    def meaning(self, vector: Any, where: Filters | None, limit: int) -> Sequence[Hit]:
        found: Sequence[Hit] = self._followed.index.vector(vector, None, where, limit=limit, snippets=False).hits
        return found

    def like(self, vector: Any, hits: Sequence[Hit]) -> Sequence[Hit]:
        found: Sequence[Hit] = self._followed.index.like(vector, hits)
        return found

    def node(self, document: str) -> str:
        """The article of a section, whose id is TITLE#POSITION.PART."""
        return document.rpartition("#")[0]

    def within(self, keys: Sequence[str]) -> Filters:
        return {"article": keys}

    def edges_at_hand(self, keys: Sequence[str], limit: int) -> dict[str, list[Node]]:
        table = self._links
        found = {} if table is None else {key: table.neighbours(key, limit) for key in keys}
        return {key: [("article", title) for title in near] for key, near in found.items() if near is not None}

    def edges(self, key: str, limit: int) -> Iterator[Node]:
        """Articles that a link or a redirect joins with this one, either way, or a link to a title that redirects."""
        rows = self._graph.read("article.edges", title=key, limit=limit)
        redirects = [row["title"] for row in rows if row["kind"] == "redirect"][:MOST_REDIRECTS]
        rows += [row for title in redirects for row in self._graph.read("article.edges", title=title, limit=limit)]
        return (("article", row["title"]) for row in rows)

    def shown(self, documents: Sequence[str], question: str) -> Mapping[str, SearchHit]:
        if not isinstance(self._followed, FollowedIndex):
            rows = self._graph.read("article.sections_by_id", keys=list(documents))
            return {row["id"]: _hit(row, around(row["text"], question), self._address(row)) for row in rows}
        kept = self._followed.index.shown(documents, question)
        rows = [row for id in documents if id in kept for row in self._row(id, kept[id])]
        # One look-up by key after the other: the embedded engine answers many at once by a scan of the table.
        revisions = {title: self._revision(title) for title in {row["article"] for row in rows}}
        return {
            row["id"]: _hit(row, kept[row["id"]].snippet or around(row["text"], question), self._address(row))
            for row in (row | revisions[row["article"]] for row in rows)
        }

    def _revision(self, title: str) -> Row:
        known = self._links.revision(title) if self._links is not None else None
        if known is None:
            return self._graph.read("article.revision_shown", title=title)[0]
        return {"revision": known[0], "revised_at": known[1]}

    def _row(self, id: str, kept: Stored) -> list[Row]:
        if not kept.exact:  # another form of the same characters: a citation has the words as they came
            return self._graph.read("article.section_shown", key=id)
        return [{"id": id, "article": self.node(id), "path": kept.texts["path"], "text": kept.texts["body"]}]

    def _address(self, row: Row) -> str:
        """The page as it was at this revision, which stays; or, where that is on no wiki, the source and the title."""
        from urllib.parse import quote

        title, revision, known = row["article"], row["revision"], self._origin
        api_url = self._settings.api_url if known is None else known.api_url
        if known is not None and not api_url:
            return f"{known.source}#{title}"
        script = api_url.removesuffix("api.php") + "index.php"
        return f"{script}?oldid={revision}" if revision else f"{script}?title={quote(title.replace(' ', '_'))}"

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        return self._followed.rebuild(progress)

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        if self._links is not None:
            self._links.prepare()
        return self._followed.catch_up(progress)

    def close(self) -> None:
        if self._links is not None:
            self._links.close()
        self._followed.close()
        if self._embedder is not None:
            self._embedder.close()

    def vector(self, text: str) -> Any:
        """The vector of a question, by the model that the graph's vectors are from."""
        if self._dimension is None:
            raise NothingToSearch("this graph holds no vectors: grow it with an embedder, or search with --mode text")
        if self._embedder is None:
            model = self._model
            if self._settings.embedder == "none" or model is None:
                raise NothingToSearch(
                    "the setting wikipedia.embedder is none: search with --mode text, or set it to light"
                )
            self._embedder = open_embedder(self._settings, model)
            check_model(model, self._embedder)
        return self._embedder.embed([text])[0]

    def _distances(self, near: str, titles: list[str]) -> dict[str, int]:
        if not self._graph.read("article.named", keys=[near]):
            raise GraphvineError(f"there is no article {near!r} to be near to")
        rows = self._graph.read("article.distances", title=near, titles=titles)
        return {near: 0} | {row["title"]: row["distance"] for row in rows}


def _translate(row: Row) -> Document | tuple[str, str]:
    if row["gone"]:
        return KIND, row["id"]
    boilerplate = is_boilerplate(row["path"].split(" / "))
    heading = row["path"] if boilerplate else " ".join(filter(None, (row["article"], row["path"])))
    return Document(
        KIND, row["id"], row["seq"], {"title": heading, "body": row["text"]},
        {"article": row["article"], "path": row["path"]},
        None if boilerplate else row["embedding"] or None,
    )  # fmt: skip


def _hit(row: Row, piece: Snippet | None, address: str) -> SearchHit:
    text: str = row["text"]
    snippet, marks = (piece.text, piece.marks) if piece is not None else ("", ())
    if snippet not in text:  # words of the heading, which is shown anyway
        snippet, marks = "", ()
    snippet = snippet or text[:_SNIPPET_CHARACTERS]
    citation = cite(
        "article", row["article"], text, snippet, address, section=row["path"], revision=row["revision"],
        fetched_at=row["revised_at"],
    )  # fmt: skip
    shown = snippet.replace("\n", " ").replace("\t", " ")
    title = row["article"]
    return SearchHit("article", title, title, row["path"], shown, 0.0, citation, article=title, marks=marks)
