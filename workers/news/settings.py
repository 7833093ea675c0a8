"""The settings of this pipeline, under [news] in graphvine.toml or as GRAPHVINE_NEWS_* variables."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from graphvine.settings import Positive, describe_as, section

TABLE = "news"
_Name = msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")


class NewsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where news come from, and how they are fetched, parsed, summarized and rated."""

    topic: Annotated[str, _Name, describe_as("the name of the topic: the prefix of all its keys")] = "BTC"
    query: Annotated[str, msgspec.Meta(min_length=1), describe_as("the search query for the providers")] = "bitcoin"
    language: Annotated[str, describe_as("the language of the articles; empty for all")] = "en"
    newsdata_url: Annotated[str, describe_as("address of NewsData.io", trust="always")] = (
        "https://newsdata.io/api/1/news"
    )
    newsdata_key_variable: Annotated[
        str,
        describe_as(
            "the environment variable with the key of NewsData.io; without a key it is not queried", trust="always"
        ),
    ] = "NEWSDATA_API_KEY"
    apitube_url: Annotated[str, describe_as("address of APITube", trust="always")] = (
        "https://api.apitube.io/v1/news/everything"
    )
    apitube_key_variable: Annotated[
        str,
        describe_as(
            "the environment variable with the key of APITube; without a key it is not queried", trust="always"
        ),
    ] = "APITUBE_API_KEY"
    feeds: Annotated[str, describe_as("addresses of RSS and Atom feeds, separated by spaces")] = ""
    # The constants of the specification.
    max_stored_articles: Annotated[int, Positive, describe_as("most ids in the index; articles are kept")] = 500
    max_pages: Annotated[int, Positive, describe_as("pages read from a provider in one run")] = 15
    id_index_ttl: Annotated[int, Positive, describe_as("seconds that an id stays in the index")] = 2_592_000
    max_articles_per_run: Annotated[
        int, msgspec.Meta(gt=0, le=1000), describe_as("articles claimed in one run, as one batch")
    ] = 5
    max_content_chars: Annotated[int, Positive, describe_as("most characters of an article's text")] = 10_240
    max_content_fetch_attempts: Annotated[
        int, Positive, describe_as("attempts at a page before it goes to the end of the queue for a last one")
    ] = 5
    max_attempts: Annotated[int, Positive, describe_as("attempts at a model before the offline method is used")] = 3
    update_seconds: Annotated[float, msgspec.Meta(ge=0), describe_as("how often the updater runs; 0: never")] = 3600
    process_seconds: Annotated[float, msgspec.Meta(ge=0), describe_as("how often the processor runs; 0: never")] = 60
    high_priority: Annotated[
        str, describe_as("sites, or words of a title, separated by commas: their articles go first")
    ] = ""
    low_priority: Annotated[str, describe_as("the same, for articles that go last")] = ""
    concurrency: Annotated[int, msgspec.Meta(gt=0, le=200), describe_as("articles processed at once")] = 8
    per_host_concurrency: Annotated[int, Positive, describe_as("requests at once to one host")] = 2
    allowed_private_hosts: Annotated[
        str, describe_as("private hosts that may be fetched: names, addresses, networks, each with :port or without")
    ] = ""
    obey_robots: Annotated[bool, describe_as("obey robots.txt")] = True
    contact: Annotated[str, describe_as("a mail or web address, sent in the User-Agent header")] = ""
    max_bytes: Annotated[int, Positive, describe_as("largest page, after decompression")] = 5 << 20
    total_seconds: Annotated[float, Positive, describe_as("time limit of a whole response")] = 30
    connect_seconds: Annotated[float, Positive, describe_as("time limit of connecting")] = 10
    read_seconds: Annotated[float, Positive, describe_as("time limit between two parts of a response")] = 15
    max_redirects: Annotated[int, msgspec.Meta(ge=0, le=50), describe_as("most redirects")] = 5
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
    summary_seconds: Annotated[float, Positive, describe_as("time limit of one summary")] = 60
    summary_sentences: Annotated[int, Positive, describe_as("most sentences in a summary")] = 3
    sentiment: Annotated[
        Literal["auto", "model", "words"],
        describe_as("a model (auto: if sentiment_url is set), or a lexicon"),
    ] = "auto"
    sentiment_url: Annotated[str, describe_as("base of an OpenAI-compatible API, such as .../v1", trust="always")] = ""
    sentiment_model: Annotated[str, describe_as("the model's name")] = "default"
    sentiment_key_variable: Annotated[str, describe_as("the environment variable with its key", trust="always")] = (
        "OPENAI_API_KEY"
    )
    sentiment_seconds: Annotated[float, Positive, describe_as("time limit of one sentiment")] = 30
    same_story: Annotated[
        Literal["auto", "light", "off"],
        describe_as("link articles on the same story, by their vectors (auto: if an embedder is installed)"),
    ] = "auto"
    same_story_similarity: Annotated[
        float, msgspec.Meta(gt=0, le=1), describe_as("least similarity of two articles on the same story")
    ] = 0.75
    same_story_articles: Annotated[int, Positive, describe_as("how many articles a new one is compared with")] = 1_000
    mentions: Annotated[bool, describe_as("link articles to the Wikipedia articles that they name")] = True


def load(**given: object) -> NewsSettings:
    return section(NewsSettings, TABLE, {name: value for name, value in given.items() if value is not None})


PHASES = ("content", "summary", "sentiment")


def additions_checkpoint(topic: str) -> str:
    return f"{topic}_ADDITIONS_CHECKPOINT"


def phase_checkpoint(topic: str, phase: str) -> str:
    return f"{topic}_{phase.upper()}_CHECKPOINT"


def all_checkpoints(topic: str) -> list[str]:
    return [additions_checkpoint(topic), *(phase_checkpoint(topic, phase) for phase in PHASES)]
