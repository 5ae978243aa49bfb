"""The closed lists of English words that a lexical comparison may rely on."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ANTONYMS",
    "ARTICLES",
    "AUXILIARIES",
    "CLOSED_SETS",
    "CONTRACTIONS",
    "FUNCTION_WORDS",
    "HEDGES",
    "MONTHS",
    "NEGATIONS",
    "NUMBER_WORDS",
    "ORDINAL_WORDS",
    "PLURALS_WITH_ANOTHER_MEANING",
    "SCALES",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES: Final = _words("a an the")

NEGATIONS: Final = _words(
    "not no never non none nobody nothing nowhere neither nor without cannot hardly "
    "nicht kein keine nie nunca jamais pas"
)

AUXILIARIES: Final = _words("do does did")
"""Words that a negation brings along: "includes" is the positive of "does not include"."""

FUNCTION_WORDS: Final = (
    ARTICLES
    | AUXILIARIES
    | _words(
        "i you he she it we they me him her us them my your his its our their this that these those there here "
        "is are was were be been being am will would shall should can could may might must have has had "
        "of in on at to for by from with within into onto as and or but if then than so also too please "
        "who which what when where how why"
    )
)
"""Words that carry no claim of their own when two texts are searched for common ground; never dropped for a pass."""

HEDGES: Final = _words(
    "about around approximately roughly nearly almost circa ca over under more less fewer least most up above below "
    "exceed maximum minimum max min twice double half triple thrice times plus minus additional additionally extra "
    "remaining remain left ago already per each every monthly yearly annually annual weekly daily hourly off "
    "another further between either or unless except if usually typically sometimes maybe perhaps probably "
    "utc gmt est edt cst pst pdt cet cest bst business working ~ + / ≤ ≥ < > ±"
)
"""Words that change what a number next to them means, so that two numbers may differ and both be right."""

CONTRACTIONS: Final = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "ain't": "is not",
    "it's": "it is",
    "that's": "that is",
    "there's": "there is",
    "here's": "here is",
    "what's": "what is",
    "he's": "he is",
    "she's": "she is",
    "who's": "who is",
    "where's": "where is",
    "let's": "let us",
    "i'm": "i am",
}
"""Contractions that no rule expands; `n't`, `'re`, `'ve` and `'ll` follow rules."""

PLURALS_WITH_ANOTHER_MEANING: Final = _words(
    "news goods customs means times works rights arms glasses spectacles contents damages minutes series species "
    "always sometimes perhaps besides towards afterwards does has was is this thus plus yes as us bus gas its his"
)

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS: Final[dict[str, int]] = {
    **{word: value for value, word in enumerate(f"{_ONES} seventeen eighteen nineteen".split())},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), 2)},
}

SCALES: Final[dict[str, int]] = {
    "hundred": 100,
    "thousand": 1000,
    "k": 1000,
    "million": 10**6,
    "mn": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}

_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
ORDINAL_WORDS: Final[dict[str, int]] = {word: value for value, word in enumerate(_ORDINALS.split(), 1)}

_MONTH_NAMES = "january february march april may june july august september october november december"
MONTHS: Final[dict[str, int]] = {
    **{name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)},
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES.split(), 1)},
    "sept": 9,
}

CLOSED_SETS: Final = tuple(
    _words(text)
    for text in (
        "monday tuesday wednesday thursday friday saturday sunday",
        _MONTH_NAMES,
        "north south east west northern southern eastern western",
        "red orange yellow green blue purple black white grey brown pink",
        "spring summer autumn winter",
        "minute hour day week month quarter year",
    )
)
"""Sets of words of which two different ones in the same place cannot both be right."""

_PAIRS = """
before after|always never|open closed|opens closes|include exclude|included excluded|including excluding|
allowed forbidden|allowed prohibited|permitted prohibited|permitted forbidden|accept reject|accepted rejected|
accept refuse|accepted refused|accepted declined|approve deny|approved denied|approved rejected|approved declined|
increase decrease|increased decreased|increasing decreasing|rise fall|rises falls|rose fell|grew shrank|
higher lower|highest lowest|more less|more fewer|above below|over under|minimum maximum|least most|earlier later|
earliest latest|first last|free paid|enable disable|enabled disabled|on off|true false|yes no|correct incorrect|
right wrong|correct wrong|valid invalid|possible impossible|available unavailable|all none|everyone nobody|all no|
with without|inside outside|up down|left right|success failure|succeeded failed|succeeds fails|passed failed|
pass fail|online offline|opened unopened|used unused|used new|domestic international|morning evening|buyer seller|
import export|imports exports|sender recipient|credit debit|upload download|won lost|win lose|wins loses|
required optional|mandatory optional|safe unsafe|safe dangerous|legal illegal|public private|hot cold|start end|
starts ends|started ended|begins ends|gain loss|profit loss|parent child|lender borrower|hired fired|buy sell|
bought sold|odd even|cheaper dearer|faster slower|older newer|older younger|larger smaller|bigger smaller|
best worst|better worse|positive negative|active inactive|visible hidden|locked unlocked|early late|
charged refunded|deposit withdrawal|arrival departure|arrives departs|reversible irreversible|upstream downstream
"""
ANTONYMS: Final = frozenset(frozenset(pair.split()) for pair in _PAIRS.replace("\n", "").split("|"))
"""Pairs of which one in the place of the other turns a claim round."""
