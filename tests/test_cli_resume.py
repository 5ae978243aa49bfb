"""Runs that were killed or interrupted, and `llmeval run --resume`."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cli_samples import two
from projects import Project, environment

STEPS = """
    import os, time
    from pathlib import Path
    from llmeval import criterion, evaluation

    LOG = Path(__file__).with_name("log.txt")

    def kind(attempt, criterion):
        return attempt.output["step"] != 3, "three is not kind"

    @evaluation(evaluator=kind)
    @criterion("kind", "The answer is kind")
    def steps(step, attempt):
        time.sleep({pause})
        if step == 5:
            raise RuntimeError("five is too many")
        with LOG.open("a") as file:
            file.write(f"{{step}} {{attempt.repetition}} {{attempt.params}}\\n")
        return {{"step": step, "repetition": attempt.repetition}}

    @steps.assertions
    def is_small(attempt):
        assert attempt.output["step"] < 9
"""


def steps(project: Project, *, cases: int = 6, pause: str = "0") -> Project:
    """Writes `steps`: case s3 fails, s5 is an error."""
    project.write("evals/steps.py", STEPS.format(pause=pause))
    project.write("evals/steps.json", json.dumps([{"name": f"s{i}", "inputs": i} for i in range(cases)]))
    return project


def performed(project: Project) -> list[str]:
    log = project.root / "evals/log.txt"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def journal(project: Project, id: str, name: str = "steps") -> Path:
    return project.root / ".llmeval" / name / f"{id}.jsonl"


def comparable(report: dict[str, Any]) -> dict[str, Any]:
    """Returns a report without ids, times and durations."""
    trials = [{key: value for key, value in trial.items() if key != "duration"} for trial in report["trials"]]
    rest = {key: value for key, value in report.items() if key not in ("id", "started_at", "finished_at")}
    return {**rest, "trials": trials}


def wait_for(condition: Any, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def cut(project: Project, id: str, keep: int, torn: bytes = b"") -> None:
    """Makes of a saved report what a run leaves that was killed when `keep` of its trials had finished."""
    report = project.root / ".llmeval/steps" / f"{id}.json"
    data = json.loads(report.read_text(encoding="utf-8"))
    head = {key: data[key] for key in ("id", "name", "started_at", "params", "options", "definitions", "environment")}
    kept = [json.dumps(one) for one in ({"journal": 1, **head, "notes": []}, *data["trials"][:keep])]
    journal(project, id).write_bytes(("\n".join(kept) + "\n").encode() + torn)
    report.unlink()


def kill_and_resume(root: Path, number: int, seed: int) -> tuple[dict[str, Any], int, int, int]:
    """Runs `steps`, kills it at a random point, and resumes it.

    Returns its report, the trials in the journal at the kill, and the calls of the application before and after.
    """
    project = steps(Project(root / str(number)), pause="0.01")
    options = ("--repetitions", "2", "--set", "k=1", *(("-j", "2") if number % 3 == 2 else ()))
    process = project.start("run", "steps", "--id", "x", "--quiet", *options)
    chance = random.Random(seed + number)
    if number % 5:  # each fifth is killed at any time since its start
        target = chance.randrange(1, 13)
        wait_for(lambda: lines(journal(project, "x")) >= target or process.poll() is not None)
        time.sleep(chance.uniform(0, 0.02))
    else:
        time.sleep(chance.uniform(0, 0.6))
    process.kill()
    process.communicate()
    held, before = max(lines(journal(project, "x")) - 1, 0), len(performed(project))
    saved = (project.root / ".llmeval/steps/x.json").exists() and not journal(project, "x").exists()
    begun = lines(journal(project, "x")) or saved
    again = ("--resume", "x") if begun else ("--id", "x", *options)
    done = project.run("run", "steps", "--quiet", *again)
    assert done.returncode == 1, done.stderr
    return project.report("steps", "x"), 12 if saved else held, before, len(performed(project))


def test_a_run_killed_at_any_point_and_resumed_gives_the_report_of_an_uninterrupted_one(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    whole = steps(Project(tmp_path / "whole"), pause="0.01")
    whole.run("run", "steps", "--id", "x", "--quiet", "--repetitions", "2", "--set", "k=1")
    expected = comparable(whole.report("steps", "x"))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda number: kill_and_resume(tmp_path, number, seed), range(20)))
    for number, (report, held, before, after) in enumerate(found):
        report["options"]["concurrency"] = 1
        trials = zip(report["trials"], expected["trials"], strict=True)
        for trial, other in trials:
            if trial["error"]:  # its traceback names the folder
                assert trial["error"].pop("traceback").splitlines()[-1] == "RuntimeError: five is too many"
                other["error"].pop("traceback", None)
        assert comparable(report) == expected, f"kill {number} of seed {seed}"
        raising = sum(trial["error"] is not None for trial in report["trials"][:held])
        assert after - before <= 10 - (held - raising), f"kill {number} of seed {seed} ran finished trials again"
    assert any(held for _, held, _, _ in found)


def test_resume_runs_only_what_is_missing_and_ignores_a_torn_last_line(project: Project) -> None:
    steps(project).run("run", "steps", "--id", "x", "--set", "k=1")
    expected = project.report("steps", "x")
    (project.root / "evals/log.txt").unlink()
    cut(project, "x", 3, torn=b'{"case": {"name": "s3", "inp')
    done = project.run("run", "--resume", "x")
    assert performed(project) == ["3 1 {'k': 1}", "4 1 {'k': 1}"]
    assert done.stderr.splitlines()[0].startswith("steps: 6 trials (3 finished before)")
    assert comparable(project.report("steps", "x")) == comparable(expected)
    assert not journal(project, "x").exists()


def test_a_resumed_run_takes_its_options_from_its_journal(project: Project) -> None:
    steps(project).run("run", "steps", "--id", "x", "--only", "s1", "--only", "s2", "--require", "1/2", "--set", "k=v")
    expected = project.report("steps", "x")
    cut(project, "x", 1)
    assert project.run("run", "--resume", "x").returncode == 0
    found = project.report("steps", "x")
    assert (found["options"], found["params"], len(found["trials"])) == (expected["options"], {"k": "v"}, 4)


def test_a_unique_prefix_of_an_id_will_do(project: Project) -> None:
    steps(project)
    for id in ("abc-1", "abd-1"):
        project.run("run", "steps", "--id", id, "--quiet")
        cut(project, id, 2)
    done = project.run("run", "--resume", "ab")
    assert done.returncode == 2
    assert done.stderr == "llmeval: 'ab' begins the id of several runs: steps@abc-1, steps@abd-1\n"
    assert project.run("run", "--resume", "abd").returncode == 1
    assert len(project.report("steps", "abd-1")["trials"]) == 6
    assert lines(journal(project, "abc-1")) == 3


def test_resume_of_an_unknown_run_is_one_line(project: Project) -> None:
    done = steps(project).run("run", "--resume", "nosuch")
    assert (done.returncode, done.stderr) == (2, "llmeval: there is no run 'nosuch' to resume\n")
    assert not (project.root / ".llmeval").exists()


def test_what_a_run_has_decided_cannot_be_said_again_when_it_is_resumed(project: Project) -> None:
    steps(project).run("run", "steps", "--id", "x", "--quiet")
    cut(project, "x", 2)
    done = project.run("run", "--resume", "x", "--only", "s1", "--no-grading")
    assert (done.returncode, done.stderr) == (
        2,
        "llmeval: --only, --no-grading cannot be given with --resume: a resumed run keeps its options\n",
    )


def test_resume_is_refused_after_a_change_of_the_source_unless_it_is_allowed_and_said(project: Project) -> None:
    steps(project).run("run", "steps", "--id", "x", "--quiet")
    cut(project, "x", 2)
    project.write("evals/_helper.py", "CHANGED = True\n")
    done = project.run("run", "--resume", "x")
    assert done.returncode == 2
    assert done.stderr.startswith("llmeval: the source of the evaluations changed since run x began")
    assert lines(journal(project, "x")) == 3
    allowed = project.run("run", "--resume", "x", "--allow-changed")
    assert allowed.returncode == 1
    assert project.report("steps", "x")["notes"] == ["resumed after a change of the source of the evaluations"]
    assert "note: resumed after a change of the source of the evaluations" in allowed.stdout


def git(project: Project, *arguments: str) -> None:
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.test", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *settings, *arguments], cwd=project.root, check=True, capture_output=True)


def test_resume_is_refused_after_a_change_of_the_working_tree_or_the_commit(project: Project) -> None:
    steps(project).write(".gitignore", "log.txt\n__pycache__\n")
    project.write("app.py", "MODEL = 1\n")
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "first")
    project.run("run", "steps", "--id", "x", "--quiet")
    assert project.report("steps", "x")["environment"]["dirty"] is False
    cut(project, "x", 2)
    project.write("app.py", "MODEL = 2\n")
    dirty = project.run("run", "--resume", "x")
    assert (dirty.returncode, dirty.stderr[:36]) == (2, "llmeval: the working tree changed si")
    git(project, "commit", "-q", "-a", "-m", "second")
    moved = project.run("run", "--resume", "x")
    assert (moved.returncode, moved.stderr[:33]) == (2, "llmeval: the git commit changed s")
    project.run("run", "--resume", "x", "--allow-changed")
    assert project.report("steps", "x")["notes"] == ["resumed after a change of the git commit"]


def test_a_trial_whose_case_changed_runs_again(project: Project) -> None:
    steps(project).run("run", "steps", "--id", "x", "--quiet")
    (project.root / "evals/log.txt").unlink()
    cut(project, "x", 6)
    data = project.root / "evals/steps.json"
    data.write_text(data.read_text(encoding="utf-8").replace('"inputs": 2', '"inputs": 7'), encoding="utf-8")
    project.run("run", "--resume", "x")
    assert performed(project) == ["7 1 {}"]
    assert [trial["case"]["inputs"] for trial in project.report("steps", "x")["trials"]] == [0, 1, 7, 3, 4, 5]


def test_one_id_resumes_every_evaluation_of_a_command_also_those_that_had_not_begun(project: Project) -> None:
    two(steps(project, pause="60 if step == 2 else 0"))
    process = project.start("run", "counter", "steps", "parrot", "--id", "night")
    wait_for(lambda: lines(journal(project, "night")) == 3)
    process.kill()
    process.communicate()
    assert [lines(journal(project, "night", name)) for name in ("counter", "parrot")] == [3, 1]
    project.write("evals/steps.py", STEPS.format(pause="0"))
    refused = project.run("run", "--resume", "night")
    assert refused.returncode == 2
    assert [lines(journal(project, "night", name)) for name in ("counter", "steps", "parrot")] == [3, 3, 1]
    done = project.run("run", "--resume", "night", "--allow-changed")
    assert done.stdout.splitlines()[-1] == "failed  3 runs: 1 passed, 2 failed"
    assert len(project.report("parrot", "night")["trials"]) == 4
    assert performed(project) == ["0 1 {}", "1 1 {}", "2 1 {}", "3 1 {}", "4 1 {}"]


def test_variants_are_resumed_together(project: Project) -> None:
    steps(project).run("run", "steps", "--id", "v", "--set", "k=1", "--set", "k=2", "--only", "s0", "--only", "s1")
    (project.root / "evals/log.txt").unlink()
    cut(project, "v.1", 1)
    cut(project, "v.2", 0)
    done = project.run("run", "--resume", "v")
    assert performed(project) == ["1 1 {'k': 1}", "0 1 {'k': 2}", "1 1 {'k': 2}"]
    assert "baseline  v.1 · " in done.stdout


def test_a_run_that_was_killed_before_it_began_does_not_keep_its_id(project: Project) -> None:
    steps(project).write(".llmeval/steps/x.jsonl", '{"journal": 1, "id": "x", "na')
    assert project.run("run", "steps", "--id", "x", "--only", "s0").returncode == 0
    assert len(project.report("steps", "x")["trials"]) == 1


def test_a_run_that_is_under_way_cannot_be_resumed_at_the_same_time(project: Project) -> None:
    steps(project, pause="60 if step == 2 else 0")
    process = project.start("run", "steps", "--id", "x")
    try:
        wait_for(lambda: lines(journal(project, "x")) == 3)
        done = project.run("run", "--resume", "x")
        assert done.returncode == 2
        assert done.stderr.endswith("x.jsonl is in use: is another run of this id under way?\n")
        assert lines(journal(project, "x")) == 3
    finally:
        process.kill()
        process.communicate()


def test_a_complete_run_that_is_resumed_runs_nothing_and_keeps_its_report(project: Project) -> None:
    steps(project).run("run", "steps", "--id", "x", "--quiet")
    expected = project.report("steps", "x")
    (project.root / "evals/log.txt").unlink()
    assert project.run("run", "--resume", "x").returncode == 1
    assert performed(project) == []
    assert project.report("steps", "x") == expected


SLOW = """
    import {imports}
    from pathlib import Path
    from llmeval import evaluation

    LOG = Path(__file__).with_name("log.txt")

    def log(text):
        with LOG.open("a") as file:
            file.write(text + "\\n")

    @evaluation(evaluator=False)
    {prefix}def slow(number):
        log(f"perform {{number}}")
        if number == 2:
            {wait}
        return number

    @slow.assertions
    def right(attempt):
        assert attempt.output

    @slow.teardown
    def clean(attempt):
        log(f"teardown {{attempt.input}}")
