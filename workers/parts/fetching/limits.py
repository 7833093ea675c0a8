"""How much one page may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Sizes are counted after decompression; `total_seconds` covers one request, from connecting to the last byte."""

    max_bytes: int = 10 << 20
    total_seconds: float = 60
    connect_seconds: float = 10
    read_seconds: float = 20
    max_redirects: int = 5
    max_address_characters: int = 1_900
    per_host_concurrency: int = 2
    # A site may ask for more time between two requests than anybody would wait.
    max_delay_seconds: float = 30
    # A Retry-After beyond this is taken for this.
    max_retry_after_seconds: float = 3_600
    robots_bytes: int = 500 << 10
    robots_seconds: float = 86_400
