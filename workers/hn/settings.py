"""The settings of this pipeline, under [hn] in graphvine.toml or as GRAPHVINE_HN_* variables."""

from __future__ import annotations

from typing import Annotated

import msgspec

from graphvine.settings import Positive, describe_as, section

TABLE = "hn"


class HNSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where items come from, and how politely they are asked for."""

    base_url: Annotated[str, describe_as("the Firebase API")] = "https://hacker-news.firebaseio.com/v0"
    concurrency: Annotated[int, Positive, describe_as("requests on the way at once")] = 20
    requests_per_second: Annotated[float, Positive, describe_as("requests in a second, at most")] = 50
    timeout_seconds: Annotated[float, Positive, describe_as("the longest that one request may take")] = 20
    attempts: Annotated[int, Positive, describe_as("tries of one request before its item is put off")] = 4
    backoff_seconds: Annotated[float, Positive, describe_as("pause before a request is tried again; it doubles")] = 0.5
    backoff_max_seconds: Annotated[float, Positive, describe_as("the longest such pause")] = 30
    items_at_once: Annotated[int, Positive, describe_as("items that are written in one transaction")] = 10_000
    pull_chunk: Annotated[int, Positive, describe_as("ids of a walk that are fetched and written together")] = 2_000
    max_response_bytes: Annotated[int, Positive, describe_as("the largest answer that is read")] = 16_000_000
    first_pull: Annotated[int, Positive, describe_as("how far back --since-last looks in a graph without items")] = (
        1_000
    )
    missing_seconds: Annotated[float, msgspec.Meta(ge=0), describe_as(
        "how long --since-last asks again for ids that answered null"
    )] = 24 * 3600  # fmt: skip
    since_last_seconds: Annotated[float, msgspec.Meta(ge=0), describe_as(
        "how often the daemon pulls new items; 0 for never"
    )] = 60  # fmt: skip
    updates_seconds: Annotated[float, msgspec.Meta(ge=0), describe_as(
        "how often the daemon pulls changed items; 0 for never"
    )] = 60  # fmt: skip
    retry_seconds: Annotated[float, Positive, describe_as("how often failed items are looked at for a retry")] = 60


def load(**given: object) -> HNSettings:
    return section(HNSettings, TABLE, {name: value for name, value in given.items() if value is not None})
