"""The returns policy, asked one question at a time: the answer is compared, and the tool calls are asserted."""

from _shop.desk import SupportDesk

from llmeval import Attempt, Conversation, criterion, evaluation


@evaluation(tags=["smoke"])
@criterion("correctness")
def support(question: str) -> Conversation:
    return SupportDesk().ask(question)


@support.assertions
def looked_the_order_up(attempt: Attempt) -> None:
    order_id = attempt.metadata.get("order_id")
    if order_id is None:
        assert attempt.tool_names == []
    else:
        assert attempt.called("lookup_order", order_id=order_id)
        assert attempt.tool_names == ["lookup_order"]
