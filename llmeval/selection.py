"""Which cases a run takes: where they come from, and which of them are selected."""

from __future__ import annotations

import json
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmeval.cases import OMITTED, Case, case_name
from llmeval.errors import DatasetError, LLMEvalError, SelectionError
from llmeval.failures import message_of
from llmeval.naming import last_part
from llmeval.options import UNSET
from llmeval.suggestions import unknown

if TYPE_CHECKING:
    from llmeval.criteria import Criterion
    from llmeval.datasets import Dataset
    from llmeval.evaluations import Evaluation

__all__ = ["check_references", "parse_where", "select", "sourced"]


def sourced(evaluation: Evaluation, dataset: Any = None) -> Dataset:
    """Returns the dataset of a run: `dataset`, else what was declared, else the file beside the evaluation's.

    Raises:
        DatasetError: it cannot be found or is wrong.
    """
    from llmeval.datasets import Dataset, discover, load, source

    declared = evaluation.dataset_source if dataset is None else dataset
    root, file = evaluation.project.root, evaluation.file
    if declared is not UNSET:
        try:
            found = source(declared, eval_file=file, root=root, name=evaluation.name)
            return found if isinstance(found, Dataset) else _awaited(found)
        except LLMEvalError:
            raise
        except Exception as error:
            words = " ".join(message_of(error).split())
            raise DatasetError(f"{evaluation.name}: its dataset raised {type(error).__name__}: {words}") from error
    folder = Path.cwd() if file is None else file.parent
    return load(discover(folder, last_part(evaluation.name), root=root), root=root)


def select(
    cases: Sequence[Case],
    *,
    only: str | Iterable[str] | None = None,
    where: Sequence[tuple[str, str]] = (),
    limit: int | None = None,
) -> tuple[Case, ...]:
    """Returns the cases that are named in `only`, match every pair of `where`, and are among the first `limit`.

    Raises:
        SelectionError: a name is unknown (all unknown ones are listed), or nothing is left.
    """
    kept: Sequence[Case] = cases
    if only is not None:
        kept = _named(cases, only)
    for path, text in where:
        before, kept = kept, [case for case in kept if text in _texts(_at(case, path))]
        if not kept:
            there = list(dict.fromkeys(one for case in before for one in _texts(_at(case, path))))
            known = ", ".join(map(repr, there[:8])) + (" …" if len(there) > 8 else "")
            raise SelectionError(f"no case is selected by {path}={text}: there {path} is {known or 'nowhere'}")
    return tuple(kept[:limit])


def parse_where(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Returns the pairs of `metadata.category=returns` texts.

    Raises:
        SelectionError: a text is not of that form.
    """
    return tuple(_pair(text) for text in texts)


def check_references(cases: Iterable[Case], criterion: Criterion) -> None:
    """Refuses a comparison with references that are not there.

    `cases` are those that the criterion applies to.

    Raises:
        DatasetError: it lists the cases without an `expected_output`.
    """
    lacking = [case.name for case in cases if not case.has_expected_output]
    if lacking:
        listed = ", ".join(map(repr, lacking[:20])) + (f" and {len(lacking) - 20} more" if len(lacking) > 20 else "")
        raise DatasetError(
            f"{criterion.name!r} compares with expected_output, which is missing in {len(lacking)} of the selected "
            f"cases: {listed}. Add it, or declare criteria of your own with @criterion"
        )


def _awaited(found: Coroutine[Any, Any, Dataset]) -> Dataset:
    """Returns what an async dataset function gives, on a loop of its own in a thread of its own."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, found).result()


def _named(cases: Sequence[Case], only: str | Iterable[str]) -> list[Case]:
    try:
        names = [case_name(name) for name in ([only] if isinstance(only, str) else only)]
    except (TypeError, DatasetError):
        raise SelectionError(f"only is {only!r}: give the name of a case, or several") from None
    if not names:
        raise SelectionError("only selects no case: name at least one, or leave it out")
    known = {case.name for case in cases}
    lost = [name for name in dict.fromkeys(names) if name not in known]
    if lost:
        raise SelectionError("; ".join(unknown("case", name, sorted(known)) for name in lost))
    wanted = set(names)
    return [case for case in cases if case.name in wanted]


def _pair(text: str) -> tuple[str, str]:
    path, equals, value = text.partition("=")
    first = path.partition(".")[0]
    if not equals or first not in ("metadata", "name", "inputs", "expected_output"):
        raise SelectionError(f"where is {text!r}: write PATH=VALUE, as in metadata.category=returns")
    return path, value


def _at(case: Case, path: str) -> Any:
    first, *rest = path.split(".")
    found: Any = getattr(case, first)
    for part in rest:
        found = found.get(part, OMITTED) if isinstance(found, dict) else OMITTED
    return found


def _texts(value: Any) -> Iterator[str]:
    """Yields the texts that a value may be asked for by: of a list, those of its items."""
    if value is OMITTED:
        return
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    else:
        yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
