"""The settings of this pipeline, under [scrape] in graphvine.toml or as GRAPHVINE_SCRAPE_* variables."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from graphvine.settings import Positive, describe_as, section

TABLE = "scrape"


class ScrapeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How pages are fetched, read and summarized, and what happens when a batch is done."""

    max_scrapes: Annotated[
        int, msgspec.Meta(gt=0, le=1000), describe_as("scrapes at once, over all batches of the graph")
    ] = 8
    max_summaries: Annotated[int, msgspec.Meta(gt=0, le=1000), describe_as("summaries written at once, a batch")] = 4
    wake_ms: Annotated[
        int, msgspec.Meta(ge=100, le=500), describe_as("the longest the manager waits before it looks around")
    ] = 250
    partial_ms: Annotated[int, Positive, describe_as("a summary that streams is saved at most this often")] = 250
    manager_seconds: Annotated[
        float, Positive, describe_as("a manager that is silent for this long is taken for dead, and replaced")
    ] = 30
    silent_seconds: Annotated[
        float, Positive, describe_as("a page of whose worker nothing was heard for this long is tried again")
    ] = 900
    per_host_concurrency: Annotated[int, Positive, describe_as("requests at once to one host")] = 2
    allowed_private_hosts: Annotated[
        str, describe_as("private hosts that may be fetched: names, addresses, networks, each with :port or without")
    ] = ""
    obey_robots: Annotated[bool, describe_as("ask for robots.txt and do what it says")] = True
    contact: Annotated[str, describe_as("a mail or web address, sent in the user agent")] = ""
    max_bytes: Annotated[int, Positive, describe_as("a larger page fails; counted after decompression")] = 10 << 20
    total_seconds: Annotated[float, Positive, describe_as("time allowed for a whole answer")] = 60
    connect_seconds: Annotated[float, Positive, describe_as("time allowed for a connection")] = 10
    read_seconds: Annotated[float, Positive, describe_as("pause allowed within an answer")] = 20
    max_redirects: Annotated[int, msgspec.Meta(ge=0, le=50), describe_as("redirects that are followed")] = 5
    max_text_characters: Annotated[int, Positive, describe_as("the text of a longer page is cut")] = 500_000
    max_pdf_pages: Annotated[int, Positive, describe_as("pages of a PDF that are read")] = 500
    parse_seconds: Annotated[float, Positive, describe_as("longest reading of one page")] = 20
    parse_processes: Annotated[int, Positive, describe_as("processes that read pages")] = 1
    summarizer: Annotated[
        Literal["auto", "model", "light", "words"],
        describe_as("a model (auto: where summary_url is set), or the best sentences by vectors or by words"),
    ] = "auto"
    summary_url: Annotated[str, describe_as("base of an OpenAI-compatible interface, such as .../v1")] = ""
    summary_model: Annotated[str, describe_as("the model's name there")] = "default"
    summary_key_variable: Annotated[str, describe_as("the environment variable that holds its key")] = "OPENAI_API_KEY"
    summary_seconds: Annotated[float, Positive, describe_as("time allowed for one summary")] = 120
    summary_sentences: Annotated[int, Positive, describe_as("sentences in a summary")] = 5
    hook: Annotated[str, describe_as("called when a batch is done: package.module:function")] = ""
    hook_command: Annotated[
        str, describe_as("run when a batch is done; gets the results as JSON lines on standard input")
    ] = ""
    hook_seconds: Annotated[float, Positive, describe_as("time allowed for hook_command")] = 600
    hook_tries: Annotated[int, Positive, describe_as("tries before the hook has failed")] = 3


def load(**given: object) -> ScrapeSettings:
    return section(ScrapeSettings, TABLE, {name: value for name, value in given.items() if value is not None})


SETTINGS = ScrapeSettings
