"""The settings of the service, under [serve] in graphvine.toml or as GRAPHVINE_SERVE_* variables."""

from __future__ import annotations

import ipaddress
import os
from typing import Annotated, Any

import msgspec

from graphvine.errors import SettingsError
from graphvine.settings import Positive, describe_as, section

TABLE = "serve"
Count = msgspec.Meta(ge=0)


class ServeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the daemon listens, what it works on, and what it lets others ask of it."""

    host: Annotated[str, describe_as("the address to listen on; beyond loopback, everything asks for the token")] = (
        "127.0.0.1"
    )
    port: Annotated[int, msgspec.Meta(ge=0, le=65535), describe_as("the port; 0 for any that is free")] = 8420
    allowed_hosts: Annotated[list[str], describe_as("other names under which browsers may reach it")] = []
    open_reads: Annotated[
        bool, describe_as("let everybody who can reach it read without a token, through a proxy too")
    ] = False
    certificate: Annotated[str, describe_as("a certificate (PEM file) for HTTPS, with its chain")] = ""
    private_key: Annotated[str, describe_as("the private key of the certificate (PEM file)")] = ""
    files_folder: Annotated[
        str, describe_as("the folder for COPY, backups and exports by HTTP; empty: no COPY, backups beside the graph")
    ] = ""
    workers: Annotated[
        dict[str, Annotated[int, Count]],
        describe_as("workers of each pipeline, as [serve.workers] article = 2; 0 for none, 1 where nothing is said"),
    ] = {}
    jobs: Annotated[bool, describe_as("run the jobs that go by the clock: the reaper, pulls, retries")] = True
    restart_seconds: Annotated[float, Positive, describe_as("pause before a crashed worker is restarted")] = 1
    restart_max_seconds: Annotated[float, Positive, describe_as("the longest such pause; it doubles each time")] = 60
    stop_seconds: Annotated[float, Positive, describe_as("the longest that an ordered end may take")] = 8
    ready_seconds: Annotated[
        float, Positive, describe_as("a store that has not answered for this long is not ready")
    ] = 10
    stuck_seconds: Annotated[
        float, Positive, describe_as("after this long the daemon ends with status 1, to be restarted")
    ] = 600
    max_body_bytes: Annotated[int, Positive, describe_as("the largest body of a request")] = 8_000_000
    max_bodies_bytes: Annotated[int, Positive, describe_as("the bodies of all requests together")] = 16_000_000
    max_answers_bytes: Annotated[
        int, Positive, describe_as("answers that are on their way, those of more than 32 KB together")
    ] = 64_000_000
    max_connections: Annotated[
        int, Positive, describe_as("connections at once, within the limit of open files; the longest idle is closed")
    ] = 4_000
    max_upload_bytes: Annotated[int, Positive, describe_as("the largest file that is uploaded")] = 8 << 30
    max_unit_bytes: Annotated[int, Positive, describe_as("the largest unit that a worker sends")] = 1 << 30
    header_seconds: Annotated[float, Positive, describe_as("the longest that the head of a request may take")] = 10
    body_seconds: Annotated[
        float, Positive, describe_as("the longest that a body may take, and the taking of an answer; per 1 MB")
    ] = 30
    requests_per_second: Annotated[float, Positive, describe_as("requests of one address without the token")] = 500
    refused_per_minute: Annotated[float, Positive, describe_as("wrong tokens of one address")] = 60
    cypher_at_once: Annotated[
        int, Positive, describe_as("typed queries that are taken at once, run or wait for a process")
    ] = 32
    cypher_max_rows: Annotated[int, Positive, describe_as("the most rows of a query by HTTP")] = 10_000
    cypher_seconds: Annotated[float, Positive, describe_as("the longest that a query by HTTP may take")] = 30
    mcp_at_once: Annotated[int, Positive, describe_as("requests of assistants at /mcp that are open side by side")] = 32
    mcp_sessions: Annotated[
        int, Count, describe_as("sessions of assistants at /mcp; those who come later are answered without one")
    ] = 64
    mcp_session_seconds: Annotated[
        float, Positive, describe_as("a session of an assistant ends when nothing was asked in it for so long")
    ] = 1_800
    history_rows: Annotated[
        int, Count, describe_as("moves of rows that are remembered for the dashboard, the oldest go; 0 for none")
    ] = 500_000
    webhooks: Annotated[
        list[str], describe_as("addresses that get every event as a signed POST; none: nothing is sent", trust="always")
    ] = []
    webhook_events: Annotated[list[str], describe_as("names of the events that are sent; empty for all")] = []
    webhook_secret_variable: Annotated[
        str, describe_as("the environment variable with the secret that signs them", trust="always")
    ] = "GRAPHVINE_WEBHOOK_SECRET"
    webhook_private_hosts: Annotated[
        str, describe_as("hosts of private networks that webhooks may reach, with commas", trust="always")
    ] = ""
    listeners: Annotated[int, Positive, describe_as("browsers that may listen to events at once")] = 100

    def check_tls(self) -> None:
        """Refuse a certificate without a key, and files that can't be read."""
        if bool(self.certificate) != bool(self.private_key):
            raise SettingsError("serve.certificate and serve.private_key go together: set both, or none")
        for path in filter(None, (self.certificate, self.private_key)):
            if not os.access(path, os.R_OK):
                raise SettingsError(f"{path} can't be read: serve.certificate and serve.private_key name PEM files")

    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def load(**given: Any) -> ServeSettings:
    return section(ServeSettings, TABLE, {name: value for name, value in given.items() if value is not None})


def workers_from(texts: list[str]) -> dict[str, int]:
    """What --worker said: PIPELINE=N."""
    found = {}
    for text in texts:
        name, equals, count = text.partition("=")
        if not equals or not count.isdigit() or int(count) > 64:
            raise SettingsError(f"--worker {text!r}: write PIPELINE=N, for instance article=2")
        found[name] = int(count)
    return found
