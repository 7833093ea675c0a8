"""The settings of this pipeline, under [wikipedia] in graphvine.toml or as GRAPHVINE_WIKIPEDIA_* variables."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from graphvine.settings import Positive, describe_as, section

TABLE = "wikipedia"


class WikipediaSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where articles come from, and what is made of them."""

    source: Annotated[str, describe_as("wiki, sample, or the path of a MediaWiki XML dump")] = "wiki"
    api_url: Annotated[str, describe_as("api.php of the wiki")] = "https://en.wikipedia.org/w/api.php"
    contact: Annotated[str, describe_as("a mail or web address, sent in the user agent; a public wiki wants one")] = ""
    maxlag_seconds: Annotated[int, Positive, describe_as("wait while the wiki's replicas lag more than this")] = 5
    batch_size: Annotated[int, Positive, describe_as("articles that a worker claims and writes together")] = 600
    workers: Annotated[int, Positive, describe_as("workers in one process; they fetch while others embed")] = 2
    serve_depth: Annotated[
        int, msgspec.Meta(ge=0), describe_as("links away from a seed that the daemon's workers work on")
    ] = 2
    disambiguation: Annotated[
        Literal["skip", "fail", "keep"],
        describe_as("what a disambiguation page becomes: skipped, failed, or an article of its kind"),
    ] = "skip"
    embedder: Annotated[
        Literal["light", "sentence-transformers", "none"], describe_as("how texts become vectors; none leaves them out")
    ] = "light"
    embed: Annotated[
        Literal["now", "later", "never"],
        describe_as("sections get vectors with their article, from the queue 'section' afterwards, or not at all"),
    ] = "now"
    model: Annotated[str, describe_as("a model by name or path; empty for the packaged all-MiniLM-L6-v2")] = ""
    threads: Annotated[int, msgspec.Meta(ge=0), describe_as("threads that embed; 0 for all cores")] = 0
    passage_words: Annotated[
        int, Positive, describe_as("a longer section is split into passages of this many words")
    ] = 180
    links: Annotated[
        Literal["all", "text"], describe_as("all links of a page, or only those of its own text, templates aside")
    ] = "all"
    dump_index_folder: Annotated[str, describe_as("where the index of a dump goes; empty for beside the dump")] = ""
    parse_seconds: Annotated[float, Positive, describe_as("longest parse of one page")] = 20
    parse_processes: Annotated[int, Positive, describe_as("processes that parse")] = 1
    max_wikitext_characters: Annotated[int, Positive, describe_as("a larger page fails")] = 2_500_000
    read_timeout_seconds: Annotated[float, Positive, describe_as("pause allowed within an answer")] = 30
    call_timeout_seconds: Annotated[float, Positive, describe_as("time allowed for a whole answer")] = 120
    max_links: Annotated[int, Positive, describe_as("links of one article that are followed")] = 5_000
    outage_seconds: Annotated[float, Positive, describe_as("first pause when the source is away; it doubles")] = 2
    outage_max_seconds: Annotated[float, Positive, describe_as("the longest pause when the source is away")] = 120


def load(**given: object) -> WikipediaSettings:
    return section(WikipediaSettings, TABLE, {name: value for name, value in given.items() if value is not None})
