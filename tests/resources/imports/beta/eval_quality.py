"""An evaluation whose file, helper and data are called as those of another folder."""

from __future__ import annotations

import enum
import json
import pathlib
import pickle
import types
from dataclasses import dataclass

from helper import WHO

from llmeval import evaluation

HERE = pathlib.Path(__file__).parent


class Mood(enum.Enum):
    GOOD = "good"


@dataclass
class Answer:
    who: str
    mood: Mood = Mood.GOOD


@evaluation(evaluator="local")
def quality(inputs):
    assert HERE.is_absolute()
    assert json.loads("1") == 1
    assert types.SimpleNamespace(x=1).x == 1
    assert pickle.loads(pickle.dumps(Mood.GOOD)) is Mood.GOOD
    assert pickle.loads(pickle.dumps(Answer(WHO))) == Answer(WHO)
    return Answer(WHO).who
