"""The settings of searching, under [search] in graphvine.toml or as GRAPHVINE_SEARCH_* variables."""

from __future__ import annotations

from typing import Annotated

import msgspec

from graphvine.settings import Positive, describe_as, section

TABLE = "search"


class SearchSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which model writes answers, which kinds get vectors, and how often edges between the kinds are made."""

    answer_url: Annotated[
        str, describe_as("the base of an OpenAI-compatible interface that writes answers; empty for passages alone")
    ] = ""
    answer_model: Annotated[str, describe_as("the model to ask for there")] = ""
    answer_key_variable: Annotated[str, describe_as("the environment variable that holds its key")] = ""
    answer_sentences: Annotated[int, Positive, describe_as("the longest answer, in sentences")] = 6
    answer_seconds: Annotated[float, Positive, describe_as("the longest that an answer may take")] = 120
    edges_seconds: Annotated[
        float, msgspec.Meta(ge=0), describe_as("how often the daemon makes edges between the kinds; 0 for never")
    ] = 600
    vectors: Annotated[
        str,
        msgspec.Meta(pattern=r"^((hn|news|page)(,(hn|news|page))*)?$"),
        describe_as("kinds whose rows get vectors from the queue 'vector': hn,news,page; empty for none"),
    ] = ""

    @property
    def vector_kinds(self) -> list[str]:
        return sorted(set(filter(None, self.vectors.split(","))))


def load(**given: object) -> SearchSettings:
    return section(SearchSettings, TABLE, {name: value for name, value in given.items() if value is not None})
