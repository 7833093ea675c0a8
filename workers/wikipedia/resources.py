"""Opens a source by its name, and remembers with the graph which one its articles come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from graphvine import __version__
from graphvine.clock import moment
from graphvine.errors import GraphvineError, SettingsError
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.workers.pipeline import CannotWork
from graphvine.workers.wikipedia.settings import WikipediaSettings, load
from graphvine.workers.wikipedia.sources import Source

NAMED = ("wiki", "sample")
_DEFAULT_API = WikipediaSettings().api_url


class OtherSource(GraphvineError):
    """The graph was grown from another source; titles of the two would be mixed."""


class PartMissing(CannotWork):
    """A package that a source needs is not installed."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the articles of a graph come from."""

    source: str
    wiki: str  # the name that the source gives to itself
    api_url: str
    contact: str
    embed: str


def origin(graph: Graph) -> Origin | None:
    found = graph.read("article.source_in_use")
    return Origin(**{name: value or "" for name, value in found[0].items()}) if found else None


def settings_for(
    graph: Graph, settings: WikipediaSettings | None = None, *, other_source: bool = False, **given: Any
) -> WikipediaSettings:
    """The settings for work on this graph: what the caller says, then what the graph remembers, then the settings.

    Refuses a source that the graph was not grown from, unless `other_source`.
    """
    said = {name: value for name, value in given.items() if value is not None}
    base = load(**said) if settings is None else msgspec.structs.replace(settings, **said)
    known = origin(graph)
    if known is None:
        return base
    asked = settings is not None or "source" in said
    if asked and not _may_be_same(known, base):
        if not other_source:
            raise _refusal(known, base.source if base.source != "wiki" else base.api_url)
        return base
    remembered: dict[str, Any] = {} if asked else {"source": known.source}
    if known.source == "wiki":
        remembered |= {"api_url": known.api_url or base.api_url, "contact": base.contact or known.contact}
    if settings is None and "embed" not in said and known.embed:
        remembered["embed"] = known.embed
    return msgspec.structs.replace(base, **remembered)


def remember_source(
    graph: Graph, settings: WikipediaSettings, source: Source, *, embed: str | None, other_source: bool
) -> None:
    """Note where the articles come from; another dump of the same wiki takes the place of the one before."""
    known = origin(graph)
    where = settings.source if settings.source in NAMED else str(Path(settings.source).expanduser().absolute())
    rules = source.rules()
    wiki = rules.name
    if known is not None and known.source != where and known.wiki != wiki and not other_source:
        raise _refusal(known, where)
    now = Origin(
        where, wiki, settings.api_url if where == "wiki" else rules.api_url,
        settings.contact if where == "wiki" else "",
        embed or (known.embed if known is not None else ""),
    )  # fmt: skip
    if now != known:
        given = {name: getattr(now, name) for name in ("source", "wiki", "api_url", "contact", "embed")}
        graph.run(Unit.of([Step("article.use_source", {**given, "at": moment(graph.clock.now_ms())})]))


def _may_be_same(known: Origin, asked: WikipediaSettings) -> bool:
    if known.source in NAMED or asked.source in NAMED:
        same_wiki = asked.source != "wiki" or asked.api_url in (_DEFAULT_API, known.api_url)
        return known.source == asked.source and same_wiki
    return True  # two files: what they say of themselves decides, once they are open


def _refusal(known: Origin, asked: str) -> OtherSource:
    before = known.api_url if known.source == "wiki" else known.source
    return OtherSource(
        f"this graph was grown from {before} ({known.wiki}), not from {asked}: the same title may be another page"
        " there. Use another graph (--graph), or --other-source to go on from there"
    )


def open_source(settings: WikipediaSettings, progress: Callable[[int, int], None] | None = None) -> Source:
    """The source that the settings name: the API of a wiki, the sample, a dump, or documents of your own."""
    try:
        return _open(settings, progress)
    except ModuleNotFoundError as error:
        missing = error.name or str(error)
        advice = "run `pip install 'graphvine[wikipedia]'`"
        raise PartMissing(f"the source {settings.source!r} needs the package {missing}: {advice}") from error


def check_there(source: str) -> None:
    """Raise unless the source can be opened: wiki, sample, or a path that exists."""
    path = Path(source).expanduser()
    if source not in ("sample", "wiki") and not path.is_dir() and not path.is_file():
        raise SettingsError(
            f"the source {source!r} is not there: give wiki, sample, the path of a dump, of a folder of"
            " documents, or of a file of JSON lines (.jsonl)"
        )


def _open(settings: WikipediaSettings, progress: Callable[[int, int], None] | None) -> Source:
    if settings.source == "sample":
        from graphvine.workers.wikipedia.dump import SampleSource

        return SampleSource()
    if settings.source == "wiki":
        from graphvine.workers.wikipedia.api import MediaWikiSource
        from graphvine.workers.wikipedia.api_connection import CallLimits

        return MediaWikiSource(
            settings.api_url,
            contact=settings.contact,
            version=__version__,
            maxlag_seconds=settings.maxlag_seconds,
            with_links=settings.links == "all",
            limits=CallLimits(read_seconds=settings.read_timeout_seconds, call_seconds=settings.call_timeout_seconds),
        )
    path = Path(settings.source).expanduser()
    if path.is_dir():
        from graphvine.workers.wikipedia.documents import FolderSource

        return FolderSource(path)
    check_there(settings.source)
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        from graphvine.workers.wikipedia.documents import JsonLinesSource

        return JsonLinesSource(path)
    from graphvine.workers.wikipedia.dump import DumpSource

    folder = Path(settings.dump_index_folder).expanduser() if settings.dump_index_folder else None
    return DumpSource(path, index_folder=folder, progress=progress)
