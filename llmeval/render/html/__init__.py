"""A report, or a diff, as one HTML page that needs nothing but itself."""

from llmeval.render.html.diff_page import diff_page
from llmeval.render.html.report_page import report_page

__all__ = ["diff_page", "report_page"]
