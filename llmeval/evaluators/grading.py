"""Grading: the verdicts of one exchange as results, whoever reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llmeval.criteria import Criterion
from llmeval.evaluators.base import Grades
from llmeval.evaluators.exchange import Exchange, readable
from llmeval.evaluators.replies import Unreadable
from llmeval.evaluators.verdicts import Verdict, keys, read_verdicts
from llmeval.providers.messages import Reply
from llmeval.results import Result

__all__ = ["graded"]


async def graded(exchange: Exchange, criteria: Sequence[Criterion], order: Sequence[Criterion]) -> Grades:
    """Returns a result for each of `criteria`, which were asked in `order` under the keys `c1`, `c2` …"""
    asked = keys(len(order))

    def read(reply: Reply) -> Mapping[str, Verdict | Exception]:
        try:
            return read_verdicts(readable(reply, exchange.owner), asked)
        except Unreadable as error:
            return dict.fromkeys(asked, error)

    found = await exchange.answers(asked, read)
    by_name = {one.name: _result(exchange, one, found[key]) for key, one in zip(asked, order, strict=True)}
    return Grades(results=[by_name[one.name] for one in criteria], usage=exchange.usage)


def _result(exchange: Exchange, criterion: Criterion, found: Verdict | Exception) -> Result:
    if isinstance(found, Exception):
        return exchange.failure(criterion.name, found)
    return exchange.result(criterion.name, found.value, found.reason)
