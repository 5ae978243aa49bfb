"""A report as one HTML page that needs nothing but itself."""

from llmeval.render.html.page import html_page

__all__ = ["html_page"]
