"""A model that speaks the OpenAI protocol, streamed: it says what it was given, word by word, when it is let."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field

from tests.support.web_server import Request


@dataclass
class StreamingModel:
    """The first word comes at once; the rest waits for `go_on`."""

    words: list[str]
    go_on: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)
    asked: list[dict[str, object]] = field(default_factory=list)
    authorised: list[str] = field(default_factory=list)
    # Answers before it works: statuses to fail with, one for each request.
    failures: list[int] = field(default_factory=list)
    breaks_off: bool = False

    async def answer(self, request: Request) -> None:
        self.asked.append(json.loads(request.body))
        self.authorised.append(request.headers.get("authorization", ""))
        if self.failures:
            await request.answer(b'{"error": "busy"}', status=self.failures.pop(0), media_type="application/json")
            return
        await request.begin(media_type="text/event-stream")
        for number, word in enumerate(self.words):
            if number == 1:
                await request.send(b": still here\n\n")
                await request.wait_for(self.go_on)
            await self._event(request, {"choices": [{"delta": {"content": word}}]})
            if self.breaks_off:
                return
        await self._event(request, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
        await request.send(b"data: [DONE]\n\n")
        self.finished.set()

    async def _event(self, request: Request, event: dict[str, object]) -> None:
        await request.send(f"data: {json.dumps(event)}\n\n".encode())
