"""Layout and wording: the layout features, and features of the words beside a gap.

Even a text without layout has a form. A part that ends in a colon belongs to the following text; so does a question to
its answer. A part that opens with "But" or "For example", continues a list, or is inside an open container belongs to
the preceding text; so does code, an image or a directive, which is not prose. Neighbours that share rare words belong
together.

Each value lies in 0 to 1. ``neutral`` is 1 at every gap: a baseline, so that evidence against a boundary can lower it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from chunking.runtime.arrays import Bools, Float64
from chunking.sentences import Sentences
from chunking.structure import layout
from chunking.structure.feature import Feature

_WORDING: tuple[Feature, ...] = (
    Feature("neutral", 0.18, "Baseline", "A constant that every gap starts from."),
    Feature("container", -0.24, "Inside a container", "A fenced container that opened above is still open."),
    Feature(
        "list_goes_on", -0.15, "List continues", "The right side is a list item; 1 after another item, 0.5 otherwise."
    ),
    Feature("markup", -0.20, "Markup follows", "The right side opens with a symbol: code, an image, a directive."),
    Feature("prose_again", 0.08, "Prose follows markup", "The left side is markup and the right side is prose."),
    Feature(
        "connective",
        -0.10,
        "Opens with a connective",
        "The right side opens with a connective such as But (1), or a word that refers back such as These (0.5).",
    ),
    Feature(
        "question", 0.20, "Question", "The right side is a question, in a text with many questions, such as a dialogue."
    ),
    Feature("answer", -0.06, "Answer", "The left side is a question, in a text with many questions."),
    Feature(
        "shared_words",
        -0.24,
        "Shared words",
        "Words that both sides share; the rarer in the document, the more they count.",
    ),
)

_SCALE = 0.6
"""Weight of layout relative to wording: small enough that headings of different levels still differ below 1."""

_WEIGHTS = {"lead_in": -0.18}
"""Layout features with a different weight in this set."""

FEATURES: tuple[Feature, ...] = (
    *(replace(known, weight=_WEIGHTS.get(known.name, round(_SCALE * known.weight, 3))) for known in layout.FEATURES),
    *_WORDING,
)
"""Weights were fitted by leave-one-set-out over the gold sets (``benchmarks/changepoint.py``), then averaged
and rounded."""

_ITEM = re.compile(r"(?:[-*+•·–—‣▪]|(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]|\((?:\d{1,3}|[a-z]|[ivx]{1,4})\))\s+\S")
_FIRST = re.compile(r"\(?[1aAiI0][.)]\s")
_BULLETS = frozenset("-*+•·–—‣▪")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,}|/{3,}|:{3,})[ \t]*(.*)")
_FENCES = ("```", "~~~", "///", ":::")
_TOGGLES = ("```", "~~~")
"""Fences that open without a name; longer ones may underline a title."""

_OPENING = frozenset("\"'“‘«„‚*_`([¿¡「『（")
"""Symbols that prose may open with."""

_ASKING = frozenset("?？؟")
_MANY_QUESTIONS = 0.1
"""Share of questions among the sentences from which they count as the style of the text."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")

_CONNECTIVES: dict[str, str] = {
    "en": "and but so or also then however therefore thus hence moreover furthermore besides still yet otherwise "
    "instead similarly likewise finally meanwhile nevertheless nonetheless consequently additionally again because "
    "since although though while rather conversely",
    "de": "und aber denn oder auch dann jedoch daher deshalb deswegen folglich außerdem zudem ferner dennoch trotzdem "
    "sonst stattdessen ebenso schließlich allerdings weil also somit doch",
    "fr": "et mais donc or ou aussi alors cependant toutefois ainsi néanmoins pourtant enfin ensuite puis car sinon",
    "es": "y pero pues o también entonces sino además luego finalmente aunque porque así",
    "it": "e ma quindi o anche allora però inoltre infine poi perché dunque tuttavia",
    "pt": "e mas pois ou também então porém além depois finalmente embora porque assim",
    "nl": "en maar dus of ook dan echter daarom bovendien toch anders want daarnaast",
    "ko": "그리고 하지만 그러나 그래서 따라서 그런데 또한 또는 그러면 그러므로 즉 게다가 그래도 반면 다만",
}
_BACK_REFERENCES: dict[str, str] = {
    "en": "this that these those it its they them their he she his her him such here there both another other same "
    "which",
    "de": "dies diese dieser dieses diesen diesem das er sie es ihr ihre sein seine solche dabei dazu damit dadurch",
    "fr": "ce cet cette ces cela ceci il elle ils elles leur leurs son sa ses",
    "es": "este esta estos estas esto ese esa esos esas eso ellos ellas su sus",
    "it": "questo questa questi queste ciò esso essa essi suo sua",
    "pt": "este esta estes estas isto esse essa esses essas isso ele ela eles elas seu sua",
    "nl": "dit dat deze die het zij hij hun zijn haar",
    "ko": "이 이는 이것은 이것이 이러한 이런 그 그는 그것은 이를 이렇게",
}
_PHRASES: dict[str, str] = {
    "en": "in this|in that|in these|in those|in the same|in addition|in other|in fact|in contrast|in particular|"
    "for this|for that|for example|for instance|for the same|as a|as you|as above|of course|the same|the other|"
    "the above|the following|if so|if not|at this|at that|on the other|by this|with this|with that|with these|"
    "from this|from that|after that|after this|even so|even though",
    "de": "zum beispiel|in diesem|in dieser|das heißt|im gegensatz|nach diesem|aus diesem",
    "fr": "par exemple|dans ce|dans cette|en effet|en outre|de plus|par contre|par conséquent",
    "es": "por ejemplo|en este|en esta|sin embargo|por lo tanto|por eso|de hecho",
    "ko": "예를 들어|예를 들면|이 경우|그 다음|뿐만 아니라",
}
_SELF = "document section chapter page paper article guide pep rfc proposal specification tutorial report book"
_SELF_REFERENCES = frozenset(_SELF.split())
"""Nouns after "This" that refer to the document itself."""

