"""The settings of this pipeline, under [news] in graphvine.toml or as GRAPHVINE_NEWS_* variables."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from graphvine.settings import Positive, describe_as, section

TABLE = "news"
_Name = msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")


class NewsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where news come from, and how they are fetched, read, summarized and judged."""

    topic: Annotated[str, _Name, describe_as("the name of the topic: it begins the name of each of its keys")] = "BTC"
    query: Annotated[str, msgspec.Meta(min_length=1), describe_as("what the providers are asked for")] = "bitcoin"
    language: Annotated[str, describe_as("the language that is asked for; empty for all")] = "en"
    newsdata_url: Annotated[str, describe_as("NewsData.io")] = "https://newsdata.io/api/1/news"
    newsdata_key_variable: Annotated[
        str, describe_as("the environment variable that holds the key of NewsData.io; without a key it is not asked")
    ] = "NEWSDATA_API_KEY"
    apitube_url: Annotated[str, describe_as("APITube")] = "https://api.apitube.io/v1/news/everything"
    apitube_key_variable: Annotated[
        str, describe_as("the environment variable that holds the key of APITube; without a key it is not asked")
    ] = "APITUBE_API_KEY"
    feeds: Annotated[str, describe_as("addresses of RSS and Atom feeds, with spaces between them")] = ""
    # The document's constants.
    max_stored_articles: Annotated[int, Positive, describe_as("ids in the index; articles themselves stay")] = 500
    max_pages: Annotated[int, Positive, describe_as("pages asked of a provider in one run")] = 15
    id_index_ttl: Annotated[int, Positive, describe_as("seconds that an id stays in the index")] = 2_592_000
    max_articles_per_run: Annotated[
        int, msgspec.Meta(gt=0, le=1000), describe_as("articles taken from the queue in one run, as one batch")
    ] = 5
    max_content_chars: Annotated[int, Positive, describe_as("characters of an article's text that are kept")] = 10_240
    max_content_fetch_attempts: Annotated[
        int, Positive, describe_as("tries of a page before it goes to the end of the queue for a last one")
    ] = 5
    max_attempts: Annotated[int, Positive, describe_as("tries of a model before the offline way stands in")] = 3
    update_seconds: Annotated[float, msgspec.Meta(ge=0), describe_as("how often the updater runs; 0: never")] = 3600
    process_seconds: Annotated[float, msgspec.Meta(ge=0), describe_as("how often the processor runs; 0: never")] = 60
    high_priority: Annotated[
        str, describe_as("sites, or words of a title, with commas between them: their articles go first")
    ] = ""
    low_priority: Annotated[str, describe_as("likewise, for articles that go last")] = ""
    concurrency: Annotated[int, msgspec.Meta(gt=0, le=200), describe_as("articles worked on at once")] = 8
    per_host_concurrency: Annotated[int, Positive, describe_as("requests at once to one host")] = 2
    allowed_private_hosts: Annotated[
        str, describe_as("private hosts that may be fetched: names, addresses, networks, each with :port or without")
    ] = ""
    obey_robots: Annotated[bool, describe_as("ask for robots.txt of pages and do what it says")] = True
    contact: Annotated[str, describe_as("a mail or web address, sent in the user agent")] = ""
    max_bytes: Annotated[int, Positive, describe_as("a larger page fails; counted after decompression")] = 5 << 20
    total_seconds: Annotated[float, Positive, describe_as("time allowed for a whole answer")] = 30
    connect_seconds: Annotated[float, Positive, describe_as("time allowed for a connection")] = 10
    read_seconds: Annotated[float, Positive, describe_as("pause allowed within an answer")] = 15
    max_redirects: Annotated[int, msgspec.Meta(ge=0, le=50), describe_as("redirects that are followed")] = 5
    parse_seconds: Annotated[float, Positive, describe_as("longest reading of one page")] = 20
    parse_processes: Annotated[int, Positive, describe_as("processes that read pages")] = 1
    summarizer: Annotated[
        Literal["auto", "model", "light", "words"],
        describe_as("a model (auto: where summary_url is set), or the best sentences by vectors or by words"),
    ] = "auto"
    summary_url: Annotated[str, describe_as("base of an OpenAI-compatible interface, such as .../v1")] = ""
    summary_model: Annotated[str, describe_as("the model's name there")] = "default"
    summary_key_variable: Annotated[str, describe_as("the environment variable that holds its key")] = "OPENAI_API_KEY"
    summary_seconds: Annotated[float, Positive, describe_as("time allowed for one summary")] = 60
    summary_sentences: Annotated[int, Positive, describe_as("sentences in a summary")] = 3
    sentiment: Annotated[
        Literal["auto", "model", "words"],
        describe_as("a model (auto: where sentiment_url is set), or the weights of its words"),
    ] = "auto"
    sentiment_url: Annotated[str, describe_as("base of an OpenAI-compatible interface, such as .../v1")] = ""
    sentiment_model: Annotated[str, describe_as("the model's name there")] = "default"
    sentiment_key_variable: Annotated[str, describe_as("the environment variable that holds its key")] = (
        "OPENAI_API_KEY"
    )
    sentiment_seconds: Annotated[float, Positive, describe_as("time allowed for one sentiment")] = 30
    same_story: Annotated[
        Literal["auto", "light", "off"],
        describe_as("link articles that tell the same story, by vectors (auto: where these can be made)"),
    ] = "auto"
    same_story_similarity: Annotated[
        float, msgspec.Meta(gt=0, le=1), describe_as("how like each other two articles are that tell the same story")
    ] = 0.75
    same_story_articles: Annotated[int, Positive, describe_as("articles that a new one is compared with")] = 1_000
    mentions: Annotated[bool, describe_as("link articles to the Wikipedia articles of this graph that they name")] = (
        True
    )


def load(**given: object) -> NewsSettings:
    return section(NewsSettings, TABLE, {name: value for name, value in given.items() if value is not None})


SETTINGS = NewsSettings
