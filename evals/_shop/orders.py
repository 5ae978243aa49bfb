"""The shop's orders, and what the desk may look up about them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

TODAY = date(2026, 6, 1)
RETURN_DAYS = 30


@dataclass(frozen=True)
class Order:
    """One order of one item."""

    id: int
    item: str
    price: float
    delivered: date | None
    opened: bool = False
    damaged: bool = False


ORDERS = {
    order.id: order
    for order in (
        Order(1001, "kettle", 39.0, date(2026, 5, 20)),
        Order(1002, "headphones", 89.0, date(2026, 5, 25), opened=True),
        Order(1003, "lamp", 24.5, date(2026, 4, 1)),
        Order(1004, "vase", 30.0, date(2026, 5, 30), opened=True, damaged=True),
        Order(1005, "backpack", 60.0, None),
    )
}


def lookup_order(order_id: int) -> dict[str, object]:
    """Returns what is known of an order, as a tool answers."""
    order = ORDERS.get(order_id)
    if order is None:
        return {"found": False, "order_id": order_id}
    days = None if order.delivered is None else (TODAY - order.delivered).days
    return {
        "found": True,
        "order_id": order.id,
        "item": order.item,
        "days_since_delivery": days,
        "opened": order.opened,
        "damaged": order.damaged,
    }
