"""`llmeval run` and its options, in a project as a person has one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_samples import shop, two
from projects import Project


def names(report: dict[str, Any]) -> list[str]:
    return [trial["case"]["name"] for trial in report["trials"]]


def files(project: Project) -> set[str]:
    return {str(path.relative_to(project.root)) for path in (project.root / ".llmeval").rglob("*") if path.is_file()}


def one_report(project: Project, name: str) -> dict[str, Any]:
    (path,) = (project.root / ".llmeval" / name).glob("*.json")
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return report


def test_a_run_saves_its_report_in_a_folder_that_git_ignores_and_removes_its_journal(project: Project) -> None:
    done = shop(project).run("run", "parrot", "--id", "first")
    assert done.returncode == 1
    assert files(project) == {".llmeval/.gitignore", ".llmeval/parrot/first.json"}
    assert (project.root / ".llmeval/.gitignore").read_text(encoding="utf-8") == "*\n"
    report = project.report("parrot", "first")
    assert names(report) == ["hello", "bye", "rude", "broken"]
    assert [trial["status"] for trial in report["trials"]] == ["passed", "passed", "failed", "error"]
    assert "report  .llmeval/parrot/first.json" in done.stdout


def test_a_run_first_names_its_dataset_file_and_its_evaluator(project: Project) -> None:
    project.write("evals/echo.py", "from llmeval import evaluation\n@evaluation\ndef echo(text):\n    return text\n")
    project.write("evals/echo.jsonl", '{"name": "a", "inputs": "x", "expected_output": "x"}\n')
    done = project.run("run", "echo")
    assert done.stderr.splitlines()[0] == "echo: 1 trial · evals/echo.jsonl · graded by local"
    assert done.returncode == 0


def test_only_runs_the_named_cases_in_the_datasets_order(project: Project) -> None:
    done = shop(project).run("run", "parrot", "--only", "bye", "--only", "hello", "--id", "x")
    assert (done.returncode, names(project.report("parrot", "x"))) == (0, ["hello", "bye"])


def test_only_over_several_evaluations_must_match_in_at_least_one(project: Project) -> None:
    done = two(project).run("run", "--only", "one", "--id", "x")
    assert done.returncode == 0
    assert names(project.report("counter", "x")) == ["one"]
    assert not (project.root / ".llmeval/parrot/x.json").exists()
    lost = project.run("run", "--only", "one", "--only", "onee")
    assert lost.returncode == 2
    assert lost.stderr == "llmeval: there is no case 'onee': did you mean 'one'?\n"


def test_a_dataset_function_is_called_once_a_run_also_when_cases_are_selected_over_several_evaluations(
    project: Project,
) -> None:
    two(project).write(
        "evals/made.py",
        """
        from pathlib import Path
        from llmeval import Case, evaluation

        def cases():
            with Path(__file__).with_name("calls.txt").open("a") as file:
                file.write("called\\n")
            return [Case(name="one", inputs=1)]

        @evaluation(evaluator=False, dataset=cases)
        def made(number):
            return number
        """,
    )
    project.run("run", "--only", "one")
    assert (project.root / "evals/calls.txt").read_text(encoding="utf-8") == "called\n"
    assert names(one_report(project, "made")) == ["one"]


def test_repetitions_run_each_case_so_often_as_fresh_attempts(project: Project) -> None:
    done = shop(project).run("run", "parrot", "--only", "hello", "--only", "rude", "--repetitions", "2", "--id", "x")
    report = project.report("parrot", "x")
    assert [(trial["case"]["name"], trial["output"]["repetition"]) for trial in report["trials"]] == [
        ("hello", 1),
        ("hello", 2),
        ("rude", 1),
        ("rude", 2),
    ]
    assert "over repetitions: 1 case always passed, 0 sometimes, 1 never" in done.stdout


def test_an_existing_id_is_refused_and_nothing_of_it_is_lost(project: Project) -> None:
    shop(project).run("run", "parrot", "--only", "hello", "--id", "x")
    before = project.report("parrot", "x")
    done = project.run("run", "parrot", "--id", "x")
    assert done.returncode == 2
    assert done.stderr == "llmeval: run 'x' of parrot exists: give another --id, or --resume x\n"
    assert project.report("parrot", "x") == before


def test_an_id_that_is_not_safe_as_a_file_name_is_encoded(project: Project) -> None:
    two(project).run("run", "counter", "--id", "../../a:b/ü*?")
    assert {path for path in files(project) if path.endswith(".json")} == {
        ".llmeval/counter/%2E.%2F..%2Fa%3Ab%2F%C3%BC%2A%3F.json"
    }
    assert one_report(project, "counter")["id"] == "../../a:b/ü*?"
    assert project.run("report", "show", "counter@../../a:b/ü*?").returncode == 0


def test_a_dataset_of_another_file_wins_over_the_one_beside_the_evaluation(project: Project) -> None:
    two(project).write("data/more.jsonl", '{"name": "three", "inputs": 3}')
    assert project.run("run", "counter", "--dataset", "data/more.jsonl", "--id", "x").returncode == 0
    report = project.report("counter", "x")
    assert (names(report), report["definitions"]["dataset"]["path"]) == (["three"], "data/more.jsonl")


def test_a_dataset_path_may_be_relative_to_the_working_directory(project: Project) -> None:
    path = two(project).write("data/more.jsonl", '{"name": "three", "inputs": 3}')
    assert project.run("run", "counter", "--dataset", "more.jsonl", "--id", "x", cwd=path.parent).returncode == 0
    assert names(project.report("counter", "x")) == ["three"]


def test_a_dataset_for_several_evaluations_is_an_error(project: Project) -> None:
    done = two(project).run("run", "--dataset", "evals/counter.json")
    assert done.returncode == 2
    assert done.stderr == "llmeval: --dataset is for one evaluation, and there are 2: name one\n"


def test_an_evaluator_on_the_command_line_replaces_the_evaluations_own(project: Project) -> None:
    shop(project).write(
        "evals/checks.py", "def shout(attempt):\n    return attempt.output['said'].isupper(), 'it must be loud'\n"
    )
    done = project.run("run", "parrot", "--only", "hello", "--evaluator", "evals/checks.py::shout", "--id", "x")
    assert done.returncode == 1
    (trial,) = project.report("parrot", "x")["trials"]
    assert [(one["name"], one["status"], one["reason"]) for one in trial["evaluations"]] == [
        ("correctness", "failed", "it must be loud")
    ]


def test_no_grading_runs_assertions_only_and_leaves_criteria_unassessed(project: Project) -> None:
    project.write(
        "evals/echo.py",
        """
        from llmeval import evaluation

        @evaluation
        def echo(text):
            return text

        @echo.assertions
        def right(attempt):
            assert attempt.output == "x"
        """,
    )
    project.write("evals/echo.jsonl", '{"name": "a", "inputs": "x", "expected_output": "x"}\n')
    done = project.run("run", "echo", "--no-grading", "--id", "x")
    (trial,) = project.report("echo", "x")["trials"]
    assert (done.returncode, trial["status"], trial["assertion_count"]) == (1, "unassessed", 1)
    assert [one["status"] for one in trial["evaluations"]] == ["unassessed"]


def test_a_tag_selects_the_evaluations_that_have_it(project: Project) -> None:
    two(project).run("run", "--tag", "quick", "--id", "x")
    assert {path for path in files(project) if path.endswith(".json")} == {".llmeval/parrot/x.json"}
    done = project.run("run", "--tag", "slow")
    assert (done.returncode, done.stderr) == (2, "llmeval: no evaluation has the tag 'slow': there are quick\n")


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (["metadata.category=greeting"], ["hello", "rude"]),
        (["metadata.category=greeting", "inputs=good"], ["hello"]),
        (["metadata.tags=polite"], ["hello"]),
    ],
)
def test_where_selects_cases_by_what_stands_at_a_path(project: Project, where: list[str], expected: list[str]) -> None:
    options = [part for text in where for part in ("--where", text)]
    shop(project).run("run", "parrot", *options, "--id", "x")
    assert names(project.report("parrot", "x")) == expected


def test_limit_runs_the_first_of_the_selected_cases(project: Project) -> None:
    shop(project).run("run", "parrot", "--where", "metadata.category=greeting", "--limit", "1", "--id", "x")
    assert names(project.report("parrot", "x")) == ["hello"]


def test_set_gives_params_to_every_trial_as_the_json_they_are(project: Project) -> None:
    shop(project).run(
        "run",
        "parrot",
        "--only",
        "hello",
        "--id",
        "x",
        "--set",
        "model=a/b=c",
        "--set",
        "heat=0.5",
        "--set",
        "big=1e999",
    )
    report = project.report("parrot", "x")
    expected = {"model": "a/b=c", "heat": 0.5, "big": "1e999"}
    assert report["params"] == report["trials"][0]["params"] == report["trials"][0]["output"]["params"] == expected


def test_several_values_of_a_key_make_variants_with_a_report_each_and_a_table_over_them(project: Project) -> None:
    done = two(project).run("run", "counter", "--id", "x", "--set", "k=1", "--set", "k=2", "--set", "m=a")
    assert done.returncode == 0
    assert project.report("counter", "x.1")["params"] == {"k": 1, "m": "a"}
    assert project.report("counter", "x.2")["params"] == {"k": 2, "m": "a"}
    table = done.stdout[done.stdout.index("baseline  x.1") :].splitlines()
    assert table[0].endswith('k=1 · m="a"  passed 2 of 2 (100%)')
    assert any(line.startswith('x.2 k=2 m="a"') for line in table[1:])
    assert any("not enough evidence" in line for line in table[1:])


def test_variants_have_their_params_in_the_fingerprint_of_their_trials(project: Project) -> None:
    two(project).run("run", "counter", "--id", "x", "--set", "k=1", "--set", "k=2")
    prints = [project.report("counter", id)["trials"][0]["fingerprint"] for id in ("x.1", "x.2")]
    assert prints[0] != prints[1]


@pytest.mark.parametrize("width", ["2", "auto"])
def test_concurrency_runs_trials_at_the_same_time_and_keeps_their_order(project: Project, width: str) -> None:
    project.write(
        "evals/meet.py",
        """
        from threading import Barrier
        from llmeval import evaluation

        barrier = Barrier(2, timeout=20)

        @evaluation(evaluator=False)
        def meet(number):
            barrier.wait()
            return number

        @meet.assertions
        def met(attempt):
            assert attempt.output
        """,
    )
    project.write("evals/meet.json", '[{"name": "a", "inputs": 1}, {"name": "b", "inputs": 2}]')
    assert project.run("run", "meet", "-j", width, "--id", "x").returncode == 0
    assert names(project.report("meet", "x")) == ["a", "b"]


def test_a_timeout_is_recorded_on_its_trial_and_the_process_ends(project: Project) -> None:
    project.write(
        "evals/slow.py",
        """
        import time
        from llmeval import evaluation

        @evaluation(evaluator=False)
        def slow(seconds):
            time.sleep(seconds)
            return seconds

        @slow.assertions
        def ended(attempt):
            assert attempt.output == 0
        """,
    )
    project.write("evals/slow.json", '[{"name": "hangs", "inputs": 60}, {"name": "quick", "inputs": 0}]')
    done = project.run("run", "slow", "--timeout", "0.2", "--id", "x", timeout=30)
    report = project.report("slow", "x")
    assert [trial["status"] for trial in report["trials"]] == ["error", "passed"]
    assert report["trials"][0]["error"]["type"] == "TimeoutError"
    assert "took longer than 0.2 s" in done.stdout
    assert done.returncode == 3


def test_retry_errors_tries_a_trial_that_ends_in_an_error_again(project: Project) -> None:
    project.write(
        "evals/flaky.py",
        """
        from llmeval import evaluation

        calls = []

        @evaluation(evaluator=False)
        def flaky(number):
            calls.append(number)
            if len(calls) < 3:
                raise OSError("busy")
            return number

        @flaky.assertions
        def ended(attempt):
            assert attempt.output == 1
        """,
    )
    project.write("evals/flaky.json", '[{"name": "a", "inputs": 1}]')
    assert project.run("run", "flaky", "--retry-errors", "1", "--id", "x").returncode == 3
    assert project.run("run", "flaky", "--retry-errors", "2", "--id", "y").returncode == 0
    assert project.report("flaky", "y")["trials"][0]["retries"] == 2


FICKLE = """
    from llmeval import evaluation

    @evaluation(evaluator=False{options})
    def fickle(good):
        return good

    @fickle.assertions
    def on_some_repetitions(attempt):
        assert attempt.repetition <= attempt.output
