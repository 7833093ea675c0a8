"""Commands whose arguments and options are the fields of a request."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field
from types import SimpleNamespace
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import typer

from graphvine.requests import BadRequest, Request, sent_fields, types_of


def takes(kind: type[Request[Any]], *left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take the fields of this request; its parameter `request` is made of them.

    Fields that are left out keep their defaults. What does not fit is an error of usage.
    """
    shown = [one for one in sent_fields(kind) if one.name not in left_out and "help" in one.metadata]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = {name: hint for name, hint in command.__annotations__.items() if name not in ("request", "return")}
        hints = get_type_hints(SimpleNamespace(__annotations__=own), command.__globals__, include_extras=True)

        def run(context: typer.Context, **given: Any) -> None:
            try:
                request = kind(**{one.name: _value(one, given.pop(one.name)) for one in shown})
            except BadRequest as error:
                field = f"{_names(one)[0]}: " if (one := _named(shown, error.field)) is not None else ""
                context.fail(f"{field}{error.reason}")
            command(context, request=request, **given)

        parameters = []
        for name, parameter in inspect.signature(command).parameters.items():
            if name == "request":
                parameters += [_parameter(one, types_of(kind)[one.name]) for one in shown]
            else:
                parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))
        parameters[0] = parameters[0].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)  # the context
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        return run

    return decorate


def _parameter(one: Field[Any], kind: Any) -> inspect.Parameter:
    metadata, default = one.metadata, ... if one.default is MISSING else one.default
    plain, least, most = _plain(kind)
    typed: Any
    if metadata.get("parse") is not None:
        typed, default = str | None, None
    elif metadata.get("join") or plain is list:
        typed, default = list[str] | None, None if default in ((), "") else default
    else:
        typed = plain if default is ... or default is not None else plain | None
    limits: dict[str, Any] = {"min": least, "max": most} if plain is int and typed in (int, int | None) else {}
    if metadata.get("argument"):
        declared: Any = typer.Argument(metavar=metadata["metavar"], help=metadata["help"], **limits)
    else:
        declared = typer.Option(*_names(one), metavar=metadata["metavar"], help=metadata["help"], **limits)
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[typed, declared],
        default=inspect.Parameter.empty if default is ... else default,
    )  # fmt: skip


def _plain(kind: Any) -> tuple[Any, Any, Any]:
    """The type that typer is given for a field, and the limits of a number."""
    least = most = None
    while True:
        if get_origin(kind) is Annotated:
            for meta in kind.__metadata__:
                if isinstance(meta, msgspec.Meta):
                    least, most = meta.ge, meta.le
            kind = kind.__origin__
        elif type(None) in get_args(kind):
            kind = next(inner for inner in get_args(kind) if inner is not type(None))
        else:
            break
    if get_origin(kind) is Literal:
        return str, None, None
    return (kind if kind in (int, str, bool) else list), least, most


def _value(one: Field[Any], given: Any) -> Any:
    if one.metadata.get("join"):
        return " ".join(given or ())
    if given is None:
        return one.default
    parse = one.metadata.get("parse")
    return parse(given) if parse is not None else given


def _names(one: Field[Any]) -> tuple[str, ...]:
    if one.metadata.get("argument"):
        return (str(one.metadata["metavar"]),)
    return tuple(one.metadata["names"]) or (f"--{one.name.replace('_', '-')}",)


def _named(shown: list[Field[Any]], name: str) -> Field[Any] | None:
    return next((one for one in shown if one.name == name), None)
