"""`llmeval report show`, `list`, `diff` and `export`."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_samples import two
from projects import Project


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with three complete runs of `counter`, in the second of which a case got worse, and one of `parrot`."""
    project = two(Project(tmp_path_factory.mktemp("saved")))
    project.run("run", "--id", "a", "--quiet")
    source = project.root / "evals/counter.py"
    good = source.read_text(encoding="utf-8")
    source.write_text(good.replace("return number", "return number - 1"), encoding="utf-8")
    project.run("run", "counter", "--id", "b", "--quiet")
    source.write_text(good, encoding="utf-8")
    project.run("run", "counter", "--id", "c", "--quiet", "--repetitions", "2")
    return project


def failing(project: Project, *arguments: str) -> str:
    """Runs `llmeval` where it has to refuse, and returns its one line."""
    done = project.run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("llmeval: ") and done.stderr.count("\n") == 1
    return done.stderr.removeprefix("llmeval: ").rstrip("\n")


@pytest.mark.parametrize(
    ("reference", "id"),
    [
        ("counter", "c"),
        ("counter@latest", "c"),
        ("counter@previous", "b"),
        ("counter@a", "a"),
        (".llmeval/counter/b.json", "b"),
    ],
)
def test_a_report_is_named_by_path_or_name_and_id_or_place(saved: Project, reference: str, id: str) -> None:
    done = saved.run("report", "show", reference, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)) == (0, saved.report("counter", id))


def test_show_prints_the_trials_and_the_verdict(saved: Project) -> None:
    done = saved.run("report", "show", "counter@b")
    assert done.stdout.startswith("counter b  20")
    assert done.stdout.splitlines()[-1].startswith("failed  counter: 1 of 2 passed, 1 failed")
    assert "again  llmeval run counter --only one" in done.stdout


def test_show_may_slice_the_figures_by_metadata(saved: Project) -> None:
    done = saved.run("report", "show", "parrot", "--by", "metadata.category")
    assert {"greeting", "farewell", "(none)"} <= {line.split()[0] for line in done.stdout.splitlines() if line.strip()}


def test_an_incomplete_run_is_not_the_latest(saved: Project, project: Project) -> None:
    two(project).run("run", "counter", "--id", "whole", "--quiet")
    path = project.root / ".llmeval/counter/whole.json"
    text = path.read_text(encoding="utf-8").replace('"interrupted": false', '"interrupted": true')
    path.with_name("later.json").write_text(text.replace('"id": "whole"', '"id": "later"'), encoding="utf-8")
    done = project.run("report", "show", "counter@latest", "--format", "json")
    assert json.loads(done.stdout)["id"] == "whole"


def test_list_shows_the_runs_of_an_evaluation_oldest_first(saved: Project) -> None:
    done = saved.run("report", "list", "counter")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["counter", "run", "a", "b", "c"]
    data = json.loads(saved.run("report", "list", "--format", "json").stdout)
    assert [(run["name"], run["id"], run["passed"], run["ran"]) for run in data] == [
        ("counter", "a", 2, 2),
        ("parrot", "a", 2, 4),
        ("counter", "b", 1, 2),
        ("counter", "c", 4, 4),
    ]
    assert len(saved.run("report", "list", "counter", "--last", "1").stdout.splitlines()) == 3


def test_list_skips_files_that_are_no_reports_and_says_so(project: Project) -> None:
    two(project).run("run", "counter", "--id", "good", "--quiet")
    whole = (project.root / ".llmeval/counter/good.json").read_text(encoding="utf-8")
    for name, text in BROKEN.items():
        project.write(f".llmeval/counter/{name}.json", text)
    (project.root / ".llmeval/counter/torn.json").write_text(whole[:-40], encoding="utf-8")
    done = project.run("report", "list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["counter", "run", "good"]
    notes = done.stderr.splitlines()
    assert len(notes) == len(BROKEN) + 1 and all(note.startswith("note: left out: ") for note in notes)


def test_without_a_report_list_says_how_to_get_one(project: Project) -> None:
    done = project.run("report", "list")
    assert (done.returncode, done.stdout) == (0, f"no report is in {project.root}/.llmeval: `llmeval run` saves one\n")


BROKEN = {"empty": "", "list": "[1, 2]", "number": "7", "cut": '{"schema_version": 1,\n"id": "x",\n"trials": ['}


@pytest.mark.parametrize("command", [("show",), ("diff", "counter@a"), ("export", "--csv")])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("empty", "{path} is empty: it is not a report"),
        ("list", "{path} is not a report of llmeval: it holds a list without a schema_version"),
        ("cut", "{path} is not JSON"),
        ("other", "{path} has schema_version 99, and this llmeval reads 1: use the version that wrote it"),
        ("folder", "{path} is a folder: name a report's JSON file"),
        ("missing", "{path}: there is no such report"),
    ],
)
def test_a_file_that_is_no_report_is_refused_in_one_line(
    saved: Project, tmp_path: Path, command: tuple[str, ...], name: str, message: str
) -> None:
    path = tmp_path / f"{name}.json"
    if name == "folder":
        path.mkdir()
    elif name == "other":
        path.write_text('{"schema_version": 99}', encoding="utf-8")
    elif name != "missing":
        path.write_text(BROKEN[name], encoding="utf-8")
    options = (*command[:1], str(path), *command[1:]) if command[0] == "export" else (*command, str(path))
    assert failing(saved, "report", *options).startswith(message.format(path=path))


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("countr", "there is no report 'countr': did you mean 'counter'?"),
        ("counter@zzz", "there is no report 'zzz' in {root}/.llmeval/counter"),
        ("parrot@previous", "parrot@previous: {root}/.llmeval holds only one complete report of 'parrot'"),
    ],
)
def test_a_reference_that_means_no_report_is_refused_in_one_line(saved: Project, reference: str, message: str) -> None:
    assert failing(saved, "report", "show", reference) == message.format(root=saved.root)


