"""A made-up news site on loopback, under several addresses: a feed, and HTML pages that take their time to answer."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.hn_items import vocabulary

HOSTS = 8
_WORDS_A_SENTENCE, _SENTENCES = (8, 22), (15, 30)
_MENU = "<nav><ul><li><a href='/markets'>Markets</a></li><li><a href='/about'>About us</a></li></ul></nav>"


@contextmanager
def news_site(articles: int, seconds: float, seed: int = 1) -> Iterator[str]:
    """The address of the feed, while the site is there. Its pages lie on several hosts, as those of a real feed do."""
    words = vocabulary()[:3_000]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/feed":
                self._send(feed(articles, [server.server_address[1] for server in servers]), "application/rss+xml")
            elif self.path.startswith("/story/"):
                time.sleep(seconds)
                self._send(page(int(self.path.rpartition("/")[2]), seed, words), "text/html; charset=utf-8")
            else:
                self.send_error(404)

        def _send(self, text: str, kind: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: what is measured goes to the terminal."""

    with ExitStack() as stack:
        servers = [
            stack.enter_context(ThreadingHTTPServer((f"127.0.0.{1 + host}", 0), Handler)) for host in range(HOSTS)
        ]
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
        yield f"http://127.0.0.1:{servers[0].server_address[1]}/feed"


def feed(articles: int, ports: list[int]) -> str:
    items = "".join(
        f"<item><title>Story {number} about bitcoin</title><guid>{number}</guid>"
        f"<link>http://127.0.0.{1 + number % HOSTS}:{ports[number % HOSTS]}/story/{number}</link></item>"
        for number in range(articles)
    )
    return f'<rss version="2.0"><channel><title>The Feed</title>{items}</channel></rss>'


def page(number: int, seed: int, words: list[str]) -> str:
    """About 330 words between menus, the same for every run."""
    chance = random.Random(f"{seed} {number}")
    paragraphs = []
    for _ in range(chance.randint(*_SENTENCES)):
        sentence = " ".join(chance.choices(words, k=chance.randint(*_WORDS_A_SENTENCE)))
        paragraphs.append(f"<p>{sentence.capitalize()}.</p>")
    body = f"<article><h1>Story {number} about bitcoin</h1>{''.join(paragraphs)}</article>"
    return f"<html lang='en'><head><title>Story {number}</title></head><body>{_MENU}{body}{_MENU}</body></html>"
