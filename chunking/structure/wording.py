"""Measurements of the wording beside each gap, which need no encoder.

Even a text without layout has a form. A part that ends in a colon belongs to the following text; so does a question to
its answer. A part that opens with "But" or "For example", continues a list, or is inside an open container belongs to
the preceding text. A new topic brings new words, and shares few with the sentences before it.

What a measurement is worth, and in which direction, is not decided here: :mod:`chunking.evidence` has learned weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.sentences import Sentences

_ITEM = compile_pattern(r"(?:[-*+•·–—‣▪]|(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]|\((?:\d{1,3}|[a-z]|[ivx]{1,4})\))\s+\S")
_FIRST = compile_pattern(r"\(?[1aAiI0][.)]\s")
_BULLETS = frozenset("-*+•·–—‣▪")
_FENCE = compile_pattern(r"[ \t]*+(`{3,}+|~{3,}+|/{3,}+|:{3,}+)[ \t]*+(.*)")
_FENCES = ("```", "~~~", "///", ":::")
_TOGGLES = ("```", "~~~")
"""Fences that open without a name; longer ones may underline a title."""

_OPENING = frozenset("\"'“‘«„‚*_`([¿¡「『（")
"""Symbols that prose may open with."""

_ASKING = frozenset("?？؟")
_COLONS = frozenset(":：")
_WORD = compile_pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")

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
_UNKNOWN = "und"
"""Code of a text whose language is not known; its connectives are sought in English."""

_SELF = "document section chapter page paper article guide pep rfc proposal specification tutorial report book"
_SELF_REFERENCES = frozenset(_SELF.split())
"""Nouns after "This" that refer to the document itself."""

_MIN_LETTERS = 3
"""Letters from which a word of a script with spaces counts as a content word; a syllable of Hangul holds several."""

_UNSPACED = compile_pattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of scripts without spaces, and Hangul."""

_MARKERS: dict[str, str] = {
    "en": "okay ok so now well right alright all anyway um uh yeah",
    "de": "okay so also gut nun jetzt ja äh",
    "fr": "bon alors donc voilà euh ok",
    "es": "bueno entonces ahora vale eh",
    "ko": "자 네 예 음 이제 그럼 좋아요",
}
"""Words with which a speaker turns to something else, or takes the floor."""

_SHORT_WORDS = 4
"""Words up to which a sentence is short: a title, an exclamation, an answer."""

_DIGIT = compile_pattern(r"\d")
_SYMBOL = compile_pattern(r"[^\w\s.,']")
_PRECISION = 1 << 20
"""Steps of the weight of a word: sums of whole numbers are exact, so equal neighbourhoods stay equal."""


@dataclass(frozen=True, slots=True)
class WordingMeasure:
    """One measurement of a gap.

    Attributes:
        name: stable identifier, used in exports and URLs.
        title: its name on the page.
        help: one sentence on what is measured.
        of: computes it, ``(n_gaps,)``.
    """

    name: str
    title: str
    help: str
    of: Callable[[_Texts], Float64 | Bools]


def values(sentences: Sentences) -> Float64:
    """Return the measurements of every gap.

    Returns:
        ``(n_gaps, n_measures)`` float64, columns in the order of :data:`MEASURES`.
    """
    if len(sentences) < 2:
        return np.zeros((0, len(MEASURES)))
    texts = _Texts(sentences.texts, sentences.document.language)
    return np.column_stack([np.asarray(measure.of(texts), dtype=np.float64) for measure in MEASURES])


def connectives(sentences: Sentences) -> Float64:
    """Return whether the right side of each gap opens with a connective (1) or refers back (0.5)."""
    return _Texts(sentences.texts, sentences.document.language).connectives()