"""

KINDS = {
    "sync": ("time", "", "time.sleep(60)", ()),
    "async": ("asyncio", "async ", "await asyncio.sleep(60)", ()),
    "threads": ("time", "", "time.sleep(60)", ("-j", "2")),
    "tasks": ("asyncio", "async ", "await asyncio.sleep(60)", ("-j", "2")),
}


def slow(project: Project, kind: str) -> tuple[str, ...]:
    imports, prefix, wait, options = KINDS[kind]
    project.write("evals/slow.py", SLOW.format(imports=imports, prefix=prefix, wait=wait))
    cases = [{"name": f"c{number}", "inputs": number} for number in (1, 2, 3, 4)]
    project.write("evals/slow.json", json.dumps(cases))
    return options


def interrupted(project: Project, kind: str, signals: list[int], *more: str) -> subprocess.CompletedProcess[str]:
    """Runs `slow` and sends signals while its second case is under way."""
    options = slow(project, kind)
    process = project.start("run", "slow", "--id", "x", *options, *more)
    wait_for(lambda: "perform 2" in performed(project))
    wait_for(lambda: lines(journal(project, "x", "slow")) >= 2)
    for number in signals:
        process.send_signal(number)
        time.sleep(0.1)
    out, err = process.communicate(timeout=30)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.mark.parametrize("number", [2, 15])
@pytest.mark.parametrize("kind", ["sync", "async", "tasks"])
def test_ctrl_c_starts_nothing_new_tears_down_saves_a_report_marked_interrupted_and_exits_130(
    project: Project, kind: str, number: int
) -> None:
    done = interrupted(project, kind, [number])
    assert done.returncode == 130
    assert "stopping: " in done.stderr and "Traceback" not in done.stderr
    assert "teardown 2" in performed(project)
    report = project.report("slow", "x")
    assert report["interrupted"] is True
    ran = [trial["case"]["name"] for trial in report["trials"]]
    assert ran[0] == "c1" and "c2" not in ran
    assert {one["case"] for one in report["not_run"]} == {"c1", "c2", "c3", "c4"} - {*ran}
    assert {one["reason"] for one in report["not_run"]} == {"interrupted"}
    assert done.stdout.splitlines()[-1].startswith("interrupted  slow: ")
    assert report["passed"] is False


def test_a_second_ctrl_c_ends_at_once_and_the_finished_trials_are_saved(project: Project) -> None:
    begun = time.monotonic()
    done = interrupted(project, "threads", [2, 2])
    assert done.returncode == 130
    assert time.monotonic() - begun < 30
    assert "c1" in [trial["case"]["name"] for trial in project.report("slow", "x")["trials"]]
    assert project.report("slow", "x")["interrupted"] is True


def test_an_interrupted_run_can_be_resumed(project: Project) -> None:
    interrupted(project, "sync", [2])
    source = project.root / "evals/slow.py"
    source.write_text(source.read_text(encoding="utf-8").replace("time.sleep(60)", "pass"), encoding="utf-8")
    done = project.run("run", "--resume", "x", "--allow-changed")
    assert done.returncode == 0
    report = project.report("slow", "x")
    assert (report["interrupted"], report["not_run"], len(report["trials"])) == (False, [], 4)
    assert performed(project).count("perform 1") == 1
    assert not journal(project, "x", "slow").exists()


def test_an_interruption_ends_the_evaluations_that_would_follow(project: Project) -> None:
    two(project)
    done = interrupted(project, "sync", [2], "counter")
    assert done.returncode == 130
    assert not (project.root / ".llmeval/counter/x.json").exists()
    assert done.stdout.splitlines()[-1].startswith("interrupted")


def test_a_run_that_says_nothing_says_that_it_stops(project: Project) -> None:
    done = interrupted(project, "sync", [2], "--quiet")
    assert done.stderr.startswith("stopping: ")


def test_ctrl_c_on_a_terminal_says_that_it_stops_and_gives_the_terminal_back(project: Project) -> None:
    import pexpect

    slow(project, "sync")
    child = pexpect.spawn(
        sys.executable,
        ["-m", "llmeval", "run", "slow", "--id", "x"],
        cwd=str(project.root),
        env=environment(TERM="xterm-256color", COLUMNS=None, CI=None),
        dimensions=(24, 100),
        encoding="utf-8",
        timeout=30,
    )
    wait_for(lambda: "perform 2" in performed(project))
    child.sendintr()
    child.expect("stopping: what is under way is torn down")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "interrupted  slow: 1 of 1 passed, 3 not run" in plain(child.before)
    assert project.report("slow", "x")["interrupted"] is True


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
