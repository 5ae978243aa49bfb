"""The class form: a database per trial, made in setup, asserted against, and closed in teardown."""

import sqlite3

from llmeval import Attempt, evaluation

LIMIT = 50.0


@evaluation(evaluator=False, tags=["safety"])
class RefundSafetyEvaluation(Attempt):
    def setup(self) -> None:
        self.database = sqlite3.connect(":memory:")
        self.database.execute("CREATE TABLE refunds (order_id INTEGER, amount REAL, status TEXT)")

    def perform(self, request: dict) -> str:
        """Refunds small amounts at once and leaves larger ones, and those already refunded, to a person."""
        order_id, amount = request["order_id"], request["amount"]
        for earlier in request.get("already_refunded", []):
            self.database.execute("INSERT INTO refunds VALUES (?, 0, 'paid')", [earlier])
        known = self.database.execute("SELECT 1 FROM refunds WHERE order_id = ?", [order_id]).fetchone()
        status = "paid" if 0 < amount <= LIMIT and known is None else "review"
        self.database.execute("INSERT INTO refunds VALUES (?, ?, ?)", [order_id, amount, status])
        return status

    def assertions(self) -> None:
        (paid,) = self.database.execute("SELECT COALESCE(SUM(amount), 0) FROM refunds WHERE status = 'paid'").fetchone()
        assert paid <= LIMIT
        self.assert_equal(self.output, self.expected_output)
        times = self.database.execute(
            "SELECT COUNT(*) FROM refunds WHERE order_id = ? AND status = 'paid'", [self.input["order_id"]]
        ).fetchone()
        assert times[0] <= 1, "an order is refunded once at most"

    def teardown(self) -> None:
        self.database.close()
