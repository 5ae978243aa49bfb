"""The reader: turns a text into tokens, so that equal claims give equal keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from llmeval.evaluators.lexical.cleaning import clean
from llmeval.evaluators.lexical.counting import counted
from llmeval.evaluators.lexical.dates import date_from_digits, date_from_words, moment
from llmeval.evaluators.lexical.quantities import Quantity, compound
from llmeval.evaluators.lexical.scanner import Piece, scan
from llmeval.evaluators.lexical.tokens import Token
from llmeval.evaluators.lexical.units import UNITS
from llmeval.evaluators.lexical.vocabulary import (
    ARTICLES,
    CONTRACTIONS,
    NEGATIONS,
    ORDINAL_WORDS,
    PLURALS_WITH_ANOTHER_MEANING,
)

__all__ = ["read"]

_RANGE = re.compile(r"\d+-\d+")
_HANGS_ON_IT = frozenset({"few", "little", "is", "are", "was", "has", "and", "or", "to"})
_ORDINAL_SUFFIXES = frozenset({"st", "nd", "rd", "th"})


def read(text: str) -> list[Token]:
    """Returns the tokens of `text`; articles are left out where nothing hangs on them."""
    pieces = list(scan(clean(text)))
    parts = [part for at, piece in enumerate(pieces) for part in _expanded(piece, pieces[at + 1 : at + 2])]
    return _merged(list(_tokens(parts)))


def _tokens(pieces: Sequence[Piece]) -> Iterator[Token]:
    at = 0
    while at < len(pieces):
        token, length = _dated(pieces, at) or _quantified(pieces, at) or (None, 1)
        if token is None and not _idle(pieces, at):
            token = _single(pieces[at])
        at += length
        if token is not None:
            yield token


def _dated(pieces: Sequence[Piece], at: int) -> tuple[Token, int] | None:
    found = date_from_words(pieces, at)
    if found is None:
        return None
    day, length = found
    return Token("date", ("date", day), _written(pieces[at : at + length]), day=day), length


def _quantified(pieces: Sequence[Piece], at: int) -> tuple[Token, int] | None:
    found = counted(pieces, at)
    if found is None:
        return None
    quantity, length = found
    return _quantity(quantity, _written(pieces[at : at + length]), pieces[at].tight), length


def _single(piece: Piece) -> Token:
    lower = piece.lower
    if piece.kind == "number":
        return _digits(piece)
    if piece.kind in {"ymd", "dmy"}:
        day = date_from_digits(piece.text)
        return _code(piece.text) if day is None else Token("date", ("date", day), piece.text, day=day)
    if piece.kind == "time":
        time = moment(piece.text)
        return Token("time", ("time", lower if time is None else time), piece.text, moment=time)
    if piece.kind == "word":
        return _word(piece)
    if piece.kind == "mark":
        return (
            Token("word", ("word", "and"), "&")
            if lower == "&"
            else Token("mark", ("mark", lower.replace("??", "?")), piece.text)
        )
    return _code(piece.text)


def _code(text: str) -> Token:
    """Returns a code; its case counts where it is mixed, as in a password or in mW and MW."""
    letters = "".join(filter(str.isalpha, text))
    mixed = not (letters.islower() or letters.isupper() or (letters.istitle() and len(letters) > 2))
    return Token("code", ("code", text if letters and mixed else text.casefold()), text)


def _digits(piece: Piece) -> Token:
    if piece.suffix.casefold() in _ORDINAL_SUFFIXES and piece.text.isdecimal() and len(piece.text) < 10:
        return Token("ordinal", ("ordinal", int(piece.text)), piece.text + piece.suffix)
    return _code(piece.text + piece.suffix)


def _word(piece: Piece) -> Token:
    word = piece.lower.removesuffix("'s").rstrip("'")
    if word in ORDINAL_WORDS:
        return Token("ordinal", ("ordinal", ORDINAL_WORDS[word]), piece.text)
    if word in NEGATIONS or word in {"yes", "no"}:
        # "No, refunds are possible" is not "No refunds are possible".
        kind = "negation" if word in NEGATIONS else "word"
        return Token(kind, (kind, word, piece.stops), piece.text, stops=piece.stops)
    if len(word) <= 3 and not (piece.text.islower() or piece.text.isupper() or piece.text.istitle()):
        return Token("word", ("word", piece.text), piece.text)  # a unit such as mW, which is not MW
    # A capital may begin a name, and Adams is not Adam.
    return Token("word", ("word", word), piece.text, stem=_singular(word) if piece.text.islower() else None)


def _singular(word: str) -> str:
    """Returns a plain English plural without its ending."""
    if len(word) < 4 or word in PLURALS_WITH_ANOTHER_MEANING or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) or not word.endswith("s") else word[:-1]


def _idle(pieces: Sequence[Piece], at: int) -> bool:
    """Returns whether the piece is an article on which nothing hangs, unlike in "vitamin A" and "a few"."""
    piece = pieces[at]
    if piece.kind != "word" or piece.lower not in ARTICLES:
        return False
    following = pieces[at + 1] if at + 1 < len(pieces) else None
    if following is None or piece.stops or not following.tight or following.lower in _HANGS_ON_IT:
        return False
    return piece.lower != "a" or piece.text == "a" or at == 0 or bool(pieces[at].gap.strip())


def _merged(tokens: list[Token]) -> list[Token]:
    """Returns the tokens with "1 hour (and) 30 minutes" made one quantity."""
    merged: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        joins = 2 if at + 2 < len(tokens) and tokens[at + 1].key == ("word", "and") else 1
        following = tokens[at + joins] if at + joins < len(tokens) else None
        total = None
        if token.quantity is not None and following is not None and following.quantity is not None and following.tight:
            total = compound(token.quantity, following.quantity)
        if total is None or following is None:
            merged.append(token)
            at += 1
            continue
        text = " ".join(part.text for part in tokens[at : at + joins + 1])
        tokens[at + joins] = _quantity(total, text, token.tight)
        at += joins
    return merged


def _quantity(quantity: Quantity, text: str, tight: bool) -> Token:
    return Token("quantity", quantity.key, text, tight, quantity=quantity)


def _written(pieces: Sequence[Piece]) -> str:
    parts = ((part.gap if index else "") + part.text + part.suffix for index, part in enumerate(pieces))
    return " ".join("".join(parts).split())


def _expanded(piece: Piece, following: Sequence[Piece]) -> Iterator[Piece]:
    """Yields the words of a contraction, the ends of a range with a unit ("5-10 days"), or the piece itself."""
    words = _contraction(piece.lower).split() if piece.kind == "word" else []
    if piece.kind == "code" and _RANGE.fullmatch(piece.text) and following and following[0].lower in UNITS:
        low, high = piece.text.split("-")
        yield Piece("number", low, piece.gap)
        yield Piece("word", "to", " ")
        yield Piece("number", high, " ")
    elif len(words) < 2:
        yield piece
    else:
        yield Piece("word", words[0], piece.gap)
        yield Piece("word", words[1], " ", stops=piece.stops)


def _contraction(word: str) -> str:
    if word in CONTRACTIONS:
        return CONTRACTIONS[word]
    if word.endswith("n't"):
        return f"{word[:-3]} not"
    for ending, full in (("'re", "are"), ("'ve", "have"), ("'ll", "will")):
        if word.endswith(ending):
            return f"{word[:-3]} {full}"
    return word
