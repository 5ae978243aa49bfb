"""Courtesy: the greetings, prefaces and offers around an answer, which claim nothing."""

from __future__ import annotations

import re

__all__ = ["without_courtesy"]

_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])(?=\s)|(?<=\n)")
_WHOLE = re.compile(
    r"""
    (?:hi|hello|hey|dear)(?:\ there|\ (?!no|never)(?-i:[A-Z])[^\W\d_]+){0,2}
    | good\ (?:morning|afternoon|evening)
    | (?:great|good|excellent)\ question
    | (?:sure|certainly)(?:\ thing)?
    | (?:thanks|thank\ you)(?:\ (?:so|very)\ much)?
      (?:\ for\ (?:asking|reaching\ out|your\ (?:question|message|patience)|contacting\ us))?
    | (?:i\ am|i'm)?\ ?(?:happy|glad)\ to\ help
    | i\ hope\ (?:this|that)\ helps?
    | hope\ (?:this|that)\ helps?
    | (?:please\ )?let\ (?:me|us)\ know\ if\ (?:you\ (?:have|need)|there\ is|there's)\ any
      (?:thing|\ (?:other|more|further))?      (?:\ questions|\ else|\ help|\ assistance)*(?:\ you\ need)?
    | (?:is\ there\ )?anything\ else\ (?:i|we)\ can\ (?:help|do)(?:\ you)?(?:\ with|\ for\ you)?(?:\ today)?
    | (?:please\ )?(?:feel\ free\ to|do\ not\ hesitate\ to|don't\ hesitate\ to)\ (?:ask|reach\ out|contact\ us)
      (?:\ if\ you\ have\ (?:any\ )?(?:more\ |other\ |further\ )?questions)?
    | have\ a\ (?:nice|great|good|lovely)\ (?:day|evening|weekend)
    | (?:kind|best|warm)?\ ?regards
    | you\ are\ welcome | you're\ welcome
    | here\ is\ (?:the|your)\ (?:answer|information) | here's\ (?:the|your)\ (?:answer|information)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PREFACE = re.compile(
    r"""
    \s*(?:
      (?:hi|hello|hey|dear)(?:\ there|\ (?!no|never)(?-i:[A-Z])[^\W\d_]+){0,2}\s*[,!]
    | (?:sure|certainly)(?:\ thing)?\s*[,!:.]
    | (?:here\ is|here's)\ (?:the|your)\ (?:answer|information)\s*:
    | (?:the\ |your\ |my\ )?(?:final\ |correct\ |right\ |short\ )?answer(?:\s*:|\ is(?:\s*:|\b))
    )\s*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BLANKS = re.compile(r"[\s,;:\u2013\u2014-]+")


def without_courtesy(text: str) -> str:
    """Returns `text` without the sentences and prefaces that are mere courtesy; all of it when nothing else is left."""
    kept = "".join(part for part in _BETWEEN_SENTENCES.split(text.replace("\u2019", "'")) if not _courteous(part))
    kept = _without_preface(kept)
    return kept if kept.strip() else text


def _courteous(sentence: str) -> bool:
    words = _BLANKS.sub(" ", sentence).strip(" .!?")
    return bool(words) and _WHOLE.fullmatch(words) is not None


def _without_preface(text: str) -> str:
    while found := _PREFACE.match(text):
        rest = text[found.end() :]
        if not rest.strip():
            return text
        text = rest
    return text