_MIN_LETTERS = 3
"""Letters from which a word of a script with spaces counts as a content word."""


def values(sentences: Sentences) -> Float64:
    """Return the features of every gap.

    Returns:
        ``(n_gaps, n_features)`` float64 in 0 to 1, columns in the order of :data:`FEATURES`.
    """
    if len(sentences) < 2:
        return np.zeros((0, len(FEATURES)))
    texts, language = sentences.texts, sentences.document.language
    words = [_WORD.findall(text.casefold()) for text in texts]
    items = np.array([_is_item(text) for text in texts])
    signs = np.array([_is_markup(text) for text in texts]) & ~items
    asks = np.array([not _ASKING.isdisjoint(text) for text in texts])
    asking = asks * float(asks.mean() >= _MANY_QUESTIONS)
    columns = {
        "neutral": np.ones(len(texts) - 1),
        "container": _containers(texts)[:-1],
        "list_goes_on": _list_goes_on(texts, items),
        "markup": signs[1:],
        "prose_again": signs[:-1] & ~signs[1:],
        "connective": _connectives(words[1:], language),
        "question": asking[1:],
        "answer": asking[:-1],
        "shared_words": _shared_words(words),
    }
    wording = np.column_stack([np.asarray(columns[feature.name], dtype=np.float64) for feature in _WORDING])
    return np.hstack((layout.values(sentences), wording))


def _is_item(text: str) -> bool:
    return _ITEM.match(text) is not None


def _is_markup(text: str) -> bool:
    """Return whether a text opens as markup rather than prose."""
    return not text[0].isalnum() and (text[0] not in _OPENING or text.startswith(("```", "***", "___", "**[")))


def _list_goes_on(texts: Sequence[str], items: Bools) -> Float64:
    """Return 1 where an item follows an item or a list continues with a later number, 0.5 where a list begins."""
    later = np.array(
        [item and text[0] not in _BULLETS and not _FIRST.match(text) for item, text in zip(items, texts, strict=True)]
    )
    return np.where(items[1:], np.where(items[:-1] | later[1:], 1.0, 0.5), 0.0)


def _containers(texts: Sequence[str]) -> Bools:
    """Return whether a fenced container is open after each text: ``::: note`` opens one, ``:::`` alone closes the last.

    A container that is never closed does not count: lines that begin with ``///`` are comments in some languages.
    """
    steps = np.zeros(len(texts) + 1, dtype=np.int64)
    opened: dict[str, list[int]] = {mark[0]: [] for mark in _FENCES}
    for place, text in enumerate(texts):
        if not any(mark in text for mark in _FENCES):
            continue
        for line in text.splitlines():
            if not (fence := _FENCE.fullmatch(line)):
                continue
            waiting = opened[fence[1][0]]
            if fence[2] or (not waiting and fence[1] in _TOGGLES):
                waiting.append(place)
            elif waiting:
                steps[waiting.pop()] += 1
                steps[place] -= 1
    found: Bools = np.cumsum(steps)[:-1] > 0
    return found


def _connectives(words: Sequence[Sequence[str]], language: str) -> Float64:
    known = language if language in _CONNECTIVES else "en"
    on, back = frozenset(_CONNECTIVES[known].split()), frozenset(_BACK_REFERENCES[known].split())
    phrases = frozenset(_PHRASES.get(known, "").split("|"))

    def weight(opening: Sequence[str]) -> float:
        if not opening:
            return 0.0
        if opening[0] in on:
            return 1.0
        pair, three = " ".join(opening[:2]), " ".join(opening[:3])
        if pair in phrases or three in phrases:
            return 0.5
        return 0.5 if opening[0] in back and not _SELF_REFERENCES.intersection(opening[1:2]) else 0.0

    return np.array([weight(each[:3]) for each in words])


def _shared_words(words: Sequence[Sequence[str]]) -> Float64:
    """Return the weight of the shared words over the geometric mean of the weights of each side's words.

    The weight of a word is ``log((n + 1) / number of sentences with it)``.
    """
    sets = [frozenset(word for word in each if len(word) >= _MIN_LETTERS or not word.isascii()) for each in words]
    found = Counter(word for each in sets for word in each)
    weights = {word: math.log((len(sets) + 1) / count) for word, count in found.items()}
    totals = [math.fsum(weights[word] for word in each) for each in sets]
    scales = [(left * right) ** 0.5 for left, right in pairwise(totals)]
    both = [math.fsum(weights[word] for word in left & right) for left, right in pairwise(sets)]
    return np.array([min(some / scale, 1.0) if scale > 0 else 0.0 for some, scale in zip(both, scales, strict=True)])
