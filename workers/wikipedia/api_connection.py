"""One HTTP call to a wiki: bounded in time and size, every fault named, Retry-After passed up.

mwclient retries by itself, ignores Retry-After on 429 and reads a body without limit. It takes any object with
a `request` method as its connection; this one answers with a whole body or raises, and leaves retrying to the
queue.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from graphvine.workers.wikipedia.errors import Fault, SourceRefused, SourceUnavailable

if TYPE_CHECKING:
    import requests

_CHUNK_BYTES = 64 * 1024
# A Retry-After beyond this is a mistake or a ban; the queue's own backoff is then the better guide.
_LONGEST_WAIT_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class CallLimits:
    """How long and how large one call may get."""

    connect_seconds: float = 10.0
    # Between two pieces of an answer.
    read_seconds: float = 30.0
    # For the answer as a whole: a server that sends a byte now and then must not hold a worker.
    call_seconds: float = 120.0
    answer_bytes: int = 64 * 1024 * 1024


class Connection:
    """What mwclient is given as its `pool`."""

    def __init__(self, source: str, user_agent: str, limits: CallLimits, now: Callable[[], float] = time.time) -> None:
        import requests

        self._source, self._limits, self._now = source, limits, now
        self._session = requests.Session()
        self._session.headers["User-Agent"] = user_agent
        # Wikimedia may then answer a POST that only reads from the nearest data centre.
        self._session.headers["Promise-Non-Write-API-Action"] = "true"

    def request(self, method: str, url: str, **options: Any) -> requests.Response:
        """The answer with its whole body, or SourceUnavailable or SourceRefused."""
        import requests
        from urllib3.exceptions import DecodeError, ProtocolError, ReadTimeoutError

        options |= {"stream": True, "allow_redirects": False}
        options["timeout"] = (self._limits.connect_seconds, self._limits.read_seconds)
        deadline = time.monotonic() + self._limits.call_seconds
        try:
            try:
                return self._call(method, url, options, deadline)
            except requests.exceptions.ConnectionError as error:
                if isinstance(error, requests.exceptions.Timeout | requests.exceptions.SSLError):
                    raise
                # A kept connection that the server closed meanwhile says nothing of the server: once more.
                return self._call(method, url, options, deadline)
        except (requests.exceptions.Timeout, ReadTimeoutError) as error:
            raise self._unavailable("timeout", "it did not answer in time") from error
        except requests.exceptions.SSLError as error:
            raise SourceRefused(
                self._source, f"its certificate is not accepted ({error})", "Check the address and the clock."
            ) from error
        except (ProtocolError, DecodeError) as error:
            raise self._unavailable("cut_body", "its answer was cut short") from error
        except requests.exceptions.ConnectionError as error:
            raise self._unavailable("connection", "there is no connection") from error
        except requests.exceptions.RequestException as error:
            raise SourceRefused(
                self._source, f"the call is not possible ({error})", "Check wikipedia.api_url."
            ) from error

    def close(self) -> None:
        """Close what is kept open."""
        self._session.close()

    def _call(self, method: str, url: str, options: dict[str, Any], deadline: float) -> requests.Response:
        import requests

        with self._session.request(method, url, **options) as answer:
            self._refuse(answer)
            body = bytearray()
            # read1 gives what has come so far; any other way of reading waits until its buffer is full.
            while chunk := answer.raw.read1(_CHUNK_BYTES, decode_content=True):
                body += chunk
                if len(body) > self._limits.answer_bytes:
                    limit = f"its answer is larger than {self._limits.answer_bytes:,} bytes"
                    raise SourceRefused(self._source, limit, "Ask for fewer titles a call.")
                if time.monotonic() > deadline:
                    raise self._unavailable("timeout", f"its answer took over {self._limits.call_seconds:g} s")
        whole = requests.Response()
        whole.status_code, whole.url, whole.encoding = answer.status_code, answer.url, "utf-8"
        whole.raw = io.BytesIO(body)
        return whole

    def _refuse(self, answer: requests.Response) -> None:
        """Raise for an answer that is none."""
        status, wait = answer.status_code, self._retry_after(answer.headers.get("Retry-After"))
        if answer.headers.get("X-Database-Lag"):
            lag = answer.headers["X-Database-Lag"]
            raise self._unavailable("maxlag", f"its database lags by {lag} s", wait)
        if status == 429:
            raise self._unavailable("too_many_requests", "it asks for fewer calls", wait)
        if status >= 500 or status == 408:
            fault: Fault = "timeout" if status in (408, 504) else "server_error"
            raise self._unavailable(fault, f"it answered with status {status}", wait)
        if 300 <= status < 400:
            place = answer.headers.get("Location", "elsewhere")
            raise SourceRefused(self._source, f"it sends us to {place}", "Set wikipedia.api_url to that address.")
        if status >= 400:
            advice = {
                403: "Check wikipedia.contact and whether this address is blocked.",
                404: "Check wikipedia.api_url: it should lead to api.php.",
            }.get(status, "Check wikipedia.api_url and the rights to read.")
            raise SourceRefused(self._source, f"it answered with status {status}", advice)

    def _retry_after(self, header: str | None) -> float | None:
        """The header in seconds from now; it comes as a number or as a date."""
        if not header:
            return None
        try:
            seconds = float(header)
        except ValueError:
            try:
                seconds = parsedate_to_datetime(header).timestamp() - self._now()
            except ValueError:
                return None
        return min(max(seconds, 0.0), _LONGEST_WAIT_SECONDS) if seconds == seconds else None

    def _unavailable(self, fault: Fault, reason: str, wait: float | None = None) -> SourceUnavailable:
        return SourceUnavailable(self._source, fault, reason, wait)
