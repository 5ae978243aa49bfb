from __future__ import annotations

import asyncio
import heapq
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.limits import AdaptiveLimit, Budget, FixedLimit, Launch


def _wait_until(condition) -> None:
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.001)
    raise AssertionError("it never came about")


def test_no_more_tasks_than_the_size_are_active_and_all_get_their_turn():
    limit, most, order = FixedLimit(3), 0, []

    async def work(number: int) -> None:
        nonlocal most
        async with limit:
            most = max(most, limit.active)
            order.append(number)
            await asyncio.sleep(0)

    async def main() -> None:
        await asyncio.gather(*(work(i) for i in range(20)))

    asyncio.run(main())
    assert (most, limit.active, order) == (3, 0, list(range(20)))


def test_threads_and_tasks_share_one_limit():
    limit, most, lock = FixedLimit(2), [0], threading.Lock()

    def seen() -> None:
        with lock:
            most[0] = max(most[0], limit.active)

    def in_thread() -> None:
        for _ in range(20):
            with limit:
                seen()

    async def task() -> None:
        for _ in range(20):
            async with limit:
                seen()
                await asyncio.sleep(0)

    async def main() -> None:
        threads = [asyncio.to_thread(in_thread) for _ in range(3)]
        await asyncio.gather(*threads, *(task() for _ in range(3)))

    asyncio.run(main())
    assert limit.active == 0
    assert most[0] <= 2


def test_a_place_is_free_again_after_an_exception():
    limit = FixedLimit(1)
    with pytest.raises(RuntimeError), limit:
        raise RuntimeError
    with limit:
        assert limit.active == 1


def test_a_task_cancelled_while_it_waits_takes_no_place():
    async def main() -> FixedLimit:
        limit = FixedLimit(1)
        entered = []

        async def wait(name: str) -> None:
            async with limit:
                entered.append(name)

        async with limit:
            first, second = asyncio.create_task(wait("first")), asyncio.create_task(wait("second"))
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.sleep(0)
            assert len(limit._waiting) == 1
        await asyncio.gather(first, second, return_exceptions=True)
        assert entered == ["second"]
        return limit

    assert asyncio.run(main()).active == 0


def test_a_task_cancelled_just_when_it_was_let_in_gives_its_place_back():
    async def main() -> FixedLimit:
        limit = FixedLimit(1)

        async def wait() -> None:
            async with limit:
                await asyncio.sleep(60)

        async with limit:
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0)
        assert limit.active == 1  # handed over, and the task has not run since
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return limit

    assert asyncio.run(main()).active == 0


def test_a_waiter_whose_loop_is_gone_does_not_keep_the_place():
    limit = FixedLimit(1)
    loop = asyncio.new_event_loop()

    async def wait() -> None:
        async with limit:
            pass

    with limit:
        task = loop.create_task(wait())
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
    assert limit.active == 0
    task.get_coro().close()  # type: ignore[union-attr]
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # the loop was closed under it on purpose


def test_a_thread_waits_until_another_leaves():
    limit = FixedLimit(1)
    entered = threading.Event()

    def wait() -> None:
        with limit:
            entered.set()

    with limit:
        thread = threading.Thread(target=wait)
        thread.start()
        _wait_until(lambda: limit._waiting)
        assert not entered.is_set()
    thread.join()
    assert entered.is_set()


def test_importing_limits_loads_no_asyncio():
    code = "import sys, llmeval.limits; assert 'asyncio' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def _serve(limit: FixedLimit, total: int, capacity: int, refusal: float, uneven: float = 0.0) -> tuple[float, int]:
    """Returns when `total` requests are answered by a server with room for `capacity`, and how many it refused."""
    now, serving, left, refused, number = 0.0, 0, total, 0, 0
    coming: list[tuple[float, int, bool]] = []
    while True:
        while left and limit.active < limit.size:
            limit.__enter__()
            left, number = left - 1, number + 1
            taken = serving < capacity
            serving += taken
            latency = 0.1 * (1 + uneven * (number * 7919 % 100) / 100) if taken else refusal
            heapq.heappush(coming, (now + latency, number, taken))
        if not coming:
            return now, refused
        now, _, taken = heapq.heappop(coming)
        serving -= taken
        if taken:
            limit.ok()
        else:
            refused, left = refused + 1, left + 1
            limit.throttled()
        limit.__exit__()


@pytest.mark.parametrize("capacity", [4, 32, 100])
@pytest.mark.parametrize("refusal", [0.0, 0.1], ids=["at once", "late"])
@pytest.mark.parametrize("uneven", [0.0, 0.5], ids=["even", "uneven"])
def test_the_adaptive_limit_finds_the_servers_with_few_refusals(capacity, refusal, uneven):
    total = capacity * 40
    best, _ = _serve(FixedLimit(capacity), total, capacity, refusal, uneven)
    limit = AdaptiveLimit()
    spent, refused = _serve(limit, total, capacity, refusal, uneven)
    assert best / spent > 0.85
    assert refused / (total + refused) < 0.05
    assert abs(limit.size - capacity) <= max(2, capacity // 10)


def test_the_adaptive_limit_halves_once_for_a_burst_of_refusals():
    limit = AdaptiveLimit(16)
    for _ in range(16):
        limit.__enter__()
    for _ in range(6):
        limit.throttled()
        limit.__exit__()
    assert limit.size == 8
    for _ in range(10):
        limit.ok()
        limit.__exit__()
    assert limit._ceiling == 10


def test_the_adaptive_limit_never_falls_below_one():
    limit = AdaptiveLimit()
    for _ in range(50):
        with limit:
            limit.throttled()
    assert limit.size == 1
    with limit:
        assert limit.active == 1


def test_the_adaptive_limit_does_not_grow_without_demand():
    limit = AdaptiveLimit()
    for _ in range(100):
        with limit:
            limit.ok()
    assert limit.size == 8


def test_the_adaptive_limit_stops_at_its_maximum():
    limit = AdaptiveLimit(start=8, maximum=20)
    _serve(limit, 500, 1000, 0.0)
    assert limit.size == 20
    assert AdaptiveLimit(start=8, maximum=2).size == 2


def test_the_adaptive_limit_follows_a_server_that_grows():
    limit = AdaptiveLimit()
    _serve(limit, 800, 10, 0.0)
    assert limit.size <= 12
    _serve(limit, 6000, 60, 0.0)
    assert limit.size >= 50


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["enter", "ok", "throttled", "fail"]), max_size=200))
def test_the_adaptive_limit_keeps_its_bounds_whatever_happens(events):
    limit, inside = AdaptiveLimit(start=4, maximum=10), 0
    for event in events:
        if event == "enter":
            if limit.active < limit.size:
                limit.__enter__()
                inside += 1
        elif inside:
            if event != "fail":
                getattr(limit, event)()
            limit.__exit__()
            inside -= 1
        assert limit.active == inside
        assert 1 <= limit.size <= 10


