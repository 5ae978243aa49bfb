"""Labelled and random pairs against the local evaluator: undecided is allowed, wrong is not."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmeval.evaluators.lexical import compare

DATASET = Path(__file__).parent.parent / "evals" / "local_judge.yaml"
HELD_OUT = Path(__file__).parent / "resources" / "local_held_out.yaml"
LABELS = {"pass": True, "fail": False}


def verdict(reference: str, output: str) -> bool | None:
    return compare(reference, output).verdict


def labelled() -> list[tuple[bool, str, str]]:
    cases = yaml.safe_load(DATASET.read_text(encoding="utf-8"))["cases"]
    return [(LABELS[case["expected_output"]], case["inputs"]["reference"], case["inputs"]["answer"]) for case in cases]


def held_out() -> list[tuple[bool, str, str]]:
    pairs = yaml.safe_load(HELD_OUT.read_text(encoding="utf-8"))["pairs"]
    return [(LABELS[pair["label"]], pair["reference"], pair["answer"]) for pair in pairs]


def test_the_labelled_set_is_large_and_half_of_it_traps() -> None:
    labels = Counter(label for label, _, _ in labelled())

    assert sum(labels.values()) >= 100
    assert labels[False] * 2 >= sum(labels.values())


@pytest.mark.parametrize(("label", "reference", "output"), labelled() + held_out())
def test_no_labelled_pair_is_decided_against_its_label(label: bool, reference: str, output: str) -> None:
    assert verdict(reference, output) in (label, None)


def test_enough_of_the_labelled_pairs_are_decided() -> None:
    decided = Counter(label for label, reference, output in labelled() if verdict(reference, output) is label)

    assert decided[True] >= 38
    assert decided[False] >= 47


def test_some_of_the_pairs_that_no_rule_was_made_for_are_decided() -> None:
    decided = Counter(label for label, reference, output in held_out() if verdict(reference, output) is label)

    assert decided[True] >= 11
    assert decided[False] >= 27


WORDS = "order refund parcel within for the of delivery days euros Anna Berlin it is can be returned, shipped. and free"
sentences = st.lists(st.sampled_from([*WORDS.split(), "%d"]), min_size=1, max_size=12).map(" ".join)
texts = st.one_of(st.text(max_size=60), sentences.map(lambda text: text.replace("%d", "7")))


@settings(max_examples=200, deadline=None)
@given(text=texts)
def test_a_text_always_agrees_with_itself(text: str) -> None:
    assert verdict(text, text) is True
    assert verdict(text, f" {text}\n") is True


@settings(max_examples=200, deadline=None)
@given(reference=texts, output=texts)
def test_the_same_pair_always_gets_the_same_result(reference: str, output: str) -> None:
    assert compare(reference, output) == compare(reference, output)


@settings(max_examples=200, deadline=None)
@given(before=sentences, after=sentences, one=st.integers(0, 9999), two=st.integers(0, 9999))
def test_another_number_never_passes(before: str, after: str, one: int, two: int) -> None:
    assume(one != two)
    sentence = f"{before} %d {after}".replace("%d", "{}", 1).replace("%d", "7")

    assert verdict(sentence.format(one), sentence.format(two)) is not True


@settings(max_examples=200, deadline=None)
@given(sentence=sentences, at=st.integers(0, 12), word=st.sampled_from(["not", "never", "no", "without"]))
def test_an_inserted_negation_never_passes(sentence: str, at: int, word: str) -> None:
    words = sentence.replace("%d", "7").split()
    negated = " ".join([*words[:at], word, *words[at:]])

    assert verdict(" ".join(words), negated) is not True
    assert verdict(negated, " ".join(words)) is not True


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=40))
def test_any_text_can_be_compared_with_any_other(text: str) -> None:
    assert verdict(text, "Returns are free for 30 days.") is not True or re.search("free", text, re.IGNORECASE)
    verdict("30 days", text)


@settings(max_examples=100, deadline=None)
@given(sentence=sentences)
def test_case_and_final_punctuation_make_no_difference(sentence: str) -> None:
    text = sentence.replace("%d", "7")

    assert verdict(text, text.upper()) is True
    assert verdict(text, f"{text}!") is True
