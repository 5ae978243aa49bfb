"""`llmeval cases`, `list`, `import`, `schema`, `init`, completion, and what starting each loads."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from cli_samples import two
from projects import Project, environment

from llmeval.datasets import load


def test_cases_lists_them_and_runs_nothing(project: Project) -> None:
    two(project).write("evals/parrot.py", (project.root / "evals/parrot.py").read_text(encoding="utf-8"))
    done = project.run("cases", "parrot")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["case", "hello", "bye", "rude", "broken"]
    assert (done.returncode, done.stderr) == (0, "")
    assert not (project.root / ".llmeval").exists()


def test_cases_can_be_selected_and_printed_as_json(project: Project) -> None:
    done = two(project).run("cases", "parrot", "--only", "hello", "--format", "json")
    assert json.loads(done.stdout) == [
        {
            "name": "hello",
            "inputs": "good",
            "expected_output": "good",
            "metadata": {"category": "greeting", "tags": ["short", "polite"]},
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cases", "parot"), "there is no evaluation 'parot': did you mean 'parrot'?"),
        (("cases", "parrot", "--only", "helo"), "there is no case 'helo': did you mean 'hello'?"),
        (("cases", "parrot", "--format", "xml"), "format is 'xml': give table or json"),
        (("list", "--format", "xml"), "format is 'xml': give table or json"),
        (("import", "nosuch.csv"), "nosuch.csv: there is no such file"),
    ],
)
def test_a_mistake_in_a_command_is_one_line(project: Project, arguments: tuple[str, ...], message: str) -> None:
    done = two(project).run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"llmeval: {message}\n")


def test_list_imports_no_evaluation_file(project: Project) -> None:
    two(project).write(
        "evals/heavy.py", "import llmeval\nraise SystemExit('imported')\n@llmeval.evaluation\ndef heavy(x): ...\n"
    )
    done = project.run("list")
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["evaluation", "file", "cases"],
        ["counter", "evals/counter.py", "evals/counter.json"],
        ["heavy", "evals/heavy.py"],
        ["parrot", "evals/parrot.py", "evals/parrot.yaml"],
    ]
    data = json.loads(project.run("list", "--format", "json").stdout)
    assert [one["name"] for one in data] == ["counter", "heavy", "parrot"]


def test_list_without_an_evaluation_says_how_to_get_one(project: Project) -> None:
    assert "`llmeval init` writes a first one" in project.run("list").stdout


def test_import_turns_a_csv_into_a_dataset_and_lists_what_it_left_out(project: Project) -> None:
    project.write("cases.csv", "id,question,answer,note\na,1+1?,2,easy\nb,2+2?,4,\n")
    done = project.run(
        "import", "cases.csv", "--map", "id=name,question=inputs,answer=expected_output", "-o", "out.yaml"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "2 cases are in out.yaml" in done.stderr and "note" in done.stderr
    loaded = load(project.root / "out.yaml")
    assert [(case.name, case.inputs, case.expected_output) for case in loaded] == [
        ("a", "1+1?", "2"),
        ("b", "2+2?", "4"),
    ]
    again = project.run("import", "cases.csv", "--map", "id=name,question=inputs", "-o", "out.yaml")
    assert (again.returncode, again.stderr) == (2, "llmeval: out.yaml exists: --force replaces it\n")
    assert [case.expected_output for case in load(project.root / "out.yaml")] == ["2", "4"]


def test_import_prints_the_dataset_in_the_format_asked_for(project: Project) -> None:
    project.write("lines.jsonl", '{"q": "1+1?", "a": 2}\n{"q": "2+2?", "a": 4}\n')
    done = project.run("import", "lines.jsonl", "--map", "q=inputs", "--map", "a=expected_output", "--format", "json")
    assert [(case["inputs"], case["expected_output"]) for case in json.loads(done.stdout)["cases"]] == [
        ("1+1?", 2),
        ("2+2?", 4),
    ]
    bad = project.run("import", "lines.jsonl", "--map", "q")
    assert (bad.returncode, bad.stderr[:21]) == (2, "llmeval: map has 'q':")


@pytest.mark.parametrize("kind", ["dataset", "report"])
def test_schema_prints_a_json_schema_that_the_programs_own_files_satisfy(project: Project, kind: str) -> None:
    from jsonschema import Draft202012Validator

    two(project).run("run", "parrot", "--id", "x", "--quiet")
    schema = json.loads(project.run("schema", kind).stdout)
    validator = Draft202012Validator(schema)
    validator.check_schema(schema)
    if kind == "report":
        validator.validate(project.report("parrot", "x"))
        assert list(validator.iter_errors({"schema_version": 1}))
    else:
        validator.validate(json.loads(project.run("cases", "parrot", "--format", "json").stdout))
        assert list(validator.iter_errors({"cases": [{"inputs": 1, "expected": 2}]}))


def test_init_writes_a_first_evaluation_that_runs_and_says_what_to_do_next(project: Project) -> None:
    (project.root / "evals").rmdir()
    done = project.run("init", LLMEVAL_EVALUATOR=None)
    assert done.stdout.splitlines()[0] == "wrote evals/greeting.py, evals/greeting.yaml"
    commands = [line.split("  ")[1] for line in done.stdout.splitlines() if line.startswith("  llmeval")]
    assert commands == ["llmeval run greeting", "llmeval cases greeting"]
    for command in commands:
        assert project.run(*command.split()[1:], LLMEVAL_EVALUATOR=None).returncode == 0
    again = project.run("init")
    assert (again.returncode, again.stderr) == (2, "llmeval: evals/greeting.py exists: nothing was written\n")


def test_init_writes_where_the_project_looks_for_evaluations(project: Project) -> None:
    project.write("pyproject.toml", "[tool.llmeval]\npaths = ['checks/llm']\n")
    below = project.root / "src"
    below.mkdir()
    assert project.run("init", cwd=below).stdout.startswith("wrote checks/llm/greeting.py, ")
    assert project.run("run", "greeting", "--quiet", cwd=below).returncode == 0
    done = project.run("init", "src")
    assert done.returncode == 2 and done.stderr.startswith("llmeval: src belongs to the project at ")


def test_init_in_another_folder_says_to_go_there(project: Project) -> None:
    (project.root / "evals").rmdir()
    done = project.run("init", "new")
    assert f"  cd {project.root / 'new'}\n" in done.stdout
    assert project.run("run", "--quiet", cwd=project.root / "new").returncode == 0


def completed(project: Project, line: str) -> list[str]:
    """Returns what bash offers at the end of a line."""
    words = line.split(" ")
    variables = {"_LLMEVAL_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "llmeval"],
        cwd=project.root,
        env=environment(**dict.fromkeys(variables)) | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("llmeval run pa", ["parrot"]),
        ("llmeval run ", ["counter", "parrot"]),
        ("llmeval run parrot --only ", ["hello", "bye", "rude", "broken"]),
        ("llmeval run counter --only t", ["two"]),
        ("llmeval run evals/counter.py --only ", ["one", "two"]),
        ("llmeval cases counter --only ", ["one", "two"]),
        ("llmeval run --only b", ["bye", "broken"]),
        ("llmeval cases co", ["counter"]),
        ("llmeval report show p", ["parrot"]),
        ("llmeval rep", ["report"]),
    ],
)
def test_a_shell_completes_names_of_evaluations_and_cases(project: Project, line: str, offered: list[str]) -> None:
    assert completed(two(project), line) == offered


def test_completion_imports_no_evaluation_and_says_nothing_of_broken_files(project: Project) -> None:
    two(project).write("evals/heavy.py", "import llmeval\nprint('imported')\n@llmeval.evaluation\ndef heavy(x): ...\n")
    project.write("evals/heavy.json", "{broken")
    assert completed(project, "llmeval run h") == ["heavy"]
    assert completed(project, "llmeval run heavy --only ") == []
    project.write("pyproject.toml", "[tool.llmeval\n")
    assert completed(project, "llmeval run ") == completed(project, "llmeval run parrot --only ") == []


def test_the_script_that_sets_completion_up_can_be_shown(project: Project) -> None:
    done = project.run("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 0
    assert "_LLMEVAL_COMPLETE=complete_bash" in done.stdout


HEAVY = {"asyncio", "openai", "anthropic", "pydantic", "pydantic_ai", "agents", "langchain_core", "genai_prices"}


def loaded(project: Project, *command: str) -> set[str]:
    """Returns the packages that a command has loaded when it ends."""
    report = "import sys, atexit; atexit.register(lambda: print('LOADED', *sys.modules, file=sys.stderr)); "
    start = "import llmeval" if not command else "from llmeval.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", report + start, *command],
        cwd=project.root,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.rpartition("LOADED ")[2].split())


def test_importing_the_package_loads_nothing_heavy(project: Project) -> None:
    assert loaded(project) & (HEAVY | {"typer", "rich", "yaml", "llmeval.runner"}) == set()


@pytest.mark.parametrize("command", [("cases", "parrot"), ("list",)])
def test_listing_loads_no_sdk_no_event_loop_and_no_parser_of_arguments(
    project: Project, command: tuple[str, ...]
) -> None:
    found = loaded(two(project), *command)
    assert found & (HEAVY | {"typer", "rich", "llmeval.runner"}) == set()


@pytest.mark.parametrize("command", [("run", "counter"), ("run", "counter", "--quiet"), ("report", "list")])
def test_a_run_without_a_model_loads_no_sdk_and_no_event_loop(project: Project, command: tuple[str, ...]) -> None:
    found = loaded(two(project), *command)
    assert found & {"asyncio", "openai", "anthropic", "pydantic_ai", "agents", "langchain_core"} == set()


def test_a_run_without_options_loads_no_parser_of_arguments(project: Project) -> None:
    assert loaded(two(project), "run", "counter") & {"typer", "pydantic", "llmeval.diff"} == set()
