# ruff: noqa: T201 - printing is what it is for
"""A run on a live table: LIVE_RUN holds its options as JSON; the application does what `mode` says."""

import json
import logging
import os
import subprocess
import sys
import threading
import time

from llmeval.cases import Case
from llmeval.events import Note, RunStarted, TrialFinished, TrialStarted
from llmeval.render.live import LiveTable
from llmeval.results import Result
from llmeval.trials import Trial

OPTIONS = {"trials": 10, "pause": 0.01, "mode": "quiet", "criteria": ["correctness", "concise"], "name": "case-{:03}"}
OPTIONS |= json.loads(os.environ["LIVE_RUN"])
RUN = {"run_id": "r1", "evaluation": "support"}

logging.basicConfig(level=logging.INFO)
OLD = sys.stderr


def application(number: int) -> None:
    mode, pause = OPTIONS["mode"], OPTIONS["pause"]
    if mode == "noisy":
        print(f"print from {number}")
        print(f"stderr from {number}", file=OLD)
        logging.getLogger("httpx").info("request %d", number)
        thread = threading.Thread(target=print, args=(f"thread {number}",))
        thread.start()
        thread.join()
        print(f"no newline {number}", end="")
    elif mode == "process":
        subprocess.run(["echo", f"process {number}"], check=True)
    elif mode == "progress":
        from rich.progress import track

        for _ in track(range(2), description=f"bar {number}"):
            time.sleep(pause / 2)
        return
    elif mode == "raise" and number == 3:
        raise KeyboardInterrupt
    elif mode == "debug" and number == 3:
        breakpoint()
    elif mode == "kill" and number == 3:
        time.sleep(0.3)
        os.kill(os.getpid(), 9)
    time.sleep(pause)


def main() -> None:
    total = OPTIONS["trials"]
    with LiveTable() as live:
        live(
            RunStarted(
                **RUN,
                total=total,
                criteria=OPTIONS["criteria"],
                evaluators=["local"],
                dataset="evals/support.yaml",
            )
        )
        live(Note(**RUN, message="[bold]a note[/]"))
        for number in range(total):
            name = OPTIONS["name"].format(number)
            live(TrialStarted(**RUN, case=name, repetition=1))
            application(number)
            passed = number % 7 != 3
            results = tuple(Result(name=one, value=passed) for one in OPTIONS["criteria"])
            trial = Trial(case=Case(name, number), evaluations=results, assertion_count=1, duration=0.5)
            live(TrialFinished(**RUN, total=total, completed=number + 1, case=name, repetition=1, trial=trial))
    print("the end")


main()
