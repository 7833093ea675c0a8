"""Nothing that people, logs or other programs are shown holds a password, a key or a token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.redact import redact, redact_arguments, redact_values, without_secrets

SECRET = "s3cr/et@w0rd"


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("neo4j://neo4j:pw@host:7687/db", "neo4j://host:7687/db"), ("bolt://u:a/b@host/db", "bolt://host/db"),
        ("unknown+x://u:a/b/c@host", "unknown+x://host"), ("http://u:a@b/c@host:1/x", "http://host:1/x"),
        ("http://:token@127.0.0.1:8000", "http://127.0.0.1:8000"), ("https://medium.com/@user", "https://medium.com/@user"),
        ("http://host:80/path", "http://host:80/path"), ("http://[::1]:80/a@b", "http://[::1]:80/a@b"),
        ("graph.kuzu", "graph.kuzu"), ("/home/me@x/graph.kuzu", "/home/me@x/graph.kuzu"),
    ],
)  # fmt: skip
def test_addresses_lose_name_and_password(where: str, shown: str) -> None:
    assert without_secrets(where) == shown
    assert redact(f"can't open {where}: refused") == f"can't open {shown}: refused"


@pytest.mark.parametrize(
    "text",
    [
        f"x://u:{SECRET}@host/db is not a valid address", f"GET https://a.example/?api_key={SECRET}&x=1",
        f"Authorization: Bearer {SECRET}", f"token={SECRET}", f"X-Access-Key: {SECRET}", f"password: {SECRET}",
        f"https://a.example/rss?x=1&token={SECRET}#top", f'{{"token": "{SECRET}"}}', f"{{'db_password': '{SECRET}'}}",
        f'api_key="{SECRET}"', f"GRAPHVINE_NEO4J_PASSWORD={SECRET}", f"client-secret: {SECRET}", f"private_key={SECRET}",
        f"Cookie: a=b; session={SECRET}", f"https://a.example/?X-Amz-Signature={SECRET}&x=1", f"pwd={SECRET}",
        f"https://a.example/?sig={SECRET}", f"'Authorization': 'Basic {SECRET}'", f"authorization=Bearer {SECRET}",
    ],
)  # fmt: skip
def test_secrets_in_running_text_are_hidden(text: str) -> None:
    assert SECRET not in redact(text) and "s3cr" not in redact(text) and "w0rd" not in redact(text)


def test_options_with_secrets_are_hidden_in_command_lines() -> None:
    shown = redact_arguments(
        ["graphvine", "--graph", f"http://x:{SECRET}@h", "--token", SECRET, f"--api-key={SECRET}", "grow"]
    )
    assert shown == "graphvine --graph http://h --token *** --api-key=*** grow"


def test_values_of_requests_are_redacted_wherever_they_stand() -> None:
    assert redact_values({"feeds": ["https://u:p@a.example/?key=abcd"], "depth": 2, "x": (None,)}) == {
        "feeds": ["https://a.example/?key=***"], "depth": 2, "x": [None],
    }  # fmt: skip


@given(st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    assert redact(redact(text)) == redact(text) or "://" in text


def test_long_hostile_text_costs_time_in_proportion() -> None:
    """Nothing here looks back further than it has read: a second of CPU would be a thousand times what it takes."""
    for hostile in ("a" * 200_000, "x://" * 50_000, "token=" * 30_000, "?key=" * 40_000, "://:@/" * 30_000, "a_" * 90_000,
                    "cookie:" * 30_000, "token" + " " * 200_000, "&a-" * 60_000):  # fmt: skip
        assert redact(hostile) is not None
