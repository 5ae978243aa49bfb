"""Objects with declared fields: dataclasses, named tuples, attrs, msgspec and Pydantic."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from llmeval.adapters.classes import base_names

__all__ = ["Fields", "fields_of"]

Fields: TypeAlias = Callable[[Any], Iterable[tuple[str, Any]]]


def fields_of(cls: type) -> Fields | None:
    """Returns what gives the names and values of the fields of a `cls`, or `None` when it declares none."""
    bases = base_names(cls)
    if "pydantic.main.BaseModel" in bases:
        return _pydantic(cls)
    if "pydantic.v1.main.BaseModel" in bases:
        return lambda value: value.dict().items()
    if dataclasses.is_dataclass(cls):
        return _named([field.name for field in dataclasses.fields(cls)])
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return lambda value: zip(cls._fields, value, strict=True)
    if hasattr(cls, "__attrs_attrs__"):
        return _named([attribute.name for attribute in cls.__attrs_attrs__])
    if "msgspec.Struct" in bases:
        return _named(cls.__struct_fields__)  # type: ignore[attr-defined]
    return None


def _named(names: Iterable[str]) -> Fields:
    known = tuple(names)
    return lambda value: [(name, getattr(value, name)) for name in known]


def _pydantic(cls: Any) -> Fields:
    """Returns the fields as the model's own dump would have them, but with live values, so that adapters see them.

    Fields that are excluded stay out, and those with serializers of their own are dumped.
    """
    decorators = cls.__pydantic_decorators__
    if decorators.model_serializers:
        return lambda value: _dumped(value.model_dump())
    serialized = {name for info in decorators.field_serializers.values() for name in info.info.fields}
    names, dumped = [], set()
    for name, field in cls.model_fields.items():
        if not field.exclude:
            names.append(name)
            if {name, "*"} & serialized or any(_serializes(item) for item in field.metadata):
                dumped.add(name)
    computed = list(cls.model_computed_fields)

    def pairs(value: Any) -> Iterable[tuple[str, Any]]:
        made = value.model_dump(include=dumped) if dumped else {}
        stored = value.__dict__  # and not getattr, which warns about fields that are deprecated
        for name in names:
            if name in made:
                yield name, made[name]
            elif name in stored:
                yield name, stored[name]
        for name in computed:
            yield name, made[name] if name in made else getattr(value, name)
        yield from (value.__pydantic_extra__ or {}).items()

    return pairs


def _serializes(metadata: object) -> bool:
    return type(metadata).__module__ == "pydantic.functional_serializers"


def _dumped(data: Any) -> Iterable[tuple[str, Any]]:
    return data.items() if isinstance(data, dict) else [("root", data)]
