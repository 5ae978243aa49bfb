from collections.abc import Iterator

import pytest
from genai_prices import Usage as GenaiUsage
from genai_prices import calc_price
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.consumption import consumed, read_tokens
from llmeval.errors import ConfigurationError
from llmeval.prices import configure, price
from llmeval.usage import Tokens, Usage

THOUSAND = Tokens(input=1000, output=1000)


@pytest.fixture(autouse=True)
def _no_prices_of_ones_own() -> Iterator[None]:
    yield
    configure({})


@settings(max_examples=150, deadline=None)
@given(
    model=st.sampled_from(
        ["openai:gpt-4o", "openai:gpt-6-luna", "openai:text-embedding-3-small", "anthropic:claude-sonnet-4-5"]
    ),
    fresh=st.integers(0, 500_000),
    cached=st.integers(0, 50_000),
    written=st.integers(0, 50_000),
    output=st.integers(0, 50_000),
)
def test_a_price_is_what_the_price_list_says_at_every_step_of_input(model, fresh, cached, written, output):
    provider, _, name = model.partition(":")
    total = fresh + cached + written
    usage = GenaiUsage(input_tokens=total, cache_read_tokens=cached, cache_write_tokens=written, output_tokens=output)
    expected = float(calc_price(usage, name, provider_id=provider).total_price)
    tokens = Tokens(input=total, output=output, cached=cached, cache_write=written)
    assert price(provider, name, tokens) == pytest.approx(expected, rel=1e-12)


def test_a_model_without_a_price_has_none_and_never_zero():
    assert price("openai", "a-model-of-mine", THOUSAND) is None
    assert price("a-provider-of-mine", "gpt-4o", THOUSAND) is None


def test_the_name_that_was_asked_for_is_tried_when_the_answered_one_has_no_price():
    asked = price("openai", "gpt-4o", THOUSAND)
    assert asked is not None
    assert price("openai", "our-deployment", THOUSAND, requested="gpt-4o") == asked


def test_the_decisions_api_has_its_own_price_and_falls_back_to_the_models():
    decisions = price("openai-decisions", "gpt-6-luna", THOUSAND)
    assert decisions != price("openai", "gpt-6-luna", THOUSAND)
    assert price("openai-decisions", "gpt-4o", THOUSAND) == price("openai", "gpt-4o", THOUSAND)


def test_providers_are_found_under_the_names_of_opentelemetry():
    assert price("gcp.gemini", "gemini-2.5-pro", THOUSAND) == price("google", "gemini-2.5-pro", THOUSAND) is not None


def test_more_cached_tokens_than_input_has_no_price():
    assert price("openai", "gpt-4o", Tokens(input=1, output=1, cached=5)) is None


def test_a_price_of_ones_own_is_used_before_the_list():
    configure({"openai:gpt-4o": {"input": 1, "output": 2.5}, "local:mine": {"input": 0, "output": 0}})
    assert price("openai", "gpt-4o", Tokens(input=1_000_000, output=2_000_000)) == 6.0
    assert price("openai-decisions", "gpt-4o", Tokens(input=1_000_000, output=0)) == 1.0
    assert price("local", "mine", THOUSAND) == 0.0


def test_cached_and_written_input_has_the_input_price_unless_ones_own_price_says_otherwise():
    tokens = Tokens(input=1_000_000, output=0, cached=500_000, cache_write=250_000)
    configure({"x:y": {"input": 4, "output": 0}})
    assert price("x", "y", tokens) == 4.0
    configure({"x:y": {"input": 4, "output": 0, "cached": 1, "cache_write": 8}})
    assert price("x", "y", tokens) == 1.0 + 0.5 + 2.0


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"gpt-4o": {"input": 1, "output": 2}}, "'gpt-4o' is no 'provider:model', such as 'openai:my-model'"),
        ({"openai:": {"input": 1, "output": 2}}, "'openai:' is no 'provider:model'"),
        ({"openai:a": 3}, "'openai:a' is 3; write {input = 1.0, output = 2.0}"),
        ({"openai:a": {"input": 1}}, "'openai:a' has no 'output' price"),
        ({"openai:a": {"input": 1, "outptu": 2}}, "'openai:a' has 'outptu': did you mean 'output'?"),
        ({"openai:a": {"input": 1, "output": 2, "z": 2}}, "'z': there are input, output, cached, cache_write"),
        ({"openai:a": {"input": -1, "output": 2}}, "input = -1; a price is a number that is not negative"),
        ({"openai:a": {"input": True, "output": 2}}, "input = True; a price"),
        ({"openai:a": {"input": "1", "output": 2}}, "input = '1'; a price"),
        ({"openai:a": {"input": float("nan"), "output": 2}}, "input = nan; a price"),
    ],
)
def test_a_wrong_price_is_a_configuration_error_that_says_what_is_wrong(mapping, said):
    with pytest.raises(ConfigurationError) as error:
        configure(mapping)
    assert said in str(error.value)


def test_all_wrong_prices_are_told_at_once_and_the_old_ones_stay():
    configure({"x:y": {"input": 1, "output": 1}})
    with pytest.raises(ConfigurationError, match=r"'a'.*'b:c' has no 'input' price"):
        configure({"a": {"input": 1, "output": 1}, "b:c": {"output": 1}})
    assert price("x", "y", Tokens(input=1_000_000, output=0)) == 1.0


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 15,
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            Tokens(input=10, output=5, cached=4, cache_write=1, reasoning=3),
        ),
        (
            {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 0},
            },
            Tokens(input=10, output=5, cached=0, reasoning=0),
        ),
        (
            {
                "input_tokens": 10,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20,
                "output_tokens": 5,
                "output_tokens_details": {"thinking_tokens": 2},
            },
            Tokens(input=130, output=5, cached=100, cache_write=20, reasoning=2),
        ),
        (
            {
                "input_tokens": 10,
                "cache_read_input_tokens": 0,
                "output_tokens": 5,
                "iterations": [
                    {"type": "message", "input_tokens": 10, "output_tokens": 5},
                    {"type": "compaction", "input_tokens": 7, "output_tokens": 3},
                ],
            },
            Tokens(input=17, output=8, cached=0),
        ),
        ({"prompt_tokens": 8, "total_tokens": 8}, Tokens(input=8, output=0)),
        ({"prompt_tokens": 8.0, "completion_tokens": None}, Tokens(input=8, output=0)),
        ({"total_tokens": 8}, None),
        ({"prompt_tokens": -1}, None),
        ({"input_tokens": "many"}, None),
        (None, None),
        (object(), None),
    ],
)
def test_tokens_are_read_by_each_vendors_convention(usage, tokens):
    assert read_tokens(usage) == tokens


def test_a_request_without_a_price_names_its_model_and_costs_unknown():
    usage = consumed("openai", "mine", THOUSAND)
    assert usage == Usage(requests=1, tokens=THOUSAND, priced=None, unpriced=("openai:mine",))
    known = consumed("openai", "gpt-4o", THOUSAND)
    assert known.cost == price("openai", "gpt-4o", THOUSAND)
    assert (known + usage).cost is None
    assert (known + usage).unpriced == ("openai:mine",)


def test_a_request_without_tokens_has_an_unknown_cost_unless_it_was_refused():
    assert consumed("openai", "gpt-4o", None) == Usage(requests=1, unpriced=("openai:gpt-4o",))
    assert consumed("openai", "gpt-4o", None, billed=False) == Usage(requests=1)
