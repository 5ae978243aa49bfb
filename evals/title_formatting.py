"""Assertions only: no evaluator is needed where plain Python can tell."""

from llmeval import Attempt, evaluation

SMALL = {"a", "an", "and", "of", "or", "the", "to", "in", "for"}


@evaluation(evaluator=False, tags=["smoke"])
def title_formatting(text: str) -> str:
    words = text.split()
    return " ".join(
        word.lower() if word.lower() in SMALL and place else word[:1].upper() + word[1:]
        for place, word in enumerate(words)
    )


@title_formatting.assertions
def is_a_title(attempt: Attempt) -> None:
    words = attempt.output.split()
    assert words, "a title has words"
    assert words[0][0] == words[0][0].upper()
    assert [word.casefold() for word in words] == [word.casefold() for word in attempt.input.split()]
    for word in words[1:]:
        assert word not in {small.title() for small in SMALL}
