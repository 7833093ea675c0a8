"""The settings of this pipeline, under [scrape] in graphvine.toml or as GRAPHVINE_SCRAPE_* variables."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from graphvine.settings import Positive, describe_as, section

TABLE = "scrape"


class ScrapeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How pages are fetched, parsed and summarized, and what happens when a batch is finished."""

    max_scrapes: Annotated[
        int, msgspec.Meta(gt=0, le=1000), describe_as("scrapes at once, over all batches of the graph")
    ] = 8
    max_summaries: Annotated[int, msgspec.Meta(gt=0, le=1000), describe_as("summaries written at once, per batch")] = 4
    wake_ms: Annotated[int, msgspec.Meta(ge=100, le=500), describe_as("longest wait of the manager for an event")] = 250
    partial_ms: Annotated[int, Positive, describe_as("a streaming summary is saved at most this often")] = 250
    manager_seconds: Annotated[float, Positive, describe_as("a manager that is silent for this long is replaced")] = 30
    silent_seconds: Annotated[
        float, Positive, describe_as("a page whose worker is silent for this long is retried")
    ] = 900
    per_host_concurrency: Annotated[int, Positive, describe_as("requests at once to one host")] = 2
    allowed_private_hosts: Annotated[
        str, describe_as("private hosts that may be fetched: names, addresses, networks, each with :port or without")
    ] = ""
    obey_robots: Annotated[bool, describe_as("obey robots.txt")] = True
    contact: Annotated[str, describe_as("a mail or web address, sent in the User-Agent header")] = ""
    max_bytes: Annotated[int, Positive, describe_as("largest page, after decompression")] = 10 << 20
    total_seconds: Annotated[float, Positive, describe_as("time limit of a whole response")] = 60
    connect_seconds: Annotated[float, Positive, describe_as("time limit of connecting")] = 10
    read_seconds: Annotated[float, Positive, describe_as("time limit between two parts of a response")] = 20
    max_redirects: Annotated[int, msgspec.Meta(ge=0, le=50), describe_as("most redirects")] = 5
    max_text_characters: Annotated[int, Positive, describe_as("the text of a longer page is cut")] = 500_000
    max_pdf_pages: Annotated[int, Positive, describe_as("pages of a PDF that are read")] = 500
    parse_seconds: Annotated[float, Positive, describe_as("time limit of parsing one page")] = 20
    parse_processes: Annotated[int, Positive, describe_as("processes that parse pages")] = 1
    summarizer: Annotated[
        Literal["auto", "model", "light", "words"],
        describe_as("a model (auto: where summary_url is set), or the best sentences by vectors or by words"),
    ] = "auto"
    summary_url: Annotated[str, describe_as("base of an OpenAI-compatible API, such as .../v1", trust="always")] = ""
    summary_model: Annotated[str, describe_as("the model's name")] = "default"
    summary_key_variable: Annotated[str, describe_as("the environment variable with its key", trust="always")] = (
        "OPENAI_API_KEY"
    )
    summary_seconds: Annotated[float, Positive, describe_as("time limit of one summary")] = 120
    summary_sentences: Annotated[int, Positive, describe_as("most sentences in a summary")] = 5
    hook: Annotated[str, describe_as("called when a batch is finished: package.module:function", trust="always")] = ""
    hook_command: Annotated[
        str,
        describe_as("run when a batch is finished; gets the results as JSON lines on standard input", trust="always"),
    ] = ""
    hook_seconds: Annotated[float, Positive, describe_as("time allowed for hook_command")] = 600
    hook_tries: Annotated[int, Positive, describe_as("attempts before the hook has failed")] = 3


def load(**given: object) -> ScrapeSettings:
    return section(ScrapeSettings, TABLE, {name: value for name, value in given.items() if value is not None})
