"""Several turns: the inputs are a list of the customer's messages, and the whole conversation is the evidence."""

from _shop.desk import SupportDesk

from llmeval import Attempt, Conversation, criterion, evaluation


@evaluation
@criterion("correctness")
def returns_conversation(turns: list[str]) -> Conversation:
    return SupportDesk().converse(turns)


@returns_conversation.criterion("asks_once")
def asks_once(attempt: Attempt) -> tuple[bool, str]:
    asked = sum("order number" in str(message.content) for message in attempt.messages if message.role == "assistant")
    return asked <= 1, f"the desk asked {asked} times for the order number"


@returns_conversation.assertions
def answers_every_turn(attempt: Attempt) -> None:
    answers = [message for message in attempt.messages if message.role == "assistant" and message.content]
    assert len(answers) == len(attempt.input)
    assert attempt.tool_names == attempt.metadata["tools"]
