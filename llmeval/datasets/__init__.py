"""Datasets: load and check case files, take cases from code, find the file that belongs to an evaluation."""

from llmeval.datasets.dataset import Dataset
from llmeval.datasets.items import from_items
from llmeval.datasets.loading import SUFFIXES, load
from llmeval.datasets.schemas import schema
from llmeval.datasets.sources import discover, find, source
from llmeval.datasets.writing import render, write

__all__ = ["SUFFIXES", "Dataset", "discover", "find", "from_items", "load", "render", "schema", "source", "write"]
