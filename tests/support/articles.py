"""Articles as tests look at them and write about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphvine.claims import Claims
from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.records import Claim, Step

COLUMNS = (
    "title", "expansion_state", "expansion_depth", "claimed_by", "claimed_at", "processed_at", "retry_count",
    "last_error", "seq", "due", "lease", "lost_claims", "failure_count",
)  # fmt: skip
_ALL = ", ".join(f"a.{column} AS {column}" for column in COLUMNS)


def row(graph: Graph, title: str) -> dict[str, Any]:
    """Every column of one article."""
    found = graph.query(f"MATCH (a:Article {{title: $title}}) RETURN {_ALL}", {"title": title}).as_dicts()
    assert len(found) == 1, f"{len(found)} articles {title!r}"
    return found[0]


def rows(graph: Graph) -> dict[str, dict[str, Any]]:
    """Every column of every article, by title."""
    found = graph.query(f"MATCH (a:Article) RETURN {_ALL}", max_rows=1_000_000).as_dicts()
    by_title = {one["title"]: one for one in found}
    assert len(by_title) == len(found), "a title stands there twice"
    return by_title


def states(graph: Graph) -> dict[str, str]:
    found = graph.query("MATCH (a:Article) RETURN a.title, a.expansion_state", max_rows=1_000_000)
    return dict(found.rows)


def links(graph: Graph) -> list[tuple[str, str]]:
    found = graph.query("MATCH (a:Article)-[:LINKS_TO]->(b:Article) RETURN a.title, b.title", max_rows=1_000_000)
    return sorted((source, target) for source, target in found.rows)


def keys(claims: Iterable[Claim]) -> list[str]:
    return [claim.key for claim in claims]


def linking(graph: Graph, claim: Claim, titles: Sequence[str]) -> list[Step]:
    """The results of an article that links to these: they are discovered, and the links recorded."""
    found = [{"claim": claim.seq, "title": title, "depth": claim.depth + 1, "seq": 0} for title in titles]
    edges = [{"claim": claim.seq, "source": claim.key, "target": title} for title in titles]
    return [
        Step("article.discover", {"rows": found, "now": graph.clock.now_ms()}),
        Step("article.link", {"rows": edges}),
    ]


def section(claim: int, id: str, vector: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    """A row for article.add_sections and article.replace_sections: with its vector, or one that gets none."""
    about = {"article": "", "title": "", "path": "", "level": 1, "position": 0, "part": 0, "text": ""}
    queue = {"state": "plain" if vector is None else "embedded", "place": 0, "due": NEVER, "seq": 0}
    vectors = {"even": vector, "odd": None, "generation": -1 if vector is None else 0}
    return {"claim": claim, "id": id, **about, **queue, **vectors, **more}


def take_one(claims: Claims, most: int = 1) -> Claim:
    """Claim one row that must be there, and no more of `most`."""
    (claim,) = claims.claim(most)
    return claim


def fail_for_good(graph: Graph, title: str, error: str = "gone") -> None:
    """Claim this article, which must be the next, and give it up."""
    claims = graph.claims("article", "the one who fails it")
    claim = take_one(claims)
    assert claim.key == title
    claims.fail(claim, error, permanent=True)
