"""The support desk: an agent of rules that looks an order up before it answers.

It stands for an agent that asks a model. What it returns has the same form: a conversation with tool calls in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmeval import Conversation, Message, ToolCall

from .orders import RETURN_DAYS, lookup_order

PROMPT = "You are the support desk of a shop. Look an order up before you say anything about it."


class SupportDesk:
    """Answers questions about returns."""

    def ask(self, question: str) -> Conversation:
        """Returns the conversation that one question leads to."""
        return self.converse([question])

    def converse(self, turns: Sequence[str]) -> Conversation:
        """Returns the conversation of several turns of the customer; an order once named stays the one talked about."""
        messages = [Message("system", PROMPT)]
        order: dict[str, object] | None = None
        for number, turn in enumerate(turns, 1):
            messages.append(Message("user", turn))
            found = re.search(r"\b(\d{4})\b", turn)
            if found:
                order_id = int(found[1])
                order = lookup_order(order_id)
                call = ToolCall(id=f"call_{number}", name="lookup_order", arguments={"order_id": order_id})
                messages.append(Message("assistant", None, [call]))
                messages.append(Message("tool", order, tool_call_id=call.id))
            messages.append(Message("assistant", answer(turn, order)))
        return Conversation(messages)


def answer(question: str, order: dict[str, object] | None) -> str:
    """Returns what the desk says, given what it looked up."""
    if order is None:
        return "Please tell me your order number."
    if not order["found"]:
        return f"I cannot find order {order['order_id']}."
    item, days = order["item"], order["days_since_delivery"]
    if days is None:
        return f"The {item} has not been delivered yet, so there is nothing to return."
    if order["damaged"]:
        return f"I am sorry that the {item} arrived damaged. Return it for a full refund; we pay the postage."
    if int(str(days)) > RETURN_DAYS:
        return f"The {item} was delivered {days} days ago, so it can no longer be returned."
    if order["opened"]:
        return f"You can return the {item} for store credit, because it was opened."
    left = RETURN_DAYS - int(str(days))
    return f"You can return the unopened {item} for a full refund within {left} days."
