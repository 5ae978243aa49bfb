"""What a run opens it closes: both SDKs, in threads and on the loop, in a process where every warning is an error."""

from __future__ import annotations

import subprocess
import sys

from projects import environment  # beside this file, which is not a package
from stub_server import StubServer

TRIALS = 12

SCRIPT = """
import contextlib, gc, os, sys

import anthropic, openai
from llmeval import Judge, Model, Registry, criterion, probability

url, trials = sys.argv[1], int(sys.argv[2])
HELLO = [{"role": "user", "content": "hello"}]
registry = Registry()

class Quality(Judge):
    model = Model("openai:stub-pass", base_url=f"{url}/v1", protocol="decisions", api_key="none")
    good = probability("Is it good?")

def sockets():
    gc.collect()
    names = (f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd"))
    return sum(os.readlink(name).startswith("socket:") for name in names if os.path.islink(name))

@contextlib.contextmanager
def of_threads():
    with openai.OpenAI(base_url=f"{url}/v1", api_key="k") as one, anthropic.Anthropic(base_url=url, api_key="k") as two:
        yield one, two

@contextlib.asynccontextmanager
async def of_the_loop():
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k") as one:
        async with anthropic.AsyncAnthropic(base_url=url, api_key="k") as two:
            yield one, two

def in_threads(question, attempt):
    one, two = attempt.lifespan
    one.responses.create(model="stub-pass", input=HELLO)
    return two.messages.create(model="stub-pass", max_tokens=9, messages=HELLO).content[0].text

async def on_the_loop(question, attempt):
    one, two = attempt.lifespan
    await one.responses.create(model="stub-pass", input=HELLO)
    return (await two.messages.create(model="stub-pass", max_tokens=9, messages=HELLO)).content[0].text

openai_model = Model("openai:stub-pass", base_url=f"{url}/v1", protocol="responses", api_key="none")
anthropic_model = Model("anthropic:stub-pass", base_url=url, api_key="none")
cases = [{"name": str(number), "inputs": number} for number in range(trials)]
for function, lifespan in ((in_threads, of_threads), (on_the_loop, of_the_loop)):
    one = registry.evaluation(evaluator=openai_model, dataset=cases)(function)
    one.lifespan(lifespan)
    criterion("kind", "It is kind")(one)
    criterion("true", "It is true", evaluator=anthropic_model)(one)
    criterion("good", evaluator=Quality, minimum=0.5)(one)
    for concurrency in (8, "auto"):
        before = sockets()
        report = one.run(concurrency=concurrency)
        print(one.name, concurrency, report.counts["passed"], sockets() - before)
"""


def test_nothing_is_left_open_and_a_second_run_in_the_process_works(model_server: StubServer) -> None:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", SCRIPT, model_server.url, str(TRIALS)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120, check=False)
    said = [line for line in done.stderr.splitlines() if not line.startswith("Executing <")]  # slow, as dev mode notes

    assert (done.returncode, said) == (0, [])
    assert done.stdout.splitlines() == [
        f"{name} {concurrency} {TRIALS} 0" for name in ("in_threads", "on_the_loop") for concurrency in (8, "auto")
    ]
    assert model_server.stats["stub-pass"] == 4 * TRIALS * 5
