"""`llmeval regrade` as a person runs it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from model_graders import KEY
from projects import Project
from stub_server import StubServer

DEMO = """
    from llmeval import criterion, evaluation

    CASES = [{"name": f"c{n}", "inputs": n, "expected_output": n} for n in range(3)]

    @evaluation(dataset=CASES)
    @criterion("correctness")
    def demo(value):
        open("ran", "a").write("x")
        return value
"""


def ran(project: Project) -> Project:
    project.write("evals/demo.py", DEMO)
    assert project.run("run", "demo", "--id", "a", "-q").returncode == 0
    (project.root / "ran").unlink()
    return project


def test_a_report_is_graded_again_with_another_evaluator(project: Project, model_server: StubServer) -> None:
    done = ran(project).run(
        *("regrade", "demo@a", "--evaluator", "openai:stub-fail", "--id", "b", "--only", "c1"),
        OPENAI_API_KEY=KEY,
        OPENAI_BASE_URL=model_server.openai_url,
    )
    assert done.returncode == 1, done.stderr
    assert not (project.root / "ran").exists()
    saved = project.report("demo", "b")
    assert [(trial["case"]["name"], trial["status"]) for trial in saved["trials"]] == [("c1", "failed")]
    assert saved["options"]["regraded"]["path"] == str(Path(".llmeval", "demo", "a.json"))
    assert saved["options"]["evaluator"] == "openai:stub-fail"
    assert "demo: 1 trial" in done.stderr
    assert "graded again from the evidence of demo@a" in done.stderr
    assert "failed  demo: 0 of 1 passed, 1 failed" in done.stdout
    assert not (project.root / ".llmeval/demo/b.jsonl").exists()


def test_repeated_gradings_end_with_the_noise_of_each_criterion(project: Project, model_server: StubServer) -> None:
    done = ran(project).run(
        *("regrade", "demo", "--evaluator", "openai:stub-flip", "--repeat", "2", "--id", "b", "-j", "2"),
        OPENAI_API_KEY=KEY,
        OPENAI_BASE_URL=model_server.openai_url,
    )
    lines = done.stdout.splitlines()
    place = lines.index("the evaluator's noise, over 2 gradings of the same evidence:")
    noise = project.report("demo", "b")["noise"]["correctness"]
    flipped = len(noise["unstable"])
    assert noise["trials"] == 3
    assert lines[place + 1].startswith("  correctness: ")
    assert f"of 3 verdicts flip ({flipped})" in lines[place + 1]
    assert model_server.stats["stub-flip"] == 6
    shown = project.run("report", "show", "demo@b").stdout
    assert lines[place + 1] in shown.splitlines()


def test_a_plan_grades_nothing(project: Project) -> None:
    done = ran(project).run("regrade", "demo", "--plan", "--repeat", "3", "--evaluator", "openai:x", OPENAI_API_KEY=KEY)
    assert done.stdout.splitlines() == [
        "demo@a: 3 saved trials \N{MULTIPLICATION SIGN} 3 gradings",
        "  openai:x: 9 grading requests",
        "9 grading requests; nothing was graded",
    ]
    assert [path.name for path in (project.root / ".llmeval/demo").iterdir()] == ["a.json"]


def test_json_is_the_report(project: Project) -> None:
    done = ran(project).run("regrade", "demo@a", "--id", "b", "--format", "json", "--output", "out.json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == project.report("demo", "b")
    assert json.loads((project.root / "out.json").read_text()) == project.report("demo", "b")


def test_assertions_that_were_added_check_the_saved_evidence(project: Project) -> None:
    ran(project)
    added = "\n    @demo.assertions\n    def small(attempt):\n        assert attempt.output < 2\n"
    project.write("evals/demo.py", DEMO + added)
    done = project.run("regrade", "demo@a", "--id", "b")
    assert done.returncode == 1
    assert "assert 2 < 2" in done.stdout
    assert [trial["status"] for trial in project.report("demo", "b")["trials"]] == ["passed", "passed", "failed"]
    assert not (project.root / "ran").exists()


def test_an_interrupted_regrading_goes_on_where_it_stopped(project: Project, model_server: StubServer) -> None:
    servers = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": model_server.openai_url}
    ran(project)
    started = project.start(
        "regrade", "demo@a", "--evaluator", "openai:stub-slow-400", "--id", "b", "--plain", **servers
    )
    assert started.stderr is not None
    for line in started.stderr:
        if "1/3" in line:
            break
    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "interrupted" in out
    stopped = project.report("demo", "b")
    assert stopped["interrupted"]
    assert [trial["case"]["name"] for trial in stopped["trials"]] == ["c0"]

    other = project.run("run", "--resume", "b")
    assert other.returncode == 2
    assert "b is a regrading: go on with `llmeval regrade --resume b`" in other.stderr
    before = model_server.stats["stub-slow-400"]
    done = project.run("regrade", "--resume", "b", "-q", **servers)
    assert done.returncode == 0, done.stderr
    assert model_server.stats["stub-slow-400"] == before + 2
    whole = project.report("demo", "b")
    assert not whole["interrupted"]
    assert [trial["case"]["name"] for trial in whole["trials"]] == ["c0", "c1", "c2"]
    assert whole["trials"][0] == stopped["trials"][0]
    assert whole["options"] == stopped["options"]


def test_mistakes_are_one_line_and_exit_with_2(project: Project) -> None:
    ran(project)
    project.write("broken.json", '{"id": "x"')
    project.write("list.json", "[]")
    for arguments, said in (
        (["regrade"], "name the report whose evidence is to be graded"),
        (["regrade", "nope"], "there is no report 'nope'"),
        (["regrade", "broken.json"], "is not JSON"),
        (["regrade", "list.json"], "holds a list without a schema_version"),
        (["regrade", "evals"], "is a folder"),
        (["regrade", "demo", "--repeat", "0"], "repeat is 0"),
        (["regrade", "demo", "--only", "c9"], "there is no case 'c9'"),
        (["regrade", "demo", "--id", "a"], "exists: give another --id"),
        (["regrade", "--resume", "a"], "a is no regrading: go on with `llmeval run --resume a`"),
        (["regrade", "demo", "--resume", "a"], "REPORT cannot be given with --resume"),
    ):
        done = project.run(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert said in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1