class _Texts:
    """The sentences of a document, at least two, with what several measurements need."""

    def __init__(self, texts: Sequence[str], language: str) -> None:
        self.texts, self.language = texts, language
        self.words = [_WORD.findall(text.casefold()) for text in texts]
        self.items = np.array([_is_item(text) for text in texts])
        self.markup = np.array([_is_markup(text) for text in texts]) & ~self.items
        self.asks = np.array([not _ASKING.isdisjoint(text) for text in texts])
        self.colons = np.array([text.rstrip()[-1:] in _COLONS for text in texts])
        self.short = np.array([len(words) <= _SHORT_WORDS for words in self.words])

    @cached_property
    def lengths(self) -> Float64:
        """``(n_sentences,)`` natural logarithms of 1 + the number of characters."""
        found: Float64 = np.log1p(np.array([len(text) for text in self.texts], dtype=np.float64))
        return found

    def share(self, count: Callable[[str], int]) -> Float64:
        """Return the share of some characters in each sentence on the right of a gap."""
        return np.array([count(text) / len(text) for text in self.texts[1:]])

    @cached_property
    def vocabulary(self) -> _Vocabulary:
        """The content words."""
        return _Vocabulary(self.words)

    def connectives(self) -> Float64:
        """Return how clearly the right side of each gap continues the left."""
        return _connectives(self.words[1:], self.language)

    def markers(self) -> Bools:
        """Return whether the right side opens with a word that takes the floor."""
        known = frozenset(_MARKERS.get(self.language, "").split())
        return np.array([bool(words) and words[0] in known for words in self.words[1:]])


class _Vocabulary:
    """Where each content word of a document occurs.

    A word weighs ``log((n + 1) / number of sentences with it)``, in steps of ``1 / _PRECISION``.
    """

    def __init__(self, words: Sequence[Sequence[str]]) -> None:
        sets = [{word for word in each if len(word) >= _MIN_LETTERS or _UNSPACED.search(word)} for each in words]
        numbers: dict[str, int] = {}
        pairs = [(numbers.setdefault(word, len(numbers)), place) for place, each in enumerate(sets) for word in each]
        self.n = len(words)
        found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        found = found[np.lexsort((found[:, 1], found[:, 0]))]
        self.word, self.place = found[:, 0], found[:, 1]
        counts = np.bincount(self.word, minlength=len(numbers))
        weights = np.log((self.n + 1) / np.maximum(counts, 1))
        self.weight: Int64 = np.rint(_PRECISION * weights).astype(np.int64)[self.word]
        same = np.zeros(len(self.word) + 1, dtype=np.bool_)
        same[1:-1] = self.word[1:] == self.word[:-1]
        self.next = np.where(same[1:], np.roll(self.place, -1), _NEVER)
        """Place of the next occurrence of the same word."""
        self.first = ~same[:-1]

    def shared(self, reach: int) -> Float64:
        """Return the weight of the words on both sides over the geometric mean of each side's, ``(n_gaps,)``.

        Args:
            reach: sentences on each side.
        """
        gaps = self.n - 1
        again = self.next < _NEVER
        place, following, weight = self.place[again], self.next[again], self.weight[again]
        # A word is on both sides of a gap exactly if its nearest occurrences on either side are within reach.
        both = _intervals(np.maximum(place, following - reach), np.minimum(following, place + reach), weight, gaps)
        left = _intervals(self.place, np.minimum(self.next, self.place + reach), self.weight, gaps)
        back = np.where(self.first, -1, np.append(-1, self.place[:-1])[: len(self.place)])
        right = _intervals(np.maximum(self.place - reach, back), self.place, self.weight, gaps)
        scales = np.sqrt(left.astype(np.float64) * right)
        return np.divide(both, scales, out=np.zeros(gaps), where=scales > 0).round(_DIGITS)

    def new(self) -> Float64:
        """Return the share of new words in two sentences right of each gap beyond that in the sentence left of it."""
        total = np.bincount(self.place, self.weight, self.n)
        fresh = np.bincount(self.place[self.first], self.weight[self.first], self.n)
        share = np.divide(fresh, total, out=np.zeros(self.n), where=total > 0)
        right = (share[1:] + np.append(share[2:], share[-1])) / 2
        found: Float64 = (right - share[:-1]).round(_DIGITS)
        return found


_NEVER = np.int64(1) << 40
_DIGITS = 10


def _intervals(begins: Int64, ends: Int64, weights: Int64, gaps: int) -> Int64:
    """Return ``(gaps,)``: the sum of the weights of all half-open intervals of gaps that contain each gap."""
    steps = np.zeros(gaps + 1, dtype=np.int64)
    begins, ends = np.clip(begins, 0, gaps), np.clip(ends, 0, gaps)
    some = begins < ends
    np.add.at(steps, begins[some], weights[some])
    np.add.at(steps, ends[some], -weights[some])
    found: Int64 = np.cumsum(steps)[:-1]
    return found