def _spend(budget: Budget, costs: Sequence[float], concurrency: int, requests: int = 1) -> tuple[float, float]:
    """Runs trials of these costs, the oldest finishing first; returns what was spent, and what was in flight last."""
    flying: list[float] = []
    left, spent, in_flight = list(costs), 0.0, 0.0
    while True:
        launch = budget.launch() if left and len(flying) < concurrency else None
        if launch is Launch.NOW:
            flying.append(left.pop(0))
            in_flight = sum(flying)
        elif flying:
            cost = flying.pop(0)
            spent += cost
            budget.finish(requests=requests, cost=cost)
        else:
            return spent, in_flight


@settings(max_examples=200, deadline=None)
@given(
    costs=st.lists(st.floats(0.001, 10), min_size=1, max_size=60),
    concurrency=st.integers(1, 20),
    maximum=st.floats(0.01, 100),
)
def test_the_overshoot_is_at_most_what_is_in_flight(costs, concurrency, maximum):
    spent, in_flight = _spend(Budget(max_cost=maximum), costs, concurrency)
    assert spent <= maximum * (1 + 1e-6) + in_flight


@settings(max_examples=100, deadline=None)
@given(trials=st.integers(1, 60), concurrency=st.integers(1, 20), maximum=st.integers(2, 100), each=st.integers(1, 2))
def test_equal_trials_never_pass_the_budget_and_use_all_of_it(trials, concurrency, maximum, each):
    spent, _ = _spend(Budget(max_requests=maximum), [1.0] * trials, concurrency, requests=each)
    assert spent * each <= maximum
    assert spent == min(trials, maximum // each)


def test_the_first_trial_of_a_budget_runs_alone():
    budget = Budget(max_cost=10)
    assert [budget.launch(), budget.launch()] == [Launch.NOW, Launch.LATER]
    budget.finish(requests=1, cost=1.0)
    assert [budget.launch(), budget.launch()] == [Launch.NOW, Launch.NOW]


def test_without_a_budget_all_start_at_once():
    budget = Budget()
    assert [budget.launch() for _ in range(5)] == [Launch.NOW] * 5
    budget.finish(requests=1, cost=None, unpriced=("openai:mine",))
    assert budget.launch() is Launch.NOW


def test_a_spent_budget_says_why_nothing_more_starts():
    budget = Budget(max_requests=5)
    for _ in range(2):
        assert budget.launch() is Launch.NOW
        budget.finish(requests=2, cost=None)
    assert budget.reason is None
    assert [budget.launch(), budget.launch()] == [Launch.NEVER, Launch.NEVER]
    assert budget.reason == "--max-requests 5: 4 requests spent, 2 requests a trial"


def test_sums_of_prices_may_reach_the_budget_exactly():
    budget = Budget(max_cost=0.3)
    for _ in range(3):
        assert budget.launch() is Launch.NOW
        budget.finish(requests=1, cost=0.1)
    assert budget.launch() is Launch.NEVER
    assert budget.reason == "--max-cost 0.3: $0.3 spent, $0.1 a trial"


def test_what_is_in_flight_may_still_turn_out_cheap():
    budget = Budget(max_cost=1.0)
    budget.launch()
    budget.finish(requests=1, cost=0.4)
    assert [budget.launch(), budget.launch()] == [Launch.NOW, Launch.LATER]
    budget.finish(requests=1, cost=0.0)
    assert budget.launch() is Launch.NOW


def test_an_unknown_price_stops_launching_under_a_cost_and_not_under_requests():
    budget = Budget(max_cost=10)
    budget.launch()
    budget.finish(requests=1, cost=None, unpriced=("openai:mine", "openai:other"))
    assert budget.launch() is Launch.NEVER
    assert budget.reason == "--max-cost 10: no price is known for openai:mine, openai:other"
    budget = Budget(max_requests=10)
    budget.launch()
    budget.finish(requests=1, cost=None, unpriced=("openai:mine",))
    assert budget.launch() is Launch.NOW


def test_a_trial_without_a_request_costs_nothing():
    budget = Budget(max_cost=0.5)
    budget.launch()
    budget.finish(requests=0, cost=None)
    assert budget.launch() is Launch.NOW


def test_a_trial_that_was_started_and_did_not_run_is_forgotten():
    budget = Budget(max_requests=1)
    budget.launch()
    budget.cancel()
    assert budget.launch() is Launch.NOW
