"""One snapshot under way: adapters first, then the kinds of value that llmeval knows."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from inspect import iscoroutine
from typing import Any, Final, TypeAlias

from llmeval.adapters import sdks
from llmeval.adapters.faults import unfit
from llmeval.adapters.kinds import conversion, is_known
from llmeval.adapters.scalars import number
from llmeval.errors import EvidenceError
from llmeval.evidence import Attachment, Evidence
from llmeval.jsonable import Json

__all__ = ["Walk"]

Adapter: TypeAlias = Callable[[Any], Any]

_PLAIN: Final[frozenset[type]] = frozenset((str, bool, type(None)))
_NUMBERS: Final[frozenset[type]] = frozenset((int, float))


class Walk:
    """Converts one value and what is in it; knows what it is inside of, and gathers what it meets.

    `plain` holds the types whose values are evidence as they are. `conversations` are the ones that were met inside of
    other values.
    """

    def __init__(self, declared: Sequence[Mapping[type, Adapter]] = ()) -> None:
        self._declared = [mapping for mapping in declared if mapping]
        self._active: set[int] = set()
        self._attachments: dict[Attachment, None] = {}
        self.conversations: list[Evidence] = []
        self.plain = self._not_adapted(_PLAIN)
        self._numbers = self._not_adapted(_NUMBERS)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Each attachment that was met, once, in the order of the evidence."""
        return tuple(self._attachments)

    def attach(self, attachment: Attachment) -> None:
        """Keeps an attachment for the evaluators."""
        self._attachments[attachment] = None

    def value(self, value: Any, where: str, depth: int = 1) -> Json:
        """Returns `value`, which stands at `where`, as frozen JSON.

        Raises:
            EvidenceError: it has no JSON form, it contains itself, or it is nested too deeply.
        """
        cls = type(value)
        if cls in self.plain:
            return value
        if cls in self._numbers:
            return number(value, where)
        return self.settle(value, self.resolve(value, where), where, depth)

    def settle(self, value: Any, resolved: Any, where: str, depth: int = 1) -> Json:
        """Returns `resolved`, which is what the adapters made of `value`, as frozen JSON."""
        inside = {id(value), id(resolved)}
        if inside & self._active:
            raise EvidenceError(
                f"{where} is a {type(value).__name__} that contains itself, which JSON cannot hold: return what is to "
                f"be graded, or declare @adapt({type(value).__name__})"
            )
        self._active |= inside
        try:
            return conversion(type(resolved))(self, resolved, where, depth)
        finally:
            self._active -= inside

    def resolve(self, value: Any, where: str) -> Any:
        """Returns what the adapters make of `value`: the user's first, then those for the SDKs' classes.

        What one returns is adapted again, but never twice by the same adapter as the same class.
        """
        if not self._declared and sdks.adapter(type(value)) is None:
            return value
        used: set[tuple[Adapter, type]] = set()
        while True:
            cls = type(value)
            if (adapter := self._adapter(cls, used)) is not None:
                value = _settled(adapter(value), cls, where)
            elif (adapter := sdks.adapter(cls)) is not None and (adapter, cls) not in used:
                value = _read(adapter, value, where)
            else:
                return value
            used.add((adapter, cls))

    def gathered(self, items: Sequence[Any], where: str) -> Any:
        """Returns what the chunks of an SDK's stream make together, adapted; any other list as it is."""
        read = sdks.stream_reader(type(items[0])) if items and not self.adapts(type(items[0])) else None
        whole = None if read is None else _read(read, items, where)
        return items if whole is None else self.resolve(whole, where)

    def adapts(self, cls: type) -> bool:
        """Returns whether the user declared an adapter for `cls` or a base of it."""
        return self._adapter(cls, set()) is not None

    def _not_adapted(self, classes: frozenset[type]) -> frozenset[type]:
        return frozenset(cls for cls in classes if not self.adapts(cls)) if self._declared else classes

    def _adapter(self, cls: type, used: set[tuple[Adapter, type]]) -> Adapter | None:
        for mapping in self._declared:
            for base in (*cls.__mro__, *_registered(cls, mapping)):
                adapter = mapping.get(base)
                if adapter is None or (adapter, cls) in used:
                    continue
                # An adapter for `object` is for whatever else would be an error, or it would get every text and list.
                if base is not object or not (is_known(cls) or sdks.adapter(cls)):
                    return adapter
        return None


def _registered(cls: type, mapping: Mapping[type, Adapter]) -> list[type]:
    """Returns the abstract classes that `cls` is a subclass of without inheriting from them."""
    return [base for base in mapping if isinstance(base, ABCMeta) and issubclass(cls, base)]


def _settled(adapted: Any, cls: type, where: str) -> Any:
    if not iscoroutine(adapted):
        return adapted
    adapted.close()
    raise EvidenceError(
        f"{where}: the adapter for {cls.__name__} is async, which adapters cannot be: declare a plain function, and "
        "await in perform"
    )


def _read(adapt: Adapter, value: Any, where: str) -> Any:
    try:
        return adapt(value)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # Another version of the package may build its objects differently: that is an error of this trial.
        raise unfit(type(value), where, f"could not be read ({type(error).__name__}: {error})") from error
