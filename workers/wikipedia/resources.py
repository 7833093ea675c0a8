"""Opens a source by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from graphvine import __version__
from graphvine.errors import SettingsError
from graphvine.workers.wikipedia.settings import WikipediaSettings
from graphvine.workers.wikipedia.sources import Source


def open_source(settings: WikipediaSettings, progress: Callable[[int, int], None] | None = None) -> Source:
    """The source that the settings name: the API of a wiki, the sample, or a dump."""
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
    if not path.is_file():
        raise SettingsError(f"the source {settings.source!r} is neither wiki, nor sample, nor a dump that is there")
    from graphvine.workers.wikipedia.dump import DumpSource

    folder = Path(settings.dump_index_folder).expanduser() if settings.dump_index_folder else None
    return DumpSource(path, index_folder=folder, progress=progress)
