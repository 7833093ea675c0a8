"""Parses wikitext in sandboxed processes: no page can hang, crash or fill the process that works."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from graphvine.workers.common.sandbox import Sandbox, SandboxFailed, SandboxUnavailable
from graphvine.workers.wikipedia.errors import ParserUnavailable
from graphvine.workers.wikipedia.parse_page import Limits, parse_page
from graphvine.workers.wikipedia.parsed import Malformed, ParsedPage
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Hop, Page
from graphvine.workers.wikipedia.wikitext import MAIN_ONLY


class Parser:
    """A number of parsing processes. `parse` may be called by several threads; close it at the end."""

    def __init__(
        self, rules: SiteRules, limits: Limits = Limits(), *, processes: int = 1,
        link_namespaces: frozenset[int] = MAIN_ONLY,
    ) -> None:  # fmt: skip
        setup = {"rules": rules.as_json(), "limits": asdict(limits), "namespaces": sorted(link_namespaces)}
        self._sandbox = Sandbox(
            f"{__name__}:open_task", setup, seconds=limits.parse_seconds, memory_bytes=limits.memory_bytes,
            processes=processes,
        )  # fmt: skip

    def parse(self, page: Page) -> ParsedPage | Malformed:
        """The parsed page, or why it can't be parsed; raises ParserUnavailable if no process can be started."""
        try:
            answer = self._sandbox.call(page_as_json(page))
        except SandboxFailed as error:
            return Malformed(page.title, str(error))
        except SandboxUnavailable as error:
            raise ParserUnavailable(str(error)) from error
        return Malformed(page.title, answer["malformed"]) if "malformed" in answer else ParsedPage.from_json(answer)

    def close(self) -> None:
        """Stop the processes; waits for pages that are being parsed."""
        self._sandbox.close()

    def __enter__(self) -> Parser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_task(setup: dict[str, Any]) -> Callable[[dict[str, Any], bytes], dict[str, Any]]:
    """The task, in the sandbox."""
    sys.setrecursionlimit(10_000)
    rules, limits = SiteRules.from_json(setup["rules"]), Limits(**setup["limits"])
    namespaces = frozenset(setup["namespaces"])

    def parse(request: dict[str, Any], body: bytes) -> dict[str, Any]:
        parsed = parse_page(page_from_json(request), rules, limits, namespaces)
        return {"malformed": parsed.reason} if isinstance(parsed, Malformed) else parsed.as_json()

    return parse


def page_as_json(page: Page) -> dict[str, Any]:
    """What the parser needs of a page."""
    return {
        "title": page.title, "namespace": page.namespace, "revision_id": page.revision_id, "wikitext": page.wikitext,
        "links": page.links, "categories": page.categories, "properties": dict(page.properties), "format": page.format,
        "redirects": [[hop.title, hop.fragment] for hop in page.redirects],
    }  # fmt: skip


def page_from_json(data: dict[str, Any]) -> Page:
    """The inverse of `page_as_json`."""
    return Page(
        asked=data["title"], title=data["title"], namespace=data["namespace"], page_id=0,
        revision_id=data["revision_id"], timestamp="", wikitext=data["wikitext"],
        links=None if data["links"] is None else tuple(data["links"]),
        categories=None if data["categories"] is None else tuple(data["categories"]),
        properties=data["properties"], format=data["format"], redirects=tuple(Hop(*hop) for hop in data["redirects"]),
    )  # fmt: skip
