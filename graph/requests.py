"""Typed requests: one class for each verb.

A request is the command's arguments, the body of the HTTP request, the stored job and the method's keywords at once.
Its fields are checked when it is made, wherever it comes from; `dispatch` runs it here or in the daemon.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from graphvine.queries.errors import GraphvineError, did_you_mean

if TYPE_CHECKING:
    from graphvine.dispatch import Run
    from graphvine.graph import Graph

T = TypeVar("T")
R = TypeVar("R", covariant=True)
# "here": in the calling process, whose engine may be a connection to the daemon. "call", "job": in the process that
# owns the store; a call is one HTTP request that may be repeated, a job is watched and can be stopped.
Where = Literal["here", "call", "job"]

Key = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
Text = Annotated[str, msgspec.Meta(max_length=500)]
Rows = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]


class BadRequest(GraphvineError, ValueError):
    """A field of a request is missing, unknown or has a value that does not fit."""

    def __init__(self, verb: str, field: str, reason: str) -> None:
        super().__init__(f"{verb}: {field}: {reason}" if field else f"{verb}: {reason}")
        self.verb, self.field, self.reason = verb, field, reason


def as_list(verb: str, name: str, given: Iterable[T]) -> list[T]:
    """What was given as a list; a text, which would be taken letter by letter, is refused."""
    if isinstance(given, str):
        raise BadRequest(verb, name, f"a list is meant: write [{given[:50]!r}]")
    return list(given)


def option(
    default: Any, help: str, *names: str, metavar: str | None = None, parse: Callable[[Any], Any] | None = None
) -> Any:
    """A field with a default and its help text; `names` are the command's, where they are not --like-the-field.

    With `parse`, the command takes a text and this makes the value of it.
    """
    return field(default=default, metadata={"help": help, "names": names, "metavar": metavar, "parse": parse})


def argument(default: Any, help: str, metavar: str, *, join: bool = False) -> Any:
    """A field that the command takes without a name; with `join`, as several words that become one text."""
    return field(default=default, metadata={**needed(help, metavar), "join": join})


def needed(help: str, metavar: str) -> dict[str, Any]:
    """The metadata of an argument that has no default: `field(metadata=needed(...))`."""
    return {"help": help, "metavar": metavar, "argument": True}


def local() -> Any:
    """A field that never leaves the process: an object, such as a source that is open."""
    return field(default=None, metadata={"local": True})


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Request(Generic[R]):
    """The base of all requests: frozen, with keywords only. Its fields are declared as those of a dataclass.

    `runs` names the function that does the work, as "module:function". It is given the graph and the fields as
    keywords; or the request, where it has a parameter `request`; and the `run`, where it has one for that.
    """

    verb: ClassVar[str] = ""
    runs: ClassVar[str] = ""
    where: Where = "here"
    # A job that ends when nobody has watched it for some time.
    while_watched: ClassVar[bool] = False
    fields: ClassVar[dict[str, Field[Any]]] = {}

    def __init_subclass__(cls, *, verb: str, runs: str, where: Where = "here") -> None:
        # Not by dataclass(), which takes a millisecond a class: every command would start that much later.
        cls.verb, cls.runs, cls.where, cls.fields = verb, runs, where, {}
        for name, kind in inspect.get_annotations(cls).items():
            if not kind.startswith("ClassVar"):
                given = cls.__dict__.get(name, MISSING)
                one = cls.fields[name] = given if isinstance(given, Field) else field(default=given)
                one.name, one.type = name, kind
        _by_verb[verb] = cls

    def __init__(self, **given: Any) -> None:
        own, kinds = vars(self), types_of(type(self))
        for name, one in self.fields.items():
            value = given.pop(name, one.default)
            if value is MISSING:
                raise TypeError(f"{type(self).__name__}() misses the keyword {name!r}")
            own[name] = self._checked(name, value, kinds[name]) if name in kinds else value
        if given:
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword {next(iter(given))!r}")
        self.check()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a request does not change: make another one with replace({name}=...)")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.given() == other.given()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.given().items())})"

    def given(self) -> dict[str, Any]:
        """Its fields and their values."""
        return {name: getattr(self, name) for name in self.fields}

    def replace(self, **changes: Any) -> Self:
        """The same request with other values of these fields."""
        return type(self)(**self.given() | changes)

    def check(self) -> None:
        """Rules for several fields together."""

    def paths(self) -> list[str]:
        """The files and folders that it names, on the machine of the process that runs it."""
        return []

    def refuse(self, field: str, reason: str) -> BadRequest:
        """The error to raise for a field of this request."""
        return BadRequest(self.verb, field, reason)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """A request from plain data, such as a JSON object or a stored job."""
        known = types_of(cls)
        for name in given:
            if name not in known:
                raise BadRequest(cls.verb, str(name), f"there is no such field{did_you_mean(str(name), list(known))}")
        for one in sent_fields(cls):
            if one.default is MISSING and one.name not in given:
                raise BadRequest(cls.verb, one.name, "is missing")
        return cls(**given)

    def sent(self) -> dict[str, Any]:
        """Its fields as plain data, for another process or a file."""
        for one in self.fields.values():
            if one.metadata.get("local") and getattr(self, one.name) is not None:
                raise self.refuse(
                    one.name, "the process that serves the graph works by its own settings and can't be given an object"
                )
        return {name: msgspec.to_builtins(getattr(self, name)) for name in types_of(type(self))}

    def parts(self) -> Iterator[Self]:
        """The requests in which it is sent: several where it may be large; their results are added up."""
        yield self

    def work(self) -> Callable[..., Any]:
        """The function that does the work."""
        module, _, name = self.runs.partition(":")
        found: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return found

    def run(self, graph: Graph, run: Run[Any]) -> R:
        """Do the work, in this process."""
        work = self.work()
        takes = inspect.signature(work).parameters
        given: dict[str, Any] = {"request": self} if "request" in takes else self.given()
        result: R = work(graph, **given, **({"run": run} if "run" in takes else {}))
        return result

    def _checked(self, name: str, value: Any, kind: Any) -> Any:
        if kind is Any:
            return value
        if isinstance(value, Iterable) and not isinstance(value, bytes | Mapping) and _is_list(kind):
            value = as_list(self.verb, name, value)
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            message = str(error).replace("`", "").replace("$", "").replace(" - at [", " at [")
            if "Invalid enum value" in message:
                message += f": {', '.join(map(str, _choices(kind)))} are known"
            if "matching regex" in message and not str(value).strip():
                message = "it is empty: say something"
            raise self.refuse(name, message) from None


def _choices(kind: Any) -> list[Any]:
    """What a field may be, where that is one of some words."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [choice for part in get_args(kind) for choice in _choices(part)]


_by_verb: dict[str, type[Request[Any]]] = {}
_types: dict[type[Request[Any]], dict[str, Any]] = {}


def known_requests() -> dict[str, type[Request[Any]]]:
    """Every request whose module was imported, by verb."""
    return _by_verb


def types_of(kind: type[Request[Any]]) -> dict[str, Any]:
    """The types of the fields that are sent, by name."""
    if kind not in _types:
        hints = get_type_hints(kind, include_extras=True)
        _types[kind] = {one.name: hints[one.name] for one in sent_fields(kind)}
    return _types[kind]


def sent_fields(kind: type[Request[Any]]) -> list[Field[Any]]:
    """The fields that may leave the process."""
    return [one for one in kind.fields.values() if not one.metadata.get("local")]


def _is_list(kind: Any) -> bool:
    plain = kind.__origin__ if get_origin(kind) is Annotated else kind
    return get_origin(plain) in (Sequence, list) or any(_is_list(one) for one in getattr(plain, "__args__", ()))
