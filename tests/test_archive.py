"""Where reports are, and what names and references mean."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmeval.archive import LONGEST, Archive, encoded, read_head
from llmeval.errors import ReportFileError
from llmeval.project import Project

SAFE = frozenset(string.ascii_letters + string.digits + " ._-+=@,()%~")


def saved(archive: Archive, name: str, id: str, started: int, **more: object) -> Path:
    path = archive.report_path(name, id)
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"schema_version": 1, "id": id, "name": name, "started_at": f"2026-01-{started:02}T00:00:00+00:00", **more}
    path.write_text(json.dumps(head), encoding="utf-8")
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(Project(root=tmp_path))


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_name_is_encoded_as_a_file_name_of_its_own(one: str, other: str) -> None:
    name = encoded(one)
    assert set(name) <= SAFE
    assert name.strip(" .") and not name.startswith(".") and not name.endswith((".", " "))
    assert len(name) <= LONGEST + 17
    assert (encoded(other) == name) == (one == other)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("plain-id_1.2", "plain-id_1.2"),
        ("a/b", "a%2Fb"),
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("con", "%63on"),
        ("NUL.txt", "%4EUL.txt"),
        ("end.", "end%2E"),
        ("100%", "100%25"),
    ],
)
def test_only_what_is_not_safe_is_encoded(text: str, name: str) -> None:
    assert encoded(text) == name


def test_references_mean_reports(archive: Archive, tmp_path: Path) -> None:
    first, second = saved(archive, "shop/support", "a-1", 1), saved(archive, "shop/support", "a-2", 2)
    torn = saved(archive, "shop/support", "b-3", 3, interrupted=True)
    assert archive.find("shop/support") == archive.find("shop/support@latest") == second
    assert archive.find("shop/support@previous") == first
    assert archive.find("shop/support@a-1") == first
    assert archive.find("shop/support@b") == torn
    assert archive.find("else/where.json") == Path("else/where.json")
    with pytest.raises(ReportFileError, match="means several reports: a-1, a-2"):
        archive.find("shop/support@a")


def test_an_id_or_a_name_may_have_an_at_sign(archive: Archive) -> None:
    one, other = saved(archive, "support", "me@home", 1), saved(archive, "a@b", "x", 2)
    assert archive.find("support@me@home") == one
    assert archive.find("a@b") == archive.find("a@b@x") == other


def test_a_folder_of_an_evaluations_name_does_not_hide_its_reports(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "support").mkdir()
    assert archive.find("support") == Path("support")  # whose reader says that it is a folder
    path = saved(archive, "support", "x", 1)
    assert archive.find("support") == path


def test_reports_of_an_evaluation_below_anothers_name_are_its_own(archive: Archive) -> None:
    one, other = saved(archive, "a", "x", 1), saved(archive, "a/b", "y", 2)
    assert archive.find("a") == one
    assert archive.recent(5, "a") == [one]
    assert archive.recent(5) == [one, other]


def test_the_runs_of_one_command_are_found_by_the_begin_of_their_id(archive: Archive) -> None:
    for name, id, day in (("b", "n.1", 1), ("b", "n.2", 2), ("a", "n.1", 3), ("a", "other", 4)):
        saved(archive, name, id, day)
    assert archive.find_runs("n") == [("b", "n.1"), ("b", "n.2"), ("a", "n.1")]
    assert archive.find_runs("n.1") == [("b", "n.1"), ("a", "n.1")]
    assert archive.find_runs("n", ["a"]) == [("a", "n.1")]
    with pytest.raises(ReportFileError, match="there is no run 'z' to resume"):
        archive.find_runs("z")
    with pytest.raises(ReportFileError, match="begins the id of several runs: b@n"):
        archive.find_runs("")


def test_a_head_is_read_without_the_trials(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"id": "x",\n"name": "n",\n"trials": [\n{broken', encoding="utf-8")
    assert read_head(path) == {"id": "x", "name": "n"}


@pytest.mark.parametrize("text", ["", "[1, 2]", "7", "null", '"text"', "{", "[" * 100_000, "\0"])
def test_a_file_that_is_no_report_is_no_head(archive: Archive, text: str) -> None:
    good = saved(archive, "n", "x", 1)
    bad = good.with_name("bad.json")
    bad.write_text(text, encoding="utf-8")
    assert archive.recent(5) == [good]
    assert archive.unreadable() == [bad]
