"""Exit codes, and what becomes of output that nobody reads, on streams of every kind."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_samples import shop, two
from projects import Project, environment

OUTCOMES = """
    from llmeval import Result, evaluation

    def unsure(attempt, criterion):
        return Result(name=criterion.name, reason="cannot tell")

    def right(attempt):
        return attempt.output == "x", "it has to be x"

    @evaluation(evaluator=right)
    def passes(inputs):
        return "x"

    @evaluation(evaluator=right)
    def fails(inputs):
        return "y"

    @evaluation(evaluator=right)
    def breaks(inputs):
        raise RuntimeError("down")

    @evaluation(evaluator=unsure)
    def unknown(inputs):
        return "x"

    @evaluation(evaluator=False)
    def nothing(inputs):
        return "x"
"""
NAMES = ("passes", "fails", "breaks", "unknown", "nothing")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("outcomes"))
    project.write("evals/outcomes.py", OUTCOMES)
    for name in NAMES:
        project.write(f"evals/{name}.json", '[{"name": "c", "inputs": 1, "expected_output": "x"}]')
    return project


@pytest.mark.parametrize(
    ("arguments", "code", "last"),
    [
        (("passes",), 0, "passed  passes: 1 of 1 passed"),
        (("fails",), 1, "failed  fails: 0 of 1 passed, 1 failed"),
        (("breaks",), 3, "incomplete  breaks: 0 of 1 passed, 1 error"),
        (("unknown",), 1, "failed  unknown: 0 of 1 passed, 1 unassessed"),
        (("nothing",), 1, "failed  nothing: 0 of 1 passed, 1 measured"),
        (("passes", "breaks"), 3, "incomplete  2 runs: 1 passed, 1 incomplete"),
        (("breaks", "fails"), 1, "failed  2 runs: 1 incomplete, 1 failed"),
    ],
)
def test_the_exit_code_and_the_last_line_say_how_a_run_went(
    outcomes: Project, arguments: tuple[str, ...], code: int, last: str
) -> None:
    done = outcomes.run("run", *arguments)
    assert (done.returncode, done.stdout.splitlines()[-1][: len(last)]) == (code, last)


def test_no_cases_and_a_filter_that_matches_nothing_are_mistakes(outcomes: Project) -> None:
    empty = outcomes.write("empty.json", '{"cases": []}')
    done = outcomes.run("run", "passes", "--dataset", str(empty))
    assert done.returncode == 2 and "empty.json" in done.stderr
    assert outcomes.run("run", "passes", "--where", "inputs=2").returncode == 2


@pytest.mark.parametrize(("name", "code"), [("passes", 0), ("fails", 1), ("breaks", 3)])
def test_a_reader_that_goes_away_changes_neither_the_exit_code_nor_is_there_a_traceback(
    outcomes: Project, name: str, code: int
) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    script = f'"{sys.executable}" -m llmeval run {name} --format json | head -c 1; exit "${{PIPESTATUS[0]}}"'
    done = subprocess.run(
        [bash, "-c", script],
        cwd=outcomes.root,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout[:1]) == (code, "{")
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


def test_a_listing_whose_reader_goes_away_ends_without_a_traceback(project: Project) -> None:
    cases = [{"name": f"c{number}", "inputs": "x" * 100} for number in range(3000)]
    two(project).write("evals/counter.json", json.dumps(cases))
    script = f'"{sys.executable}" -m llmeval cases counter | head -1'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=project.root,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (len(done.stdout.splitlines()), done.stderr) == (1, "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_does_not_keep_a_run_from_its_report_or_its_exit_code(project: Project, closed: str) -> None:
    shop(project)
    script = f'"{sys.executable}" -m llmeval run parrot --id x {closed}'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=project.root,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert len(project.report("parrot", "x")["trials"]) == 4
    assert "Traceback" not in done.stdout + done.stderr


def test_a_run_prints_plain_lines_without_cursor_movement_off_a_terminal(project: Project) -> None:
    plain = shop(project).run("run", "parrot")
    assert "\x1b" not in plain.stdout + plain.stderr
    assert [line.split()[0] for line in plain.stderr.splitlines()] == ["parrot:", "passed", "passed", "failed", "error"]
    colored = project.run("run", "parrot", FORCE_COLOR="1")
    codes = set(re.findall(r"\x1b\[[0-9;?]*([A-Za-z])", colored.stdout + colored.stderr))
    assert codes == {"m"}
    assert "\x1b" not in (none := project.run("run", "parrot", FORCE_COLOR="1", NO_COLOR="1")).stdout + none.stderr


def test_standard_output_and_error_in_one_file_come_in_order(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w", encoding="utf-8") as file:
        subprocess.run(
            [sys.executable, "-m", "llmeval", "run", "parrot"],
            cwd=shop(project).root, env=environment(), stdout=file, stderr=file, timeout=60, check=False,
        )  # fmt: skip
    lines = log.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("parrot: 4 trials") and lines[-1].startswith("failed  parrot: ")


def test_what_the_application_prints_does_not_mix_with_json(project: Project) -> None:
    shop(project).write(
        "evals/noisy.py",
        """
        import sys
        from llmeval import evaluation

        @evaluation(evaluator=False)
        def noisy(number):
            print("to stderr", file=sys.stderr)
            return number
        """,
    )
    project.write("evals/noisy.json", '[{"name": "a", "inputs": 1}]')
    done = project.run("run", "noisy", "--format", "json")
    assert json.loads(done.stdout)["name"] == "noisy"
    assert "to stderr" in done.stderr


def test_markup_in_names_outputs_criteria_and_reasons_is_shown_as_it_is(project: Project) -> None:
    project.write(
        "evals/echo.py",
        """
        from llmeval import criterion, evaluation

        @evaluation(evaluator=lambda attempt, criterion: (False, f"[red]no[/red] {attempt.output}"))
        @criterion("[bold]x[/]", "It is bold")
        def echo(text):
            return text
        """,
    )
    shutil.copy(Path(__file__).parent / "resources/cli/markup.yaml", project.root / "evals/echo.yaml")
    texts = [
        "[/USER] ends here [/]",
        "[green]still to be seen[/green]",
        "[blink]title[/blink]",
        "a :heart: and 11:20:30",
    ]
    texts += ["\\[dim] D:\\old\\[y]", "v[0] - w[2:] or z[k]", "[bold]x[/]", "[red]no[/red]"]
    run = project.run("run", "echo", "--id", "a")
    assert run.returncode == 1
    assert [text for text in texts if text not in run.stdout] == []
    shown = project.run("report", "show", "echo")
    assert [text for text in texts if text not in shown.stdout] == []
    source = project.root / "evals/echo.py"
    source.write_text(source.read_text(encoding="utf-8").replace("(False, f", "(True, f"), encoding="utf-8")
    project.run("run", "echo", "--id", "b", "--quiet")
    diff = project.run("report", "diff", "echo@b", "echo@a", "--allow-changed")
    assert [text for text in texts if text not in diff.stdout] == []
    assert "[blink]title[/blink]" in project.run("cases", "echo").stdout


def test_python_m_llmeval_and_the_command_are_the_same(project: Project) -> None:
    command = Path(sys.executable).with_name("llmeval")
    if not command.exists():
        pytest.skip("llmeval is not installed, only importable")
    done = subprocess.run(
        [command, "--version"], env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == project.run("--version").stdout != ""


@pytest.mark.parametrize("arguments", [(), ("report",), ("schema",)])
def test_a_command_without_its_subject_shows_its_help_and_exits_with_2(
    project: Project, arguments: tuple[str, ...]
) -> None:
    done = project.run(*arguments)
    assert (done.returncode, done.stderr.lstrip()[:6]) == (2, "Usage:")


def test_an_unknown_command_is_one_line(project: Project) -> None:
    done = project.run("rum")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "'rum'" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise RuntimeError('no model')", "evals/bad.py cannot be imported: RuntimeError: no model"),
        ("import nosuchmodule  # llmeval", "evals/bad.py cannot be imported: ModuleNotFoundError: No module named"),
        ("def f(:", "evals/bad.py cannot be imported: SyntaxError: "),
        ("raise SystemExit(0)", "evals/bad.py cannot be imported: SystemExit: 0"),
    ],
)
def test_a_file_that_fails_to_import_stops_everything_before_any_trial(
    project: Project, text: str, message: str
) -> None:
    two(project).write(
        "evals/bad.py", f"import llmeval\nfrom llmeval import evaluation\n{text}\n@evaluation\ndef bad(x): ...\n"
    )
    done = project.run("run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"llmeval: {message}")
    assert "Traceback" not in done.stderr and not (project.root / ".llmeval").exists()
    assert project.run("run", "counter").returncode == 0


def test_secrets_in_an_error_of_the_command_line_itself_are_masked(project: Project) -> None:
    two(project).write(
        "evals/bad.py",
        'import os, llmeval\nraise RuntimeError(os.environ["SHOP_API_KEY"])\n@llmeval.evaluation\ndef bad(x): ...\n',
    )
    done = project.run("run", "bad", SHOP_API_KEY="canary-12345678")
    assert done.returncode == 2 and "cannot be imported" in done.stderr
    assert "canary-12345678" not in done.stdout + done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_one_line(project: Project) -> None:
    two(project)
    project.root.chmod(0o500)
    try:
        done = project.run("run", "counter")
    finally:
        project.root.chmod(0o700)
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_a_setting_that_does_not_exist_is_refused_with_the_one_that_was_meant(project: Project) -> None:
    project.write("pyproject.toml", "[tool.llmeval]\nevaluatr = 'local'\n")
    done = project.run("list")
    assert done.returncode == 2
    assert "[tool.llmeval]: there is no setting 'evaluatr': did you mean 'evaluator'?" in done.stderr


def test_two_evaluations_of_one_name_in_one_file_are_an_error(project: Project) -> None:
    declaration = """
        @evaluation(dataset=[{"name": "a", "inputs": 1}], evaluator=False)
        def twin(inputs):
            return inputs
    """
    project.write(
        "evals/twins.py", f"from llmeval import evaluation\n{declaration}\n{declaration}".replace("\n        ", "\n")
    )
    done = project.run("run")
    assert done.returncode == 2
    assert "two evaluations are named 'twin'" in done.stderr


def test_an_exception_of_several_lines_is_one_line(project: Project) -> None:
    project.write("evals/broken.py", "import llmeval\nraise RuntimeError('boom\\nsecond')\n")
    done = project.run("run")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "RuntimeError: boom second" in done.stderr


def test_a_helper_that_cannot_be_imported_is_told_with_its_own_line(project: Project) -> None:
    project.write("pyproject.toml", "[tool.llmeval]\n")
    project.write("helper.py", "import os\nraise KeyError('k')\n")
    project.write("evals/user.py", "import llmeval\nimport helper\n@llmeval.evaluation\ndef user(inputs): ...\n")
    done = project.run("run")
    assert f"({project.root / 'helper.py'}:2)" in done.stderr
