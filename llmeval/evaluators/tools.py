"""Toolbox: Python functions that a reviewer's model may call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, cast

from llmeval.errors import EvaluatorConfigError
from llmeval.jsonable import Json, digest, dumps
from llmeval.providers.messages import ToolOutput, ToolSpec, ToolUse
from llmeval.secrets import mask

__all__ = ["Toolbox", "check_tools", "read_arguments", "tools_identity"]


class Toolbox:
    """Functions by name; Pydantic makes their schemas out of the signatures, and checks the arguments.

    A function's docstring is its description. It may be `async`; one that is not runs in a thread.
    """

    def __init__(self, functions: Sequence[Callable[..., Any]]) -> None:
        from pydantic import TypeAdapter  # comes with the SDKs, which a tool loop needs anyway

        self._adapters: dict[str, TypeAdapter[Any]] = {}
        self.specs = tuple(self._spec(function) for function in functions)

    def _spec(self, function: Callable[..., Any]) -> ToolSpec:
        from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter

        name = function.__name__
        try:
            self._adapters[name] = TypeAdapter(cast("Any", function))
            schema = self._adapters[name].json_schema()
        except (PydanticSchemaGenerationError, PydanticUserError, NameError) as error:
            raise EvaluatorConfigError(f"tool {name}: its signature has no JSON Schema ({error})") from None
        if schema.get("type") != "object":
            raise EvaluatorConfigError(f"tool {name}: its parameters must have names, not only positions")
        described, parts = _documented(function)
        for key, text in parts.items():
            if key in schema.get("properties", {}):
                schema["properties"][key].setdefault("description", text)
        return ToolSpec(name=name, description=described, parameters=schema)

    async def run(self, uses: Sequence[ToolUse], record: list[dict[str, Json]]) -> tuple[ToolOutput, ...]:
        """Returns the tools' outputs in order, and adds each call to `record`."""
        return tuple([await self._one(use, record) for use in uses])

    async def _one(self, use: ToolUse, record: list[dict[str, Json]]) -> ToolOutput:
        entry: dict[str, Json] = {"name": use.name, "arguments": read_arguments(use.arguments)}
        record.append(entry)
        try:
            text = await self._call(use)
        except Exception as error:  # noqa: BLE001  # a tool is the user's code, and the model may give it anything
            entry["error"] = f"{type(error).__name__}: {error}"
            return ToolOutput(id=use.id, text=mask(f"error: {entry['error']}"), failed=True)
        entry["result"] = text
        return ToolOutput(id=use.id, text=mask(text))

    async def _call(self, use: ToolUse) -> str:
        import asyncio  # only where a tool is called

        from pydantic_core import ArgsKwargs, from_json, to_json

        adapter = self._adapters.get(use.name)
        if adapter is None:
            raise LookupError(f"there is no tool {use.name!r}: there are {', '.join(self._adapters)}")
        given = from_json(use.arguments or "{}")
        if not isinstance(given, dict):
            raise TypeError(f"the arguments are {use.arguments!r:.100}, which is not a JSON object")
        # Checking the arguments is what calls the function, so that all of it belongs in the thread.
        value = await asyncio.to_thread(adapter.validate_python, ArgsKwargs((), given))
        if inspect.isawaitable(value):
            value = await value
        return value if isinstance(value, str) else to_json(value).decode()


def check_tools(tools: object, owner: str) -> tuple[Callable[..., Any], ...]:
    """Returns the functions of `tools`.

    Raises:
        EvaluatorConfigError: it is not a list of functions with names of their own.
    """
    if not isinstance(tools, (list, tuple)):
        raise EvaluatorConfigError(f"{owner}: tools are {tools!r:.80}: give a list of functions")
    for tool in tools:
        if not callable(tool) or not hasattr(tool, "__name__") or tool.__name__ == "<lambda>":
            raise EvaluatorConfigError(f"{owner}: the tool {tool!r:.80} is not a function with a name")
    names = [tool.__name__ for tool in tools]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise EvaluatorConfigError(f"{owner}: two tools are named {', '.join(sorted(twice))}")
    return tuple(tools)


def tools_identity(tools: Sequence[Callable[..., Any]]) -> dict[str, Json]:
    """Returns each tool's name with a digest of its source, or of its signature where there is no source."""
    return {tool.__name__: digest(_source(tool)) for tool in tools}


def _source(tool: Callable[..., Any]) -> str:
    try:
        return inspect.getsource(tool)
    except (OSError, TypeError):
        return f"{inspect.signature(tool)}\n{inspect.getdoc(tool)}"


def _documented(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Returns a docstring's description and what it says about each parameter."""
    text = inspect.getdoc(function) or ""
    try:
        from docstring_parser import parse  # comes with the anthropic package
    except ImportError:
        return text, {}
    parsed = parse(text)
    described = "\n\n".join(part for part in (parsed.short_description, parsed.long_description) if part)
    return described or text, {part.arg_name: part.description or "" for part in parsed.params}


def read_arguments(text: str | None) -> Json:
    """Returns the arguments that a model wrote, as JSON, or as its text when they are none."""
    from pydantic_core import from_json

    try:
        data = from_json(text or "{}", allow_inf_nan=False)
        dumps(data)
    except ValueError:
        return text
    return data
