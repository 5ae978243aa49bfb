"""Datasets: load and check case files, take cases from code, find the file that belongs to an evaluation."""

from llmeval.datasets.dataset import Dataset
from llmeval.datasets.loading import SUFFIXES, load

__all__ = ["SUFFIXES", "Dataset", "load"]