"""


def test_require_implies_repetitions_and_a_case_passes_when_enough_of_them_do(project: Project) -> None:
    project.write("evals/fickle.py", FICKLE.format(options=""))
    project.write("evals/fickle.json", '[{"name": "mostly", "inputs": 2}, {"name": "always", "inputs": 3}]')
    done = project.run("run", "fickle", "--require", "2/3", "--id", "x")
    assert (done.returncode, len(project.report("fickle", "x")["trials"])) == (0, 6)
    assert "2/2 cases passing 2 of 3, all asked" in done.stdout.splitlines()[-1]
    assert done.stdout.splitlines()[-1].startswith("passed")
    assert project.run("run", "fickle", "--require", "3/3").returncode == 1
    assert project.run("run", "fickle", "--require", "3/3", "--fail-under", "50%").returncode == 0


def test_require_that_is_declared_holds_and_other_repetitions_are_refused(project: Project) -> None:
    project.write("evals/fickle.py", FICKLE.format(options=", require='1/2'"))
    project.write("evals/fickle.json", '[{"name": "once", "inputs": 1}]')
    assert project.run("run", "fickle").returncode == 0
    done = project.run("run", "fickle", "--repetitions", "5")
    assert (done.returncode, done.stderr) == (
        2,
        "llmeval: fickle declares require='1/2', which implies 2 repetitions, but 5 are given: give --require K/5\n",
    )


@pytest.mark.parametrize(("rate", "code"), [("0.5", 0), ("50 %", 0), ("66%", 0), ("0.67", 1), ("1", 1), ("0", 0)])
def test_fail_under_passes_a_complete_run_from_that_rate_on(project: Project, rate: str, code: int) -> None:
    options = ["--only", "hello", "--only", "bye", "--only", "rude"]
    done = shop(project).run("run", "parrot", *options, "--fail-under", rate, "--quiet")
    assert done.returncode == code
    assert done.stdout.startswith("failed" if code else "passed")


def test_output_saves_the_report_there_too(project: Project) -> None:
    done = two(project).run("run", "counter", "--output", "new/folder/c.json", "--id", "x")
    saved = json.loads((project.root / "new/folder/c.json").read_text(encoding="utf-8"))
    assert saved == project.report("counter", "x")
    assert "report  new/folder/c.json" in done.stdout


def test_output_of_several_evaluations_is_a_folder(project: Project) -> None:
    two(project).run("run", "--output", "out", "--id", "x")
    found = sorted(path.name for path in (project.root / "out").iterdir())
    assert found == ["counter.json", "parrot.json"]
    done = project.run("run", "--output", "out.json")
    assert (done.returncode, done.stderr) == (
        2,
        "llmeval: output is 'out.json', but there are 2 reports: give a folder\n",
    )


def test_output_where_nothing_can_be_written_is_refused_before_anything_runs(project: Project) -> None:
    two(project).write("file", "not a folder")
    done = project.run("run", "counter", "--output", "file/x.json")
    assert done.returncode == 2
    assert done.stderr.startswith("llmeval: output is 'file/x.json', where nothing can be written: ")
    assert not (project.root / ".llmeval").exists()


def test_plan_prints_cases_times_repetitions_times_requests_and_runs_nothing(project: Project) -> None:
    two(project)
    options = ["--only", "hello", "--evaluator", "openai:gpt-x"]
    done = project.run("run", "--plan", "--repetitions", "3", *options, OPENAI_API_KEY="none")
    assert done.stdout == (
        "parrot: 1 case \N{MULTIPLICATION SIGN} 3 repetitions = 3 trials\n"
        "  openai:gpt-x: 3 grading requests\n"
        "3 grading requests; nothing was run\n"
    )
    assert not (project.root / ".llmeval").exists()


def test_plan_is_json_where_json_is_asked_for(project: Project) -> None:
    done = two(project).run("run", "counter", "--plan", "--format", "json")
    expected = {"evaluation": "counter", "cases": 2, "repetitions": 1, "trials": 2, "requests": []}
    assert json.loads(done.stdout) == [expected]


def test_quiet_prints_the_verdict_only(project: Project) -> None:
    done = two(project).run("run", "counter", "--quiet")
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
    assert done.stdout.startswith("passed  counter: 2 of 2 passed · 100% (95% interval ")


def test_json_is_the_report_and_nothing_else_on_stdout(project: Project) -> None:
    done = shop(project).run("run", "parrot", "--format", "json", "--id", "x")
    assert json.loads(done.stdout) == project.report("parrot", "x")
    assert done.stderr.splitlines()[-1].startswith("failed  parrot: 2 of 4 passed, 1 failed, 1 error")


def test_json_of_several_evaluations_is_a_list(project: Project) -> None:
    done = two(project).run("run", "--format", "json", "--id", "x")
    assert json.loads(done.stdout) == [project.report("counter", "x"), project.report("parrot", "x")]


def test_json_is_json_also_where_stdout_knows_ascii_only(project: Project) -> None:
    two(project).write("evals/counter.json", '[{"name": "größe 🎈", "inputs": 1}]')
    done = project.run("run", "counter", "--format", "json", PYTHONIOENCODING="ascii")
    assert names(json.loads(done.stdout)) == ["größe 🎈"]


def test_agent_prints_a_block_for_each_trial_that_did_not_pass_and_nothing_else(project: Project) -> None:
    done = shop(project).run("run", "parrot", "--format", "agent", "--id", "x")
    blocks = done.stdout.rstrip("\n").split("\n\n")
    assert [block.splitlines()[:2] for block in blocks] == [
        ["case: rude", "status: failed"],
        ["case: broken", "status: error"],
    ]
    assert all("again: llmeval run parrot --only " in block for block in blocks)
    assert 'output: {"said": "bad"' in blocks[0]
    passing = project.run("run", "parrot", "--only", "hello", "--format", "agent")
    assert (passing.stdout, passing.returncode) == ("", 0)


def test_each_trial_that_did_not_pass_has_the_command_that_runs_it_again(project: Project) -> None:
    done = shop(project).run("run", "parrot", "--set", "k=a b")
    command = next(line for line in done.stdout.splitlines() if line.strip().startswith("again"))
    assert command.split("again", 1)[1].strip() == "llmeval run parrot --only rude --set 'k=a b'"


def test_the_last_line_of_several_evaluations_agrees_with_the_exit_code(project: Project) -> None:
    done = two(project).run("run")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "failed  2 runs: 1 passed, 1 failed")


def test_max_requests_and_max_cost_are_amounts(project: Project) -> None:
    shop(project)
    assert project.run("run", "parrot", "--max-requests", "0").stderr.startswith("llmeval: max_requests is 0: ")
    assert project.run("run", "parrot", "--max-cost", "nan").stderr.startswith("llmeval: max_cost is nan: ")


def test_a_summary_for_a_step_of_github_actions_is_written_when_it_has_a_file(project: Project) -> None:
    summary = two(project).root / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    project.run("run", GITHUB_STEP_SUMMARY=str(summary))
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.index("### `counter`: passed") < text.index("### `parrot`: failed")


def test_a_baseline_prints_the_diff_and_fails_on_any_case_that_got_worse(project: Project) -> None:
    two(project).run("run", "counter", "--id", "base")
    same = project.run("run", "counter", "--baseline", "counter@base", "--fail-on", "any")
    assert same.returncode == 0
    assert same.stdout.splitlines()[-1].startswith("passed") and "no case got worse than in base" in same.stdout
    source = project.root / "evals/counter.py"
    source.write_text(
        source.read_text(encoding="utf-8").replace("return number", "return number - 1"), encoding="utf-8"
    )
    worse = project.run("run", "counter", "--baseline", "counter@base", "--fail-on", "any")
    assert worse.returncode == 1
    assert "regressed (1)" in worse.stdout
    assert worse.stdout.splitlines()[-1].startswith("failed") and "a case got worse than in base" in worse.stdout
    gentle = project.run("run", "counter", "--baseline", "counter@base", "--fail-on", "regression")
    assert gentle.returncode == 0  # two cases are not enough evidence


def test_latest_as_baseline_is_the_last_run_before_this_one(project: Project) -> None:
    two(project).run("run", "counter", "--id", "one")
    done = project.run("run", "counter", "--baseline", "counter@latest", "--id", "two")
    assert "A  one · " in done.stdout and "B  two · " in done.stdout


def test_a_baseline_may_be_replaced_by_the_report_that_is_compared_with_it(project: Project) -> None:
    two(project).run("run", "counter", "--only", "one", "--output", "base.json", "--id", "old")
    done = project.run("run", "counter", "--baseline", "base.json", "--output", "base.json", "--id", "new")
    assert "A  old · " in done.stdout and "B  new · " in done.stdout
    assert json.loads((project.root / "base.json").read_text(encoding="utf-8"))["id"] == "new"


def test_a_folder_of_baselines_has_one_for_each_evaluation(project: Project) -> None:
    two(project).run("run", "--output", "base")
    done = project.run("run", "--baseline", "base", "--fail-on", "any", "--quiet")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "passed  2 runs: 2 passed")
    (project.root / "base/counter.json").unlink()
    done = project.run("run", "--baseline", "base")
    assert done.returncode == 2
    assert done.stderr == "llmeval: --baseline base has no report of counter: looked for base/counter.json\n"


def test_nothing_comparable_with_the_baseline_exits_with_2(project: Project) -> None:
    two(project).run("run", "counter", "--only", "one", "--id", "base")
    done = project.run("run", "counter", "--only", "two", "--baseline", "counter@base", "--fail-on", "regression")
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1].startswith("not comparable")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fail-on", "any"], "--fail-on needs --baseline REPORT to compare with"),
        (["--baseline", "no.json"], "no.json: there is no such report"),
        (["--baseline", "parrot@no", "--fail-on", "all"], "--fail-on is 'all': give any or regression"),
        (["--require", "3/2"], "require is '3/2': write K/N, as in 2/3: a case passes when 2 of its 3 trials do"),
        (["--require", "2/3", "--repetitions", "2"], "--require 2/3 implies 3 repetitions, but 2 are given"),
        (["--fail-under", "90"], "fail-under is '90': give a rate from 0 to 1, or a percentage, as in 0.9 or 90%"),
        (["-j", "0"], "concurrency is 0: give a whole number of 1 or more or 'auto'"),
        (["-j", "many"], "concurrency is 'many': give a whole number of 1 or more, or auto"),
        (["--repetitions", "0"], "repetitions is 0: give a whole number of 1 or more"),
        (["--timeout", "-1"], "timeout is -1.0: give a number above 0"),
        (["--limit", "0"], "limit is 0: give a whole number of 1 or more"),
        (["--set", "k"], "--set 'k': write KEY=VALUE"),
        (["--where", "k"], "where is 'k': write PATH=VALUE, as in metadata.category=returns"),
        (["--where", "metadata.k=1"], "no case is selected by metadata.k=1: there metadata.k is nowhere"),
        (["--id", " "], "id is ' ': give a text that is not blank, or leave it out"),
        (["--id", "latest"], "--id latest has a meaning of its own, as in NAME@latest: give another"),
        (["--format", "xml"], "format is 'xml': give table, json or agent"),
        (["--no-grading", "--evaluator", "local"], "--no-grading and --evaluator contradict each other: keep one"),
        (["--resume", "x", "--plan"], "--plan cannot be given with --resume: a resumed run keeps its options"),
        (["--only", "helo"], "there is no case 'helo': did you mean 'hello'?"),
        (["--limit", "x"], "limit is 'x': give a whole number"),
        (["--max-cost", "much"], "max_cost is 'much': give a number"),
        (["--nosuch"], "No such option: --nosuch (see llmeval --help)"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do_and_nothing_is_written(
    project: Project, options: list[str], message: str
) -> None:
    done = shop(project).run("run", "parrot", *options)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"llmeval: {message}\n")
    assert not (project.root / ".llmeval").exists()


def test_an_unknown_evaluation_is_one_line_with_near_names(project: Project) -> None:
    done = two(project).run("run", "parot")
    assert (done.returncode, done.stderr) == (2, "llmeval: there is no evaluation 'parot': did you mean 'parrot'?\n")


def test_debug_shows_where_a_mistake_was_found(project: Project) -> None:
    done = two(project).run("--debug", "run", "parot")
    assert "Traceback" in done.stderr and "SelectionError" in done.stderr
    assert done.returncode != 0


def test_a_path_runs_what_its_file_declares(project: Project, tmp_path: Path) -> None:
    done = two(project).run("run", "evals/counter.py", "--id", "x")
    assert (done.returncode, names(project.report("counter", "x"))) == (0, ["one", "two"])