def _beside(values: Float64, step: int) -> Float64:
    """Return the value of the sentence ``step`` places after the left side of each gap; the nearest one at the ends."""
    places = np.clip(np.arange(len(values) - 1) + step, 0, len(values) - 1)
    found: Float64 = np.asarray(values, dtype=np.float64)[places]
    return found


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
    known = "en" if language == _UNKNOWN else language
    on, back = frozenset(_CONNECTIVES.get(known, "").split()), frozenset(_BACK_REFERENCES.get(known, "").split())
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


MEASURES: tuple[WordingMeasure, ...] = (
    WordingMeasure(
        "shared_words", "Shared words", "Words that the two sentences share.", lambda t: t.vocabulary.shared(1)
    ),
    WordingMeasure(
        "shared_words_3",
        "Shared words, 3 a side",
        "Words that three sentences on each side share.",
        lambda t: t.vocabulary.shared(3),
    ),
    WordingMeasure(
        "shared_words_6",
        "Shared words, 6 a side",
        "Words that six sentences on each side share.",
        lambda t: t.vocabulary.shared(6),
    ),
    WordingMeasure(
        "new_words",
        "New words",
        "Words that the document has not used before: right of the gap more than left of it.",
        lambda t: t.vocabulary.new(),
    ),
    WordingMeasure("left_length", "Long left side", "The left side is long.", lambda t: t.lengths[:-1]),
    WordingMeasure(
        "next_length",
        "Long second sentence",
        "The sentence after the right side is long.",
        lambda t: _beside(t.lengths, 2),
    ),
    WordingMeasure("question", "Question", "The right side is a question.", lambda t: t.asks[1:]),
    WordingMeasure("answer", "Answer", "The left side is a question.", lambda t: t.asks[:-1]),
    WordingMeasure("introduced", "Introduced", "The left side ends in a colon.", lambda t: t.colons[:-1]),
    WordingMeasure(
        "introduced_before",
        "Introduced before",
        "The sentence before the left side ends in a colon.",
        lambda t: _beside(t.colons, -1),
    ),
    WordingMeasure(
        "connective",
        "Opens with a connective",
        "The right side opens with a connective such as But (1), or a word that refers back such as These (0.5).",
        _Texts.connectives,
    ),
    WordingMeasure(
        "marker",
        "Opens with a marker",
        "The right side opens like a speaker who moves on: so, now, okay.",
        _Texts.markers,
    ),
    WordingMeasure(
        "markup",
        "Markup follows",
        "The right side opens with a symbol: code, an image, a directive.",
        lambda t: t.markup[1:],
    ),
    WordingMeasure("after_markup", "Markup precedes", "The left side opens with a symbol.", lambda t: t.markup[:-1]),
    WordingMeasure("list_item", "List item", "The right side is a list item.", lambda t: t.items[1:]),
    WordingMeasure(
        "list_goes_on",
        "List continues",
        "The right side is a list item; 1 after another item, 0.5 otherwise.",
        lambda t: _list_goes_on(t.texts, t.items),
    ),
    WordingMeasure(
        "container",
        "Inside a container",
        "A fenced container that opened above is still open.",
        lambda t: _containers(t.texts)[:-1],
    ),
    WordingMeasure(
        "symbols",
        "Symbols",
        "Share of symbols in the right side.",
        lambda t: t.share(lambda text: len(_SYMBOL.findall(text))),
    ),
    WordingMeasure(
        "digits",
        "Digits",
        "Share of digits in the right side.",
        lambda t: t.share(lambda text: len(_DIGIT.findall(text))),
    ),
    WordingMeasure(
        "capitals",
        "Capitals",
        "Share of capital letters in the right side.",
        lambda t: t.share(lambda text: sum(map(str.isupper, text))),
    ),
    WordingMeasure(
        "lines",
        "Lines",
        "The right side has several lines.",
        lambda t: np.log1p(np.array([text.count("\n") for text in t.texts[1:]], dtype=np.float64)),
    ),
    WordingMeasure("short_right", "Short right side", "The right side has at most four words.", lambda t: t.short[1:]),
    WordingMeasure("short_left", "Short left side", "The left side has at most four words.", lambda t: t.short[:-1]),
)
"""All measurements; their weights are in the table of :mod:`chunking.evidence`."""
