"""The process that parses: one page per line on its input, one answer per line on its output.

It ends by itself when its parent is gone, and the kernel ends it when a page takes too long: the alarm keeps its
default action, which no C code can put off.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from typing import Any

from graphvine.workers.wikipedia.parsed import Malformed
from graphvine.workers.wikipedia.parsing import parse_page
from graphvine.workers.wikipedia.precheck import Limits
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Hop, Page


def page_as_json(page: Page) -> dict[str, Any]:
    """What the child needs of a page."""
    return {
        "title": page.title,
        "namespace": page.namespace,
        "revision_id": page.revision_id,
        "wikitext": page.wikitext,
        "links": page.links,
        "categories": page.categories,
        "properties": dict(page.properties),
        "redirects": [[hop.title, hop.fragment] for hop in page.redirects],
    }


def page_from_json(data: dict[str, Any]) -> Page:
    """The inverse of `page_as_json`."""
    return Page(
        asked=data["title"],
        title=data["title"],
        namespace=data["namespace"],
        page_id=0,
        revision_id=data["revision_id"],
        timestamp="",
        wikitext=data["wikitext"],
        links=None if data["links"] is None else tuple(data["links"]),
        categories=None if data["categories"] is None else tuple(data["categories"]),
        properties=data["properties"],
        redirects=tuple(Hop(*hop) for hop in data["redirects"]),
    )


def answer(line: str, rules: SiteRules, limits: Limits, namespaces: frozenset[int]) -> dict[str, Any]:
    """One page parsed, as the parent reads it."""
    page = page_from_json(json.loads(line))
    signal.setitimer(signal.ITIMER_REAL, limits.parse_seconds)
    try:
        parsed = parse_page(page, rules, limits, namespaces)
    except MemoryError:
        parsed = Malformed(page.title, f"it needs more than {limits.memory_bytes // 1024**2:,} MiB to parse")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {"malformed": parsed.reason} if isinstance(parsed, Malformed) else parsed.as_json()


def main() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    sys.setrecursionlimit(10_000)
    setup = json.loads(sys.stdin.readline() or "null")
    if setup is None:
        return
    rules, limits = SiteRules.from_json(setup["rules"]), Limits(**setup["limits"])
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(line, rules, limits, frozenset(setup["namespaces"]))), flush=True)


if __name__ == "__main__":
    main()
