"""The journal: lines, torn ends, locks, and reading it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmeval.cases import Case
from llmeval.errors import ResumeError
from llmeval.journal import Journal, JournalTrials, discard_empty, read_journal
from llmeval.trials import Trial

HEAD = {"id": "x", "name": "n"}


def trial(name: str, repetition: int = 1, fingerprint: str = "f") -> Trial:
    return Trial(case=Case(name=name, inputs=name), repetition=repetition, fingerprint=fingerprint)


def written(path: Path, *trials: Trial) -> list[tuple[int, int]]:
    journal = Journal(path)
    journal.begin(HEAD)
    places = [journal.append(one.to_line()) for one in trials]
    journal.close()
    return places


def test_what_was_appended_is_read_in_the_order_in_which_it_finished(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.jsonl"
    trials = [trial("b"), trial("a", 2), trial("ü\u2028")]
    written(path, *trials)
    found = read_journal(path)
    assert found.head == {"journal": 1, **HEAD}
    assert list(found.trials()) == trials


def test_a_trial_that_ran_again_counts_as_it_ran_last(tmp_path: Path) -> None:
    written(tmp_path / "x", trial("a", fingerprint="old"), trial("b"), trial("a", fingerprint="new"))
    assert [(one.case.name, one.fingerprint) for one in read_journal(tmp_path / "x").trials()] == [
        ("b", "f"),
        ("a", "new"),
    ]


@given(st.integers(min_value=0))
def test_a_journal_that_is_cut_anywhere_keeps_its_whole_lines_and_goes_on(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "x"
    trials = [trial(f"c{number}") for number in range(4)]
    written(path, *trials)
    data = path.read_bytes()
    kept = data[: cut % (len(data) + 1)]
    path.write_bytes(kept)
    whole = kept.count(b"\n")
    if whole:
        assert list(read_journal(path).trials()) == trials[: whole - 1]
    else:
        with pytest.raises(ResumeError, match="has no whole line"):
            read_journal(path)
    journal = Journal(path)
    journal.append('{"journal": 1}' if not whole else trial("more").to_line())
    journal.close()
    lines = data.splitlines(keepends=True)[:whole]
    assert path.read_bytes().startswith(b"".join(lines)) and path.read_bytes().count(b"\n") == whole + 1


def test_a_line_in_the_middle_that_is_none_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "x"
    written(path, trial("a"))
    path.write_bytes(path.read_bytes() + b"{broken\n" + trial("b").to_line().encode() + b"\n")
    with pytest.raises(ResumeError, match="x, line 3 is not a journal's line"):
        read_journal(path)


def test_a_journal_of_another_version_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('{"journal": 2}\n', encoding="utf-8")
    with pytest.raises(ResumeError, match="another version"):
        read_journal(tmp_path / "x")


def test_two_cannot_write_to_one_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x")
    with pytest.raises(ResumeError, match="is in use"):
        Journal(tmp_path / "x")
    journal.close()
    Journal(tmp_path / "x").close()


def test_an_empty_journal_is_discarded_unless_somebody_writes_to_it(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b'{"journal": 1, "torn')
    journal = Journal(path)
    with pytest.raises(ResumeError, match="is in use"):
        discard_empty(path)
    journal.close()
    discard_empty(path)
    assert not path.exists()
    written(path, trial("a"))
    discard_empty(path)
    assert len(read_journal(path).places) == 1


def test_trials_are_read_from_the_journal_when_they_are_asked_for(tmp_path: Path) -> None:
    places = written(tmp_path / "x", trial("c"), trial("a"), trial("b"))
    trials = JournalTrials(tmp_path / "x", 4)
    for index, place in zip((3, 0, 1), places, strict=True):
        trials.put(index, place)
    assert [one.case.name for one in trials] == ["a", "b", "c"]
    assert (len(trials), trials[-1], trials[0:2]) == (3, trial("c"), [trial("a"), trial("b")])
    assert list(trials.lines()) == [one.to_line() for one in trials]
