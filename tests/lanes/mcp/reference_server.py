"""The server that the protocol's conformance suite asks for: its tools, resources and prompts, under its names.

Over stdio: python -m tests.lanes.mcp.reference_server
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

import anyio.lowlevel
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    AudioContent,
    Completion,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)

# How the stream of a call is cut, where there is one: set by the test, which knows the sessions.
close_stream: Callable[[Context[Any, Any]], None] = lambda context: None  # noqa: E731


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_HEAD = _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
PNG = b"\x89PNG\r\n\x1a\n" + _HEAD + _chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00")) + _chunk(b"IEND", b"")
WAV = b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
WAV += b"data" + struct.pack("<I", 0)
PICTURE = ImageContent(type="image", data=base64.b64encode(PNG).decode(), mime_type="image/png")
SOUND = AudioContent(type="audio", data=base64.b64encode(WAV).decode(), mime_type="audio/wav")

DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_PLAIN = ["option1", "option2", "option3"]
_TITLED = [{"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": _PLAIN},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}  # fmt: skip
PERSON = {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"},
}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}  # fmt: skip


def _embedded(address: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    contents = TextResourceContents(uri=address, mime_type=mime_type, text=text)
    return EmbeddedResource(type="resource", resource=contents)


def build() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("conformance", version="1", log_level="WARNING")
    _add_contents(server)
    _add_messages(server)
    _add_questions(server)
    _add_resources(server)
    _add_prompts(server)
    return server


def _add_contents(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    def test_simple_text() -> str:
        """Text."""
        return "This is a simple text response for testing."

    @server.tool(structured_output=False)
    def test_image_content() -> list[Any]:
        """A picture."""
        return [PICTURE]

    @server.tool(structured_output=False)
    def test_audio_content() -> list[Any]:
        """A sound."""
        return [SOUND]

    @server.tool(structured_output=False)
    def test_embedded_resource() -> list[Any]:
        """A resource inside an answer."""
        return [_embedded("test://embedded-resource", "This is an embedded resource content.")]

    @server.tool(structured_output=False)
    def test_multiple_content_types() -> list[Any]:
        """Several kinds of contents in one answer."""
        data = _embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
        return [TextContent(type="text", text="Multiple content types test:"), PICTURE, data]

    @server.tool(structured_output=False)
    def test_error_handling() -> str:
        """An error."""
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool(structured_output=False)
    def json_schema_2020_12_tool(name: str = "", address: dict[str, str] | None = None) -> str:
        """A schema that is given word by word."""
        return f"{name} {address}"

    tool = server._tool_manager.get_tool("json_schema_2020_12_tool")
    assert tool is not None
    tool.parameters = SCHEMA


def _add_messages(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    async def test_tool_with_logging(context: Context[Any, Any]) -> str:
        """Messages on the way."""
        for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await context.log("info", message)
        return "done"

    @server.tool(structured_output=False)
    async def test_tool_with_progress(context: Context[Any, Any]) -> str:
        """Progress on the way."""
        for done in (0, 50, 100):
            await context.report_progress(done, 100)
        return "done"

    @server.tool(structured_output=False)
    async def test_reconnection(context: Context[Any, Any]) -> str:
        """An answer whose stream is cut before it comes; the message has an id, from which the client goes on."""
        await context.log("info", "The stream ends here")
        for _ in range(100):  # so many turns of the loop take the message out of it
            await anyio.lowlevel.checkpoint()
        close_stream(context)
        return "The answer that was still to come"

    async def accept_level(context: Any, params: SetLevelRequestParams) -> EmptyResult:
        return EmptyResult()

    server._lowlevel_server.add_request_handler("logging/setLevel", SetLevelRequestParams, accept_level)


def _add_questions(server: MCPServer[Any]) -> None:
    """Tools that ask the client, which needs a way back to it: over stdio there is one, by HTTP a session."""

    @server.tool(structured_output=False)
    async def test_sampling(prompt: str, context: Context[Any, Any]) -> str:
        """Ask the client's model."""
        message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
        session = context.request_context.session
        answer = await session.create_message(messages=[message], max_tokens=100, related_request_id=context.request_id)
        return f"LLM response: {getattr(answer.content, 'text', '')}"

    async def elicit(context: Context[Any, Any], message: str, properties: Any, required: list[str]) -> str:
        schema = {"type": "object", "properties": properties, "required": required}
        # By the stream of this call: the one on which a client listens may not be open yet.
        answer = await context.request_context.session.elicit_form(message, schema, context.request_id)
        return f"action={answer.action}, content={json.dumps(answer.content)}"

    @server.tool(structured_output=False)
    async def test_elicitation(message: str, context: Context[Any, Any]) -> str:
        """Ask the person."""
        return f"User response: {await elicit(context, message, PERSON, list(PERSON))}"

    @server.tool(structured_output=False)
    async def test_elicitation_sep1034_defaults(context: Context[Any, Any]) -> str:
        """Ask the person, with defaults."""
        return f"Elicitation completed: {await elicit(context, 'Please review', DEFAULTS, [])}"

    @server.tool(structured_output=False)
    async def test_elicitation_sep1330_enums(context: Context[Any, Any]) -> str:
        """Ask the person to choose."""
        return f"Elicitation completed: {await elicit(context, 'Please choose', ENUMS, [])}"


def _add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        """A text."""
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        """A picture."""
        return PNG

    @server.resource("test://watched-resource", mime_type="text/plain")
    def watched() -> str:
        """A text that is watched."""
        return "Watched."

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        """A text by its id."""
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    async def subscribe(context: Any, params: SubscribeRequestParams) -> EmptyResult:
        return EmptyResult()

    async def unsubscribe(context: Any, params: UnsubscribeRequestParams) -> EmptyResult:
        return EmptyResult()

    server._lowlevel_server.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
    server._lowlevel_server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)


def _add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt()
    def test_simple_prompt() -> str:
        """A prompt."""
        return "This is a simple prompt for testing."

    @server.prompt()
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        """A prompt with arguments."""
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:
        """A prompt with a resource."""
        resource = _embedded(resourceUri, "Embedded resource content for testing.")
        return [UserMessage(resource), UserMessage("Please process the embedded resource above.")]

    @server.prompt()
    def test_prompt_with_image() -> list[UserMessage]:
        """A prompt with a picture."""
        return [UserMessage(PICTURE), UserMessage("Please analyze the image above.")]

    async def complete(ref: Any, argument: Any, context: Any) -> Completion:
        return Completion(values=[word for word in ("test one", "test two") if word.startswith(argument.value)])

    server.completion()(complete)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    build().run("stdio")