def test_diff_says_the_verdict_first_and_what_regressed(saved: Project) -> None:
    done = saved.run("report", "diff", "counter@a", "counter@b")
    assert done.returncode == 0
    assert done.stdout.startswith("not enough evidence")
    assert "regressed (1)" in done.stdout and "again  llmeval run counter --only one" in done.stdout


@pytest.mark.parametrize(
    ("references", "fail_on", "code"),
    [
        (("counter@a", "counter@b"), "any", 1),
        (("counter@a", "counter@b"), "regression", 0),
        (("counter@b", "counter@c"), "any", 0),
        (("counter@a", "counter@c", "counter@b"), "any", 1),
        (("counter@a", "parrot"), "regression", 2),
    ],
)
def test_diff_exits_by_what_is_asked(saved: Project, references: tuple[str, ...], fail_on: str, code: int) -> None:
    assert saved.run("report", "diff", *references, "--fail-on", fail_on).returncode == code


def test_diff_of_several_candidates_is_a_table_of_verdicts(saved: Project) -> None:
    done = saved.run("report", "diff", "counter@a", "counter@b", "counter@c")
    assert done.stdout.startswith("baseline  a · ")
    data = json.loads(saved.run("report", "diff", "counter@a", "counter@b", "counter@c", "--format", "json").stdout)
    assert [diff["runs"]["b"]["id"] for diff in data["diffs"]] == ["b", "c"]


def test_diff_is_json_markdown_html_and_blocks_for_an_agent(saved: Project) -> None:
    pair = ("report", "diff", "counter@a", "counter@b", "--format")
    data = json.loads(saved.run(*pair, "json").stdout)
    assert (data["verdict"], data["regressed"], data["unchanged"]) == ("not_enough_evidence", ["one"], ["two"])
    assert saved.run(*pair, "markdown").stdout.startswith("### ")
    assert "case: one" in saved.run(*pair, "agent").stdout
    assert saved.run(*pair, "html").stdout.lower().startswith("<!doctype html>")
    assert "format is 'xml': give " in failing(saved, *pair, "xml")


def test_diff_only_changed_leaves_out_what_did_not_change(saved: Project) -> None:
    pair = ("report", "diff", "counter@a", "counter@c")
    assert "per trial" in saved.run(*pair).stdout
    assert "per trial" not in saved.run(*pair, "--only-changed").stdout


def test_a_changed_criterion_is_compared_only_when_that_is_allowed(project: Project) -> None:
    source = """
        from llmeval import criterion, evaluation

        @evaluation
        @criterion("correctness")
        {more}
        def echo(text):
            return text

        @echo.assertions
        def right(attempt):
            assert {assertion}
    """
    project.write("evals/echo.jsonl", '{"name": "a", "inputs": "x", "expected_output": "x"}\n')
    project.write("evals/echo.py", source.format(more="", assertion="attempt.output"))
    project.run("run", "echo", "--id", "a", "--no-grading", "--quiet")
    project.write("evals/echo.py", source.format(more="", assertion="attempt.output == 'x'"))
    project.run("run", "echo", "--id", "b", "--quiet")
    pair = ("report", "diff", "echo@a", "echo@b", "--fail-on", "any")
    refused = project.run(*pair)
    assert (refused.returncode, "the assertions changed" in refused.stdout) == (2, True)
    assert project.run(*pair, "--allow-changed").returncode == 0


def test_export_writes_each_form_to_its_path(saved: Project, tmp_path: Path) -> None:
    paths = {form: tmp_path / "new" / f"report.{form}" for form in ("html", "markdown", "junit", "csv")}
    options = [part for form, path in paths.items() for part in (f"--{form}", str(path))]
    done = saved.run("report", "export", "parrot@a", *options)
    assert (done.returncode, done.stdout) == (0, "")
    assert "<!doctype html>" in paths["html"].read_text(encoding="utf-8").lower()
    assert paths["markdown"].read_text(encoding="utf-8").startswith("### `parrot`: failed")
    suite = ElementTree.fromstring(paths["junit"].read_text(encoding="utf-8")).find("testsuite")
    assert suite is not None and (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "1")
    rows = list(csv.reader(StringIO(paths["csv"].read_text(encoding="utf-8"))))
    assert [row[0] for row in rows] == ["case", "hello", "bye", "rude", "broken"]


@pytest.mark.parametrize(
    "arguments",
    [("parrot", "--csv"), ("--csv", "parrot"), ("parrot", "--csv", "-"), ("parrot", "--csv", "-o", "-")],
)
def test_export_without_a_path_goes_to_standard_output(saved: Project, arguments: tuple[str, ...]) -> None:
    done = saved.run("report", "export", *arguments)
    assert (done.returncode, done.stdout.splitlines()[0][:16]) == (0, "case,repetition,")


def test_export_refuses_what_it_cannot_do_in_one_line(saved: Project) -> None:
    assert failing(saved, "report", "export", "parrot").startswith("say which form: --html, ")
    assert failing(saved, "report", "export", "parrot", "--html", "--csv") == (
        "--html and --csv would go to one place: give each a path"
    )
    assert failing(saved, "report", "export", "parrot", "--csv", "/dev/null/x.csv").startswith("/dev/null/x.csv cannot")
